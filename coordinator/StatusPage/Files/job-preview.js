// The preview of a job: its finished file, its finished parts while it is rendered, or a picture of a segment.
import { button, fill, h, setText } from "./dom.js";
import { jobReader } from "./job-stream.js";
import { route, setQuery } from "./router.js";
import { isFinal } from "./store.js";
import { StreamPlayer } from "./stream-player.js";
import { playable } from "./strip.js";
import { timecode } from "./time.js";

/** The preview of a job. `onTime(seconds)` is called when the playhead moves. */
export const jobPreview = (id, onTime) => {
  const stage = h("div", { class: "preview", hidden: true }), note = h("p", { class: "muted small", role: "status" });
  const play = button("Play finished parts", () => watch(), { hidden: true });
  const bar = h("div", { class: "card-bottom" }, note, play);
  let job, segment, player, problem, shown = "", pictured;

  /** The position at which the page was reloaded. */
  const time = parseFloat(route().query.get("t") ?? ""), asked = Number.isFinite(time) ? time : undefined;
  const videoNow = () => stage.querySelector("video");
  const keepTime = () => {
    const video = videoNow();
    if (video) setQuery({ t: video.currentTime > 0 ? video.currentTime.toFixed(1) : "" });
  };
  addEventListener("pagehide", keepTime);

  /** Shows the finished file, from where the stream was. */
  const showFile = () => {
    const before = player && videoNow();
    const start = before?.currentTime ?? asked ?? 0, isPlaying = before && !before.paused && !before.ended;
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
      stage.hidden = true;
    });
    video.addEventListener("timeupdate", () => onTime(video.currentTime));
    Object.assign(video, { muted, volume, playbackRate });
    if (start > 0) video.addEventListener("loadedmetadata", () => video.currentTime = start, { once: true });
    if (isPlaying) video.play().catch(() => {});
    fill(stage, video);
    stage.hidden = false;
  };
  /** Plays the finished parts of a job that is being rendered. */
  const watch = (start) => {
    const video = h("video", { controls: true, playsinline: true, "aria-label": `Finished parts of ${job.name}` });
    video.addEventListener("canplay", () => video.play().catch(() => {}), { once: true });
    for (const event of ["timeupdate", "seeking", "waiting"]) video.addEventListener(event, () => showNote());
    video.addEventListener("timeupdate", () => onTime(video.currentTime));
    fill(stage, video);
    stage.hidden = false;
    play.hidden = true;
    // The segment that is chosen already does not move the playhead.
    if (segment) pictured = `video ${segment.index}`;
    player = new StreamPlayer(video, jobReader(id), "the job", (next) => {
      problem = next;
      showNote();
    }, { start, longestJump: 0.5 });
  };
  const closePlayer = () => {
    if (!player) return;
    player.close();
    player = problem = pictured = undefined;
    fill(stage);
  };
  const showNote = () => {
    const end = playable(job), isRunning = !isFinal(job) && job.frameDuration;
    setText(
      note,
      problem ??
        (player?.isMissing && isRunning
          ? "This part is not finished yet. It will play when it is."
          : player?.hasPlayedAll && job.isFollowing
          ? "Waiting for more of the recording."
          : isRunning && end > 0
          ? `Finished without a gap up to ${timecode(end, job.frameDuration)}${
            job.isFollowing && player?.list.awaitsSound ? ". There is no sound until the recording ends." : ""
          }`
          : ""),
    );
    note.hidden = note.textContent === "";
    bar.hidden = note.hidden && play.hidden;
  };

  return {
    nodes: [stage, bar],
    /** Shows a job as it is now. */
    show(next) {
      job = next;
      const file = job.output && /\.(mp4|m4v|mov|webm|mkv)$/i.test(job.output.fileName);
      const canStream = !job.output && !isFinal(job) && job.segments.completed > 0 && "MediaSource" in window;
      const key = file ? "output" : canStream ? "stream" : "";
      if (key !== shown) {
        shown = key;
        if (file) showFile();
        else if (canStream && asked !== undefined) watch(asked);
        else if (!canStream) {
          closePlayer();
          stage.hidden = true;
        }
      }
      play.hidden = !canStream || player !== undefined;
      showNote();
    },
    /** Shows the chosen segment, if there is one: in the video, or as a picture of the segment. */
    pick(chosen) {
      segment = chosen;
      const video = videoNow(), key = segment && `${video ? "video" : segment.state} ${segment.index}`;
      if (!segment || key === pictured) return;
      pictured = key;
      if (video) {
        if (video.paused) video.currentTime = (segment.first + 0.5) * job.frameDuration;
        return;
      }
      if (segment.state !== "completed") {
        stage.hidden = true;
        return;
      }
      const picture = h("img", {
        src: `/api/v1/jobs/${id}/segments/${segment.index}/thumbnail`,
        alt: `First frame of segment ${segment.index}`,
      });
      picture.addEventListener("load", () => {
        // The user may have gone on meanwhile.
        if (player || pictured !== key) return;
        fill(stage, picture);
        stage.hidden = false;
      });
    },
    /** Ends playback of the stream. */
    close: closePlayer,
    leave() {
      removeEventListener("pagehide", keepTime);
      closePlayer();
    },
  };
};
