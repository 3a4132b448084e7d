/* The files of the status page. The compiler embeds them (C23's #embed) and rebuilds this file if one of them changes. A
   test compares this list with the folder. */
#include "CStatusPage.h"

#define FILE_OF(name, bytes) {name, bytes, sizeof bytes}

static const unsigned char account_js[] = {
#embed "../../coordinator/StatusPage/Files/account.js"
};
static const unsigned char actions_js[] = {
#embed "../../coordinator/StatusPage/Files/actions.js"
};
static const unsigned char api_js[] = {
#embed "../../coordinator/StatusPage/Files/api.js"
};
static const unsigned char base_css[] = {
#embed "../../coordinator/StatusPage/Files/base.css"
};
static const unsigned char chart_js[] = {
#embed "../../coordinator/StatusPage/Files/chart.js"
};
static const unsigned char clip_list_js[] = {
#embed "../../coordinator/StatusPage/Files/clip-list.js"
};
static const unsigned char clip_media_js[] = {
#embed "../../coordinator/StatusPage/Files/clip-media.js"
};
static const unsigned char codecs_js[] = {
#embed "../../coordinator/StatusPage/Files/codecs.js"
};
static const unsigned char colors_js[] = {
#embed "../../coordinator/StatusPage/Files/colors.js"
};
static const unsigned char documents_js[] = {
#embed "../../coordinator/StatusPage/Files/documents.js"
};
static const unsigned char dom_js[] = {
#embed "../../coordinator/StatusPage/Files/dom.js"
};
static const unsigned char draft_js[] = {
#embed "../../coordinator/StatusPage/Files/draft.js"
};
static const unsigned char favicon_svg[] = {
#embed "../../coordinator/StatusPage/Files/favicon.svg"
};
static const unsigned char findings_js[] = {
#embed "../../coordinator/StatusPage/Files/findings.js"
};
static const unsigned char index_html[] = {
#embed "../../coordinator/StatusPage/Files/index.html"
};
static const unsigned char job_actions_js[] = {
#embed "../../coordinator/StatusPage/Files/job-actions.js"
};
static const unsigned char job_card_js[] = {
#embed "../../coordinator/StatusPage/Files/job-card.js"
};
static const unsigned char job_facts_js[] = {
#embed "../../coordinator/StatusPage/Files/job-facts.js"
};
static const unsigned char job_preview_js[] = {
#embed "../../coordinator/StatusPage/Files/job-preview.js"
};
static const unsigned char job_stream_js[] = {
#embed "../../coordinator/StatusPage/Files/job-stream.js"
};
static const unsigned char list_js[] = {
#embed "../../coordinator/StatusPage/Files/list.js"
};
static const unsigned char live_js[] = {
#embed "../../coordinator/StatusPage/Files/live.js"
};
static const unsigned char main_js[] = {
#embed "../../coordinator/StatusPage/Files/main.js"
};
static const unsigned char notify_js[] = {
#embed "../../coordinator/StatusPage/Files/notify.js"
};
static const unsigned char parts_css[] = {
#embed "../../coordinator/StatusPage/Files/parts.css"
};
static const unsigned char playlist_js[] = {
#embed "../../coordinator/StatusPage/Files/playlist.js"
};
static const unsigned char router_js[] = {
#embed "../../coordinator/StatusPage/Files/router.js"
};
static const unsigned char segment_panel_js[] = {
#embed "../../coordinator/StatusPage/Files/segment-panel.js"
};
static const unsigned char selection_js[] = {
#embed "../../coordinator/StatusPage/Files/selection.js"
};
static const unsigned char sequence_js[] = {
#embed "../../coordinator/StatusPage/Files/sequence.js"
};
static const unsigned char sha256_worker_js[] = {
#embed "../../coordinator/StatusPage/Files/sha256-worker.js"
};
static const unsigned char sha256_js[] = {
#embed "../../coordinator/StatusPage/Files/sha256.js"
};
static const unsigned char sign_in_js[] = {
#embed "../../coordinator/StatusPage/Files/sign-in.js"
};
static const unsigned char site_webmanifest[] = {
#embed "../../coordinator/StatusPage/Files/site.webmanifest"
};
static const unsigned char start_js[] = {
#embed "../../coordinator/StatusPage/Files/start.js"
};
static const unsigned char state_js[] = {
#embed "../../coordinator/StatusPage/Files/state.js"
};
static const unsigned char store_js[] = {
#embed "../../coordinator/StatusPage/Files/store.js"
};
static const unsigned char stream_player_js[] = {
#embed "../../coordinator/StatusPage/Files/stream-player.js"
};
static const unsigned char stream_track_js[] = {
#embed "../../coordinator/StatusPage/Files/stream-track.js"
};
static const unsigned char strip_js[] = {
#embed "../../coordinator/StatusPage/Files/strip.js"
};
static const unsigned char submission_js[] = {
#embed "../../coordinator/StatusPage/Files/submission.js"
};
static const unsigned char talk_js[] = {
#embed "../../coordinator/StatusPage/Files/talk.js"
};
static const unsigned char text_js[] = {
#embed "../../coordinator/StatusPage/Files/text.js"
};
static const unsigned char time_js[] = {
#embed "../../coordinator/StatusPage/Files/time.js"
};
static const unsigned char timeline_js[] = {
#embed "../../coordinator/StatusPage/Files/timeline.js"
};
static const unsigned char upload_js[] = {
#embed "../../coordinator/StatusPage/Files/upload.js"
};
static const unsigned char view_farm_js[] = {
#embed "../../coordinator/StatusPage/Files/view-farm.js"
};
static const unsigned char view_job_js[] = {
#embed "../../coordinator/StatusPage/Files/view-job.js"
};
static const unsigned char view_jobs_js[] = {
#embed "../../coordinator/StatusPage/Files/view-jobs.js"
};
static const unsigned char view_recordings_js[] = {
#embed "../../coordinator/StatusPage/Files/view-recordings.js"
};
static const unsigned char view_submit_js[] = {
#embed "../../coordinator/StatusPage/Files/view-submit.js"
};
static const unsigned char view_tokens_js[] = {
#embed "../../coordinator/StatusPage/Files/view-tokens.js"
};
static const unsigned char view_workers_js[] = {
#embed "../../coordinator/StatusPage/Files/view-workers.js"
};
static const unsigned char views_css[] = {
#embed "../../coordinator/StatusPage/Files/views.css"
};
static const unsigned char worker_card_js[] = {
#embed "../../coordinator/StatusPage/Files/worker-card.js"
};
static const unsigned char worker_chart_js[] = {
#embed "../../coordinator/StatusPage/Files/worker-chart.js"
};

static const sheaf_page_file files[] = {
  FILE_OF("account.js", account_js),
  FILE_OF("actions.js", actions_js),
  FILE_OF("api.js", api_js),
  FILE_OF("base.css", base_css),
  FILE_OF("chart.js", chart_js),
  FILE_OF("clip-list.js", clip_list_js),
  FILE_OF("clip-media.js", clip_media_js),
  FILE_OF("codecs.js", codecs_js),
  FILE_OF("colors.js", colors_js),
  FILE_OF("documents.js", documents_js),
  FILE_OF("dom.js", dom_js),
  FILE_OF("draft.js", draft_js),
  FILE_OF("favicon.svg", favicon_svg),
  FILE_OF("findings.js", findings_js),
  FILE_OF("index.html", index_html),
  FILE_OF("job-actions.js", job_actions_js),
  FILE_OF("job-card.js", job_card_js),
  FILE_OF("job-facts.js", job_facts_js),
  FILE_OF("job-preview.js", job_preview_js),
  FILE_OF("job-stream.js", job_stream_js),
  FILE_OF("list.js", list_js),
  FILE_OF("live.js", live_js),
  FILE_OF("main.js", main_js),
  FILE_OF("notify.js", notify_js),
  FILE_OF("parts.css", parts_css),
  FILE_OF("playlist.js", playlist_js),
  FILE_OF("router.js", router_js),
  FILE_OF("segment-panel.js", segment_panel_js),
  FILE_OF("selection.js", selection_js),
  FILE_OF("sequence.js", sequence_js),
  FILE_OF("sha256-worker.js", sha256_worker_js),
  FILE_OF("sha256.js", sha256_js),
  FILE_OF("sign-in.js", sign_in_js),
  FILE_OF("site.webmanifest", site_webmanifest),
  FILE_OF("start.js", start_js),
  FILE_OF("state.js", state_js),
  FILE_OF("store.js", store_js),
  FILE_OF("stream-player.js", stream_player_js),
  FILE_OF("stream-track.js", stream_track_js),
  FILE_OF("strip.js", strip_js),
  FILE_OF("submission.js", submission_js),
  FILE_OF("talk.js", talk_js),
  FILE_OF("text.js", text_js),
  FILE_OF("time.js", time_js),
  FILE_OF("timeline.js", timeline_js),
  FILE_OF("upload.js", upload_js),
  FILE_OF("view-farm.js", view_farm_js),
  FILE_OF("view-job.js", view_job_js),
  FILE_OF("view-jobs.js", view_jobs_js),
  FILE_OF("view-recordings.js", view_recordings_js),
  FILE_OF("view-submit.js", view_submit_js),
  FILE_OF("view-tokens.js", view_tokens_js),
  FILE_OF("view-workers.js", view_workers_js),
  FILE_OF("views.css", views_css),
  FILE_OF("worker-card.js", worker_card_js),
  FILE_OF("worker-chart.js", worker_chart_js),
};

const sheaf_page_file *sheaf_page_file_at(size_t index) {
  return index < sizeof files / sizeof *files ? &files[index] : NULL;
}
