// One job: its timeline, a segment of it, and everything else there is to know.
import { cancel, download, remove, retry, setPriority, suits } from "./actions.js";
import { get, getIfAny, getList } from "./api.js";
import { button, fill, h, icon, setText } from "./dom.js";
import { documents } from "./documents.js";
import { secondsTaken, titleOf } from "./job-card.js";
import { canNotify, notifies, setNotifies } from "./notify.js";
import { address, go, route } from "./router.js";
import { segmentPanel } from "./segment-panel.js";
import { jobState, loading, remedyOf, waitingReason, wholeState } from "./state.js";
import { isFinal, store } from "./store.js";
import { playable, strip } from "./strip.js";
import { say } from "./talk.js";
import { bytes, count, fps, percent, plural, printableLines, share, speed } from "./text.js";
import { clockOf, duration, elapsed, moment, timecode } from "./time.js";
import { timeline } from "./timeline.js";

const pageOfSegments = 1000;
/** The shortest time between two looks at the segments, in milliseconds. */
const refreshInterval = 1000;

export const jobView = (id, ...path) => {
  const base = address("jobs", id), node = h("div", { class: "page job-page" }, loading());
  let job, segments = [], selected, isLeft = false, parts, isSettled = false, counts = "", hasDocument = false, hasPeaks = false, refreshTimer, lastRefresh = 0;
  const readPath = rest => { selected = rest[0] === "segments" && /^\d+$/.test(rest[1] ?? "") ? Number(rest[1]) : undefined; };
  readPath(path);

  /** Shows a segment: the address changes, and so it can be shared. */
  const pick = index => {
    const target = index === undefined ? base : address("jobs", id, "segments", String(index));
    history.replaceState(null, "", target);
    selected = index;
    showSegment();
  };
  const showSegment = () => {
    parts.timeline.select(selected);
    parts.segment.show(job, selected, segments);
  };

  const load = async () => {
    try {
      job = await get(`/jobs/${id}`);
    } catch (problem) {
      if (isLeft) return;
      if (problem.isUnreachable) { setTimeout(load, 2000); return; }
      return node.replaceWith(wholeState("failed", "There is no such job", "It may have been deleted, or it belongs to somebody else.",
        h("a", { class: "button", href: "#/jobs" }, "All jobs")));
    }
    if (isLeft) return;
    build();
    show();
    await loadSegments(true);
    if (selected === undefined && job.state === "failed") {
      const failed = segments.find(segment => segment.state === "failed");
      if (failed) { selected = failed.index; showSegment(); }
    }
    loadDocument();
  };

  /** Loads the segments that may have changed: all of them, or the pages that have unfinished ones. */
  const loadSegments = async isAll => {
    if (job.segments.pending + job.segments.leased + job.segments.completed + job.segments.failed === 0) return;
    lastRefresh = Date.now();
    try {
      const pages = Math.max(1, Math.ceil(segments.length / pageOfSegments));
      const settled = page => segments.slice(page * pageOfSegments, (page + 1) * pageOfSegments).every(segment => segment.state === "completed");
      for (let page = 0; isAll || page < pages; page++) {
        if (!isAll && settled(page)) continue;
        const after = page === 0 ? "" : `&after=${page * pageOfSegments - 1}`;
        const list = await getList(`/jobs/${id}/segments?limit=${pageOfSegments}${after}`);
        if (isLeft) return;
        segments.splice(page * pageOfSegments, list.length, ...list);
        if (isAll && list.length < pageOfSegments) break;
      }
      parts.timeline.setSegments(segments);
      showSegment();
    } catch { /* Tried again at the next change. */ }
  };

  const refreshSegments = () => {
    const next = JSON.stringify(job.segments) + job.framesRendered;
    if (next === counts) return;
    const isReset = segments.length > 0 && job.segments.completed < segments.filter(segment => segment.state === "completed").length;
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
      if (found && !isLeft) { hasDocument = true; parts.timeline.setDocument(found); }
    }
    if (!hasPeaks && (job.frameCount || isFinal(job))) {
      const found = await getIfAny(`/jobs/${id}/waveform`).catch(() => undefined);
      if (found && !isLeft) { hasPeaks = true; parts.timeline.setPeaks(found); }
    }
  };

  const build = () => {
    const title = h("h1", { dir: "auto" }), state = h("span"), actions = h("div", { class: "actions" }), trouble = h("div", { hidden: true });
    const facts = h("dl", { class: "facts" }), preview = h("div", { class: "preview", hidden: true }), note = h("p", { class: "muted small" });
    const pendingStrip = strip();
    parts = { title, state, actions, trouble, facts, preview, note, timeline: timeline(pick), segment: segmentPanel(pick), pendingStrip };
    parts.documents = documents(id, () => job, index => { pick(index); parts.timeline.reveal(); document.getElementById("segment").scrollIntoView({ block: "nearest" }); });
    fill(node,
      h("div", { class: "job-head" },
        h("nav", { class: "crumbs muted", "aria-label": "Breadcrumb" }, h("a", { href: "#/jobs" }, "Jobs"), " / ", h("span", { title: id }, id.slice(0, 8))),
        h("div", { class: "job-title" }, title, state), actions),
      trouble,
      h("div", { class: "job-columns" },
        h("div", { class: "job-main" }, parts.timeline.node, parts.segment.node, parts.documents.node),
        h("aside", { class: "job-side", "aria-label": "At a glance" }, preview, note, h("section", {}, h("h2", {}, "At a glance"), facts))));
  };

  let shownActions = "", shownTrouble = "", shownPreview = "";
  const show = () => {
    setText(parts.title, job.name);
    const actionsKey = `${job.state}${suits.cancel(job)}${job.priority}${job.output !== undefined}`;
    if (actionsKey !== shownActions) {
      shownActions = actionsKey;
      fill(parts.state, h("span", { class: "pill" }, jobState(job.state)));
      fill(parts.actions, actionsOf(job));
    }
    const troubleKey = JSON.stringify([job.failure, job.waitingFor, job.state]);
    if (troubleKey !== shownTrouble) { shownTrouble = troubleKey; showTrouble(); }
    parts.timeline.setJob(job);
    fill(parts.facts, factsOf(job).map(([word, value]) => h("div", {}, h("dt", {}, word), h("dd", { class: "number", dir: "auto" }, value))));
    showPreview();
    parts.documents.update(job);
  };

  const showTrouble = () => {
    parts.trouble.hidden = !job.failure && (!waitingReason(job) || isFinal(job));
    if (job.failure) {
      const message = Object.assign(h("p", { class: "problem-text", dir: "auto" }), { textContent: printableLines(job.failure.message) });
      fill(parts.trouble, h("div", { class: "card notice bad", role: "group", "aria-label": "Failure" }, icon("failed"),
        h("div", {}, message, h("p", { class: "muted" }, remedyOf(job.failure), " ", h("span", { class: "small" }, `Code: ${job.failure.code}`)))));
    } else fill(parts.trouble, h("div", { class: "card notice" }, icon(job.waitingFor ? "warning" : "queued"), h("p", {}, waitingReason(job))));
  };

  const showPreview = () => {
    const end = playable(job), key = job.output ? "output" : "";
    if (key !== shownPreview) {
      shownPreview = key;
      if (job.output && /\.(mp4|m4v|mov|webm|mkv)$/i.test(job.output.fileName)) {
        const video = h("video", { controls: true, preload: "metadata", playsinline: true, src: `/api/v1/jobs/${id}/output`, "aria-label": `Preview of ${job.name}` });
        video.addEventListener("error", () => { parts.preview.hidden = true; });
        fill(parts.preview, video);
        parts.preview.hidden = false;
      } else parts.preview.hidden = true;
    }
    setText(parts.note, !isFinal(job) && end > 0 && job.frameDuration ? `Finished without a gap up to ${timecode(end, job.frameDuration)}` : "");
    parts.note.hidden = parts.note.textContent === "";
  };

  const actionsOf = () => {
    const bell = canNotify() && !isFinal(job) && button(icon("bell"), async () => {
      const isOn = await setNotifies(id, !notifies(id));
      bell.setAttribute("aria-pressed", isOn);
      say(isOn ? "You will be notified when this job ends." : "No notification for this job.");
    }, { class: "square toggle", "aria-label": "Notify me when it ends", title: "Notify me when it ends", "aria-pressed": String(notifies(id)) });
    return [
      button(icon("link"), async () => {
        try { await navigator.clipboard.writeText(location.href); say("Copied the link to this page."); } catch { say(location.href); }
      }, { class: "square", "aria-label": "Copy a link to this page", title: "Copy a link to this page" }),
      bell,
      suits.priority(job) && button(`Priority ${job.priority ?? 0}`, () => setPriority([job])),
      suits.remove(job) && button("Delete", async () => { await remove([job]); if (!store.jobs.has(id)) go("#/jobs"); }),
      suits.cancel(job) && button("Cancel", () => cancel([job])),
      suits.retry(job) && button("Retry", () => retry([job]), { class: "primary" }),
      download(job, "button primary"),
    ];
  };

  load();
  return {
    node,
    title: () => job && titleOf(job),
    navigate(_, ...rest) { if (parts) { readPath(rest); showSegment(); parts.timeline.reveal(); } },
    update(changes) {
      if (!parts || !changes.jobs.has(id)) return;
      const next = store.jobs.get(id);
      if (!next) { if (!isSettled) { isSettled = true; say("This job was deleted."); } return; }
      const wasFinal = isFinal(job), { failure } = job;
      // An event has only the beginning of a long message and of lists.
      job = { ...next, concealed: job.concealed, failure: next.failure && failure?.code === next.failure.code ? failure : next.failure };
      if (isFinal(job) && !wasFinal) get(`/jobs/${id}`).then(whole => { if (!isLeft) { job = whole; show(); } }).catch(() => {});
      show();
      refreshSegments();
      loadDocumentSoon();
    },
    tick() { if (parts && !isFinal(job)) show(); },
    leave() { isLeft = true; clearTimeout(refreshTimer); parts?.timeline.leave(); parts?.pendingStrip.leave(); },
  };
  function loadDocumentSoon() { if (!hasDocument || (!hasPeaks && job.state !== "rendering")) loadDocument(); }
};

/** The figures of a job: `[[word, value]]`. */
const factsOf = job => {
  const total = job.frameCount, sum = job.segments.pending + job.segments.leased + job.segments.completed + job.segments.failed;
  const isRunning = !isFinal(job);
  return [
    total !== undefined && ["Progress", `${count(job.framesRendered)} of ${count(total)} frames · ${percent(job.framesRendered, total)}`],
    sum > 0 && ["Segments", [`${count(job.segments.completed)} of ${count(sum)} completed`, job.segments.leased > 0 && `${count(job.segments.leased)} rendering`,
      job.segments.failed > 0 && `${count(job.segments.failed)} failed`].filter(Boolean).join(" · ")],
    isRunning && job.framesPerSecond !== undefined && ["Speed", [fps(job.framesPerSecond), job.frameDuration && speed(job.framesPerSecond, job.frameDuration)].filter(Boolean).join(" · ")],
    isRunning && job.secondsRemaining !== undefined && ["Left", elapsed(job.secondsRemaining)],
    [isRunning ? "Elapsed" : "Took", (isRunning ? elapsed : duration)(secondsTaken(job))],
    job.framesCopied !== undefined && ["Copied", share(job.framesCopied, total)],
    job.framesReused !== undefined && ["Reused", share(job.framesReused, total)],
    job.framesEncoded !== undefined && ["Encoded", share(job.framesEncoded, total)],
    job.loudness && ["Loudness", job.loudness.after === undefined || job.loudness.after === null ? "silent"
      : `${job.loudness.before.toFixed(1).replace("-", "−")} → ${job.loudness.after.toFixed(1).replace("-", "−")} LUFS`],
    total !== undefined && job.frameDuration && ["Length", `${clockOf(total * job.frameDuration)} · ${Math.round(100 / job.frameDuration) / 100} fps`],
    job.output && ["Output", `${job.output.fileName} · ${bytes(job.output.byteCount)}`],
    job.concealedCount && ["Concealed damage", plural(job.concealedCount, "part")],
    job.submitter && ["Owner", job.submitter],
    ["Priority", String(job.priority ?? 0)],
    ["Submitted", moment(job.createdAt)],
    job.finishedAt && [{ completed: "Completed", failed: "Failed", cancelled: "Cancelled" }[job.state], moment(job.finishedAt)],
  ].filter(Boolean);
};
