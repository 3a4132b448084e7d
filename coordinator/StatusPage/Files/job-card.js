// A job in the lists of the farm's view: name, strip, figures, and the one action that it needs.
import { mainAction } from "./actions.js";
import { fill, h, icon, setAttribute, setText } from "./dom.js";
import { address } from "./router.js";
import { jobState, waitingReason } from "./state.js";
import { isFinal, may } from "./store.js";
import { makingOf, strip } from "./strip.js";
import { bytes, count, fps, percent, plural, printable, speed } from "./text.js";
import { clockOf, duration, elapsed, moment } from "./time.js";

/** Owner, length, time of submission, and priority. */
export const meta = (job) =>
  [
    job.submitter,
    job.frameCount && job.frameDuration && !job.isFollowing && `${clockOf(job.frameCount * job.frameDuration)} long`,
    job.finishedAt && isFinal(job) ? `${job.state} ${moment(job.finishedAt)}` : `submitted ${moment(job.createdAt)}`,
    job.priority && `priority ${job.priority}`,
  ].filter(Boolean).join(" · ");

/** Seconds that a job has taken so far, or took. */
export const secondsTaken = (job) =>
  ((job.finishedAt ? new Date(job.finishedAt) : Date.now()) - new Date(job.startedAt ?? job.createdAt)) / 1000;

/** The figures of a job: `[[word, value]]`. */
const figures = (job) => {
  if (job.state === "failed") {
    return [
      job.segments.failed > 0 &&
      [
        "segments",
        `${count(job.segments.failed)} of ${
          count(job.segments.pending + job.segments.leased + job.segments.completed + job.segments.failed)
        } failed`,
      ],
      ["after", duration(secondsTaken(job))],
    ].filter(Boolean);
  }
  if (job.state === "completed") {
    return [
      job.output && ["size", bytes(job.output.byteCount)],
      ["took", duration(secondsTaken(job))],
    ].filter(Boolean);
  }
  if (job.state === "rendering" && (job.framesRendered > 0 || job.segments.leased > 0)) {
    return [
      job.isFollowing ? ["frames", count(job.framesRendered)] : ["progress", progressOf(job)],
      [
        "speed",
        job.framesPerSecond === undefined
          ? "–"
          : job.frameDuration
          ? speed(job.framesPerSecond, job.frameDuration)
          : fps(job.framesPerSecond),
      ],
      ["left", job.secondsRemaining === undefined ? "–" : elapsed(job.secondsRemaining)],
      ["elapsed", elapsed(secondsTaken(job))],
    ];
  }
  return [["waited", elapsed((Date.now() - new Date(job.createdAt)) / 1000)]];
};

/** The line beneath the strip. */
const notes = (job) => {
  if (job.failure) {
    const first = job.failure.message.split("\n")[0];
    return h(
      "div",
      { class: "trouble" },
      h("span", { class: "pill bad", dir: "auto" }, icon("failed"), h("span", {}, first)),
    );
  }
  if (job.state === "rendering" && !job.waitingFor && job.framesRendered + job.segments.leased > 0) {
    return [
      job.isFollowing
        ? `${count(job.framesRendered)} frames so far (following a recording)`
        : `${count(job.framesRendered)} of ${count(job.frameCount ?? 0)} frames`,
      job.framesPerSecond !== undefined && fps(job.framesPerSecond),
      makingOf(job).includes("frames") ? undefined : makingOf(job),
    ].filter(Boolean).join(" · ");
  }
  if (job.waitingFor) {
    return h("span", { class: "pill warn", dir: "auto" }, icon("warning"), h("span", {}, waitingReason(job)));
  }
  if (isFinal(job)) {
    return job.state === "cancelled" ? "Cancelled. A retry continues with the rendered segments." : makingOf(job);
  }
  return waitingReason(job);
};

/** The card of a job. */
export const jobCard = (job) => {
  const name = h("a", { class: "name", dir: "auto", href: address("jobs", job.id) }),
    about = h("p", { class: "muted line" });
  const state = h("span"), drawing = strip(), note = h("div", { class: "note muted" });
  const facts = h("dl", { class: "figures" }), action = h("div", { class: "card-actions" });
  const node = h(
    "li",
    { class: "card job" },
    h("div", { class: "job-name" }, h("h3", {}, name), about),
    h("div", { class: "job-strip" }, drawing.node, note),
    facts,
    h("div", { class: "job-state" }, state),
    action,
  );
  let shownNote, shownAction, shownFacts;
  const tick = () => {
    const next = JSON.stringify(figures(job));
    if (next === shownFacts) return;
    shownFacts = next;
    fill(
      facts,
      figures(job).map(([word, value]) => h("div", {}, h("dt", {}, word), h("dd", { class: "number" }, value))),
    );
  };
  return {
    node,
    leave: drawing.leave,
    update(next) {
      job = next;
      setText(name, job.name);
      setAttribute(name, "title", job.name);
      setText(about, meta(job));
      drawing.update(job);
      setAttribute(node, "data-state", job.state);
      const noteNow = notes(job), key = typeof noteNow === "string" ? noteNow : noteNow.textContent;
      if (key !== shownNote) {
        shownNote = key;
        fill(note, noteNow);
      }
      const actionNow = `${job.state}${may("job", job)}${job.output !== undefined}`;
      if (actionNow !== shownAction) {
        shownAction = actionNow;
        fill(action, mainAction(job));
        fill(state, jobState(job.state));
      }
      tick();
    },
  };
};

/** The share of a job's frames that are rendered, or their number if more are being recorded. */
export const progressOf = (job) =>
  job.isFollowing ? plural(job.framesRendered, "frame") : percent(job.framesRendered, job.frameCount);

/** The title of a browser's tab for a job. */
export const titleOf = (job) =>
  printable(
    isFinal(job)
      ? `${job.name}: ${job.state}`
      : job.frameCount
      ? `${progressOf(job)} · ${job.name}`
      : `${job.name}: ${job.state}`,
  );
