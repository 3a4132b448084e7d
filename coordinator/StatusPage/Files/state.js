// How states are shown: always with an icon and a word, never by color alone.
import { h, icon } from "./dom.js";
import { plural } from "./text.js";

/** The state of a job as an icon and a word. */
export const jobState = (state) => h("span", { class: `state-label ${state}` }, icon(state), state);

/** The words for a worker's state. */
export const workerStates = {
  active: "active",
  draining: "draining",
  setAside: "set aside",
  distrusted: "distrusted",
  lost: "lost",
};
const workerIcons = { draining: "down", setAside: "queued", distrusted: "warning", lost: "failed" };

/** The state of a worker as an icon and a word. */
export const workerState = (worker) => {
  const isIdle = worker.state === "active" && worker.leases === 0;
  return h(
    "span",
    { class: `state-label ${isIdle ? "idle" : worker.state}` },
    icon(worker.state === "active" ? (isIdle ? "queued" : "rendering") : workerIcons[worker.state]),
    isIdle ? "idle" : workerStates[worker.state] ?? worker.state,
  );
};

/** Why a job waits, or that it follows a recording. */
export const waitingReason = (job) => {
  if (job.waitingFor) return `Waiting for ${job.waitingFor}`;
  if (job.isFollowing) {
    return job.state === "planning"
      ? "Waiting until more is recorded"
      : "Rendering the recording as it arrives";
  }
  if (job.state === "planning") return "Reading its media and planning";
  if (job.state === "assembling") return "Joining the chunks into one file";
  if (job.position) {
    return job.position === 1 ? "Next in the queue" : `${plural(job.position - 1, "job")} ahead in the queue`;
  }
  if (job.state === "queued") return "Waiting for its turn to be planned";
  if (job.segments?.leased === 0 && job.segments?.pending > 0) return "Waiting for a free worker";
  return "";
};

/** A state of a part of a view: what it is, and what to do next. */
export const emptyState = (iconName, title, text, ...actions) => stateOf("h2", iconName, title, text, actions);
/** The same for a whole view. */
export const wholeState = (iconName, title, text, ...actions) =>
  h("div", { class: "page" }, stateOf("h1", iconName, title, text, actions));

const stateOf = (heading, iconName, title, text, actions) => {
  const shown = actions.filter(Boolean);
  return h(
    "div",
    { class: "state" },
    icon(iconName),
    h(heading, {}, title),
    h("p", { class: "muted" }, text),
    shown.length > 0 && h("div", { class: "actions" }, shown),
  );
};

/** A view that is loading: quiet shapes of what will come. */
export const loading = () =>
  h(
    "div",
    { class: "loading", role: "status" },
    h("span", { class: "hidden-text" }, "Loading"),
    ["", "", ""].map(() => h("div", { class: "card ghost" })),
  );
