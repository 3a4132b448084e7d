// One job: its timeline, a segment of it, and everything else there is to know.
import { suits } from "./actions.js";
import { get, getIfAny, getList } from "./api.js";
import { button, fill, h, icon, setText } from "./dom.js";
import { documents } from "./documents.js";
import { titleOf } from "./job-card.js";
import { factsOf } from "./job-facts.js";
import { jobActions } from "./job-actions.js";
import { jobReader } from "./job-stream.js";
import { address, route, setQuery } from "./router.js";
import { segmentPanel } from "./segment-panel.js";
import { jobState, loading, waitingReason, wholeState } from "./state.js";
import { isFinal, store } from "./store.js";
import { StreamPlayer } from "./stream-player.js";
import { playable } from "./strip.js";
import { say } from "./talk.js";
import { printableLines } from "./text.js";
import { timecode } from "./time.js";
import { timeline } from "./timeline.js";

const pageOfSegments = 1000;
/** The shortest time between two looks at the segments, in milliseconds. */
const refreshInterval = 1000;
/** The time between two requests for a timeline and a waveform that do not exist yet, in milliseconds. */
const documentInterval = 10000;

export const jobView = (id, ...path) => {
  const base = address("jobs", id), node = h("div", { class: "page job-page" }, loading());
  const segments = [];
  let job, selected, parts, player, refreshTimer, counts = "", lastRefresh = 0;
  let isLeft = false,
    isSettled = false,
    hasDocument = false,
    hasPeaks = false,
    hasShownFailure = false,
    documentTry = { key: "", time: 0 };
  const readPath = (rest) => {
    selected = rest[0] === "segments" && /^\d+$/.test(rest[1] ?? "") ? Number(rest[1]) : undefined;
  };
  readPath(path);

  /** Shows a segment: the address changes, and so it can be shared. */
  const pick = (index) => {
    const target = index === undefined ? base : address("jobs", id, "segments", String(index));
    history.replaceState(null, "", target);
    selected = index;
    showSegment();
  };
  const showSegment = () => {
    parts.timeline.select(selected);
    parts.segment.show(job, selected, segments);
    showPicture();
  };
  let pictured;
  /** Shows the chosen segment in the preview: in the finished video, or as a picture of the segment. */
  const showPicture = () => {
    const segment = segments[selected], video = parts.preview.querySelector("video");
    const key = segment && `${video ? "video" : segment.state} ${segment.index}`;
    if (!segment || key === pictured) return;
    pictured = key;
    if (video) {
      if (video.paused) video.currentTime = (segment.first + 0.5) * job.frameDuration;
      return;
    }
    if (segment.state !== "completed") {
      parts.preview.hidden = true;
      return;
    }
    const picture = h("img", {
      src: `/api/v1/jobs/${id}/segments/${segment.index}/thumbnail`,
      alt: `First frame of segment ${segment.index}`,
    });
    picture.addEventListener("load", () => {
      // The user may have gone on meanwhile.
      if (player || pictured !== key) return;
      fill(parts.preview, picture);
      parts.preview.hidden = false;
    });
  };

  const load = async () => {
    try {
      job = await get(`/jobs/${id}`);
    } catch (problem) {
      if (isLeft) return;
      if (problem.isUnreachable) {
        setTimeout(load, 2000);
        return;
      }
      return node.replaceWith(
        wholeState(
          "failed",
          "Job not found",
          "It may have been deleted, or it belongs to another submitter.",
          h("a", { class: "button", href: "#/jobs" }, "All jobs"),
        ),
      );
    }
    if (isLeft) return;
    build();
    show();
    await loadSegments(true);
    loadDocument();
  };

  /** Chooses the failed segment when a job has failed, unless the user has chosen another. */
  const showFailure = () => {
    if (job.state !== "failed") hasShownFailure = false;
    else if (!hasShownFailure) {
      const failed = segments.find((segment) => segment.state === "failed");
      hasShownFailure = failed !== undefined;
      selected ??= failed?.index;
    }
  };

  /** Loads the segments that may have changed: all of them, or the pages that have unfinished ones. */
  const loadSegments = async (isAll) => {
    if (job.segments.pending + job.segments.leased + job.segments.completed + job.segments.failed === 0) return;
    lastRefresh = Date.now();
    try {
      const pages = Math.max(1, Math.ceil(segments.length / pageOfSegments));
      const settled = (page) =>
        segments.slice(page * pageOfSegments, (page + 1) * pageOfSegments).every((segment) =>
          segment.state === "completed"
        );
      for (let page = 0; isAll || page < pages; page++) {
        if (!isAll && settled(page)) continue;
        const after = page === 0 ? "" : `&after=${page * pageOfSegments - 1}`;
        const list = await getList(`/jobs/${id}/segments?limit=${pageOfSegments}${after}`);
        if (isLeft) return;
        segments.splice(page * pageOfSegments, list.length, ...list);
        if (isAll && list.length < pageOfSegments) break;
      }
      parts.timeline.setSegments(segments);
      showFailure();
      showSegment();
    } catch { /* Tried again at the next change. */ }
  };

  const refreshSegments = () => {
    const next = JSON.stringify(job.segments) + job.framesRendered;
    if (next === counts) return;
    const isReset = segments.length > 0 &&
      job.segments.completed < segments.filter((segment) => segment.state === "completed").length;
    counts = next;
    if (refreshTimer) return;
    refreshTimer = setTimeout(async () => {
      refreshTimer = undefined;
      if (!isLeft) await loadSegments(isReset || segments.length === 0);
    }, Math.max(0, refreshInterval - (Date.now() - lastRefresh)));
  };

  const loadDocument = async () => {
    if (!hasDocument && job.frameCount) {
      const found = await getIfAny(`/jobs/${id}/timeline`).catch(() => undefined);
      if (found && !isLeft) {
        hasDocument = true;
        parts.timeline.setDocument(found);
      }
    }
    if (!hasPeaks && (job.frameCount || isFinal(job))) {
      const found = await getIfAny(`/jobs/${id}/waveform`).catch(() => undefined);
      if (found && !isLeft) {
        hasPeaks = true;
        parts.timeline.setPeaks(found);
      }
    }
  };

  const build = () => {
    const title = h("h1", { dir: "auto" }),
      state = h("span"),
      actions = h("div", { class: "actions" }),
      trouble = h("div", { hidden: true });
    const facts = h("dl", { class: "facts" }),
      preview = h("div", { class: "preview", hidden: true }),
      note = h("p", { class: "muted small", role: "status" }),
      play = button("Play finished parts", () => watch(), { hidden: true });
    parts = {
      title,
      state,
      actions,
      trouble,
      facts,
      preview,
      note,
      play,
      bar: h("div", { class: "card-bottom" }, note, play),
      timeline: timeline(pick),
      segment: segmentPanel(pick),
    };
    parts.documents = documents(id, () => job, (index) => {
      pick(index);
      parts.timeline.reveal();
      document.getElementById("segment").scrollIntoView({ block: "nearest" });
    });
    fill(
      node,
      h(
        "div",
        { class: "job-head" },
        h(
          "nav",
          { class: "crumbs muted", "aria-label": "Breadcrumb" },
          h("a", { href: "#/jobs" }, "Jobs"),
          " / ",
          h("span", { title: id }, id.slice(0, 8)),
        ),
        h("div", { class: "job-title" }, title, state),
        actions,
      ),
      trouble,
      h(
        "div",
        { class: "job-columns" },
        h("div", { class: "job-main" }, parts.timeline.node, parts.segment.node, parts.documents.node),
        h(
          "aside",
          { class: "job-side", "aria-label": "At a glance" },
          preview,
          parts.bar,
          h("section", {}, h("h2", {}, "At a glance"), facts),
        ),
      ),
    );
  };

  let shownActions = "", shownTrouble = "", shownPreview = "";
  const show = () => {
    setText(parts.title, job.name);
    const actionsKey = `${job.state}${suits.cancel(job)}${job.priority}${job.output !== undefined}`;
    if (actionsKey !== shownActions) {
      shownActions = actionsKey;
      fill(parts.state, h("span", { class: "pill" }, jobState(job.state)));
      fill(parts.actions, jobActions(job));
    }
    const troubleKey = JSON.stringify([job.failure, job.waitingFor, job.state]);
    if (troubleKey !== shownTrouble) {
      shownTrouble = troubleKey;
      showTrouble();
    }
    parts.timeline.setJob(job);
    fill(
      parts.facts,
      factsOf(job).map(([word, value]) =>
        h("div", {}, h("dt", {}, word), h("dd", { class: "number", dir: "auto" }, value))
      ),
    );
    showPreview();
    parts.documents.update(job);
  };

  const showTrouble = () => {
    parts.trouble.hidden = !job.failure && (!waitingReason(job) || isFinal(job));
    if (job.failure) {
      const message = Object.assign(h("p", { class: "problem-text", dir: "auto" }), {
        textContent: printableLines(job.failure.message),
      });
      fill(
        parts.trouble,
        h(
          "div",
          { class: "card notice bad", role: "group", "aria-label": "Failure" },
          icon("failed"),
          h(
            "div",
            {},
            message,
            h("p", { class: "muted small" }, `Code: ${job.failure.code}`),
          ),
        ),
      );
    } else {fill(
        parts.trouble,
        h(
          "div",
          { class: "card notice" },
          icon(job.waitingFor ? "warning" : "queued"),
          h("p", {}, waitingReason(job)),
        ),
      );}
  };

  const showPreview = () => {
    const file = job.output && /\.(mp4|m4v|mov|webm|mkv)$/i.test(job.output.fileName);
    const canStream = !job.output && !isFinal(job) && job.segments.completed > 0 && "MediaSource" in window;
    const key = file ? "output" : canStream ? "stream" : "";
    if (key !== shownPreview) {
      shownPreview = key;
      if (file) showFile();
      else if (canStream && asked !== undefined) watch(asked);
      else if (!canStream) {
        closePlayer();
        parts.preview.hidden = true;
      }
    }
    parts.play.hidden = !canStream || player !== undefined;
    showPlayer();
  };
  /** Shows the finished file, from where the stream was. */
  const showFile = () => {
    const before = player && parts.preview.querySelector("video");
    const time = before?.currentTime ?? asked ?? 0, isPlaying = before && !before.paused && !before.ended;
    const { muted = false, volume = 1, playbackRate = 1 } = before ?? {};
    closePlayer();
    const video = h("video", {
      controls: true,
      preload: "metadata",
      playsinline: true,
      src: `/api/v1/jobs/${id}/output`,
      "aria-label": `Preview of ${job.name}`,
    });
    video.addEventListener("error", () => {
      parts.preview.hidden = true;
    });
    video.addEventListener("timeupdate", () => parts.timeline.setPlayhead(video.currentTime));
    Object.assign(video, { muted, volume, playbackRate });
    if (time > 0) video.addEventListener("loadedmetadata", () => video.currentTime = time, { once: true });
    if (isPlaying) video.play().catch(() => {});
    fill(parts.preview, video);
    parts.preview.hidden = false;
  };
  /** Plays the finished parts of a job that is being rendered. */
  const watch = (start) => {
    const video = h("video", { controls: true, playsinline: true, "aria-label": `Finished parts of ${job.name}` });
    video.addEventListener("canplay", () => video.play().catch(() => {}), { once: true });
    for (const event of ["timeupdate", "seeking", "waiting"]) video.addEventListener(event, () => showPlayer());
    video.addEventListener("timeupdate", () => parts.timeline.setPlayhead(video.currentTime));
    fill(parts.preview, video);
    parts.preview.hidden = false;
    parts.play.hidden = true;
    // The segment that is chosen already does not move the playhead.
    if (segments[selected]) pictured = `video ${selected}`;
    player = new StreamPlayer(video, jobReader(id), "the job", (next) => {
      problem = next;
      showPlayer();
    }, { start, longestJump: 0.5 });
  };
  const closePlayer = () => {
    if (!player) return;
    player.close();
    player = problem = pictured = undefined;
    fill(parts.preview);
  };
  let problem;
  const showPlayer = () => {
    const end = playable(job), isRunning = !isFinal(job) && job.frameDuration;
    setText(
      parts.note,
      problem ??
        (player?.isMissing && isRunning
          ? "This part is not finished yet. It will play when it is."
          : isRunning && end > 0
          ? `Finished without a gap up to ${timecode(end, job.frameDuration)}`
          : ""),
    );
    parts.note.hidden = parts.note.textContent === "";
    parts.bar.hidden = parts.note.hidden && parts.play.hidden;
  };
  /** The position at which the page was reloaded. */
  const time = parseFloat(route().query.get("t") ?? ""), asked = Number.isFinite(time) ? time : undefined;
  const keepTime = () => {
    const video = parts?.preview.querySelector("video");
    if (video) setQuery({ t: video.currentTime > 0 ? video.currentTime.toFixed(1) : "" });
  };
  addEventListener("pagehide", keepTime);

  load();
  return {
    node,
    title: () => job && titleOf(job),
    navigate(_, ...rest) {
      if (parts) {
        readPath(rest);
        showSegment();
        parts.timeline.reveal();
      }
    },
    update(changes) {
      if (!parts || !changes.jobs.has(id)) return;
      const next = store.jobs.get(id);
      if (!next) {
        if (!isSettled) {
          isSettled = true;
          closePlayer();
          say("This job was deleted.");
        }
        return;
      }
      const wasFinal = isFinal(job), wasPlanned = job.frameCount !== undefined, { failure } = job;
      // An event has only the beginning of a long message and of lists.
      job = {
        ...next,
        concealed: job.concealed,
        encodedBecause: job.encodedBecause,
        failure: next.failure && failure?.code === next.failure.code ? failure : next.failure,
      };
      if ((isFinal(job) && !wasFinal) || (job.frameCount !== undefined && !wasPlanned)) {
        get(`/jobs/${id}`).then((whole) => {
          if (!isLeft) {
            job = whole;
            show();
          }
        }).catch(() => {});
      }
      show();
      refreshSegments();
      loadDocumentSoon();
    },
    tick() {
      if (parts && !isFinal(job)) show();
    },
    leave() {
      isLeft = true;
      clearTimeout(refreshTimer);
      removeEventListener("pagehide", keepTime);
      closePlayer();
      parts?.timeline.leave();
    },
  };
  /** Asks again for what may exist by now: the timeline once the job is planned, the waveform once its sound is mixed. */
  function loadDocumentSoon() {
    if (hasDocument && hasPeaks) return;
    const key = `${job.state}${job.frameCount !== undefined}`,
      isDue = Date.now() - documentTry.time > documentInterval && !isFinal(job);
    if (key === documentTry.key && !isDue) return;
    documentTry = { key, time: Date.now() };
    loadDocument();
  }
};
