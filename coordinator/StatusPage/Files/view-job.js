// One job: its timeline, a segment of it, and everything else there is to know.
import { suits } from "./actions.js";
import { get, getIfAny, getList } from "./api.js";
import { fill, h, icon, setText } from "./dom.js";
import { documents } from "./documents.js";
import { titleOf } from "./job-card.js";
import { factsOf } from "./job-facts.js";
import { jobActions } from "./job-actions.js";
import { jobPreview } from "./job-preview.js";
import { address } from "./router.js";
import { segmentPanel } from "./segment-panel.js";
import { jobState, loading, waitingReason, wholeState } from "./state.js";
import { isFinal, store } from "./store.js";
import { say } from "./talk.js";
import { printableLines } from "./text.js";
import { timeline } from "./timeline.js";

const pageOfSegments = 1000;
/** The shortest time between two looks at the segments, in milliseconds. */
const refreshInterval = 1000;
/** The time between two requests for a timeline and a waveform that do not exist yet, in milliseconds. */
const documentInterval = 10000;

export const jobView = (id, ...path) => {
  const base = address("jobs", id), node = h("div", { class: "page job-page" }, loading());
  const segments = [];
  let job, selected, parts, refreshTimer, counts = "", lastRefresh = 0;
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
    parts.preview.pick(segments[selected]);
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
        if (isAll && list.length < pageOfSegments) {
          segments.length = page * pageOfSegments + list.length;
          break;
        }
      }
      parts.timeline.setSegments(segments);
      showFailure();
      showSegment();
    } catch { /* Tried again at the next change. */ }
  };

  const refreshSegments = () => {
    const next = JSON.stringify(job.segments) + job.framesRendered;
    if (next === counts) return;
    const { pending, leased, completed, failed } = job.segments;
    // A job that follows a recording gets more segments.
    const isReset = segments.length > 0 &&
      (completed < segments.filter((segment) => segment.state === "completed").length ||
        pending + leased + completed + failed !== segments.length);
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
      preview = jobPreview(id, (time) => parts.timeline.setPlayhead(time));
    parts = {
      title,
      state,
      actions,
      trouble,
      facts,
      preview,
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
          ...preview.nodes,
          h("section", {}, h("h2", {}, "At a glance"), facts),
        ),
      ),
    );
  };

  let shownActions = "", shownTrouble = "";
  const show = () => {
    setText(parts.title, job.name);
    const actionsKey = `${job.state}${suits.cancel(job)}${job.priority}${job.output !== undefined}`;
    if (actionsKey !== shownActions) {
      shownActions = actionsKey;
      fill(parts.state, h("span", { class: "pill" }, jobState(job.state)));
      fill(parts.actions, jobActions(job));
    }
    const troubleKey = JSON.stringify([job.failure, job.waitingFor, job.state, job.isFollowing]);
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
    parts.preview.show(job);
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
          parts.preview.close();
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
      parts?.preview.leave();
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
