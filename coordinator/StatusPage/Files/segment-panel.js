// What happened to one segment: its attempts, their workers, times, logs and errors.
import { get, getIfAny } from "./api.js";
import { button, fill, h, icon } from "./dom.js";
import { address } from "./router.js";
import { letterOf, states } from "./strip.js";
import { bytes, count, percent, plural, printableLines } from "./text.js";
import { duration, preciseTime, timecode } from "./time.js";

/** How an attempt ended, in words. */
const outcomes = {
  completed: "completed",
  failed: "failed",
  expired: "lease expired",
  givenBack: "given back",
  "given-back": "given back",
  returned: "given back",
  cancelled: "cancelled",
  superseded: "another copy was faster",
  lost: "worker lost",
  stale: "delivered too late",
};

/** The panel. `pick(index)` shows another segment, or none. */
export const segmentPanel = (pick) => {
  const node = h("section", { class: "segment", id: "segment", tabindex: -1, hidden: true, "aria-live": "off" });
  let shown, turn = 0;
  const openLogs = new Set();

  const load = async (job, segment, total, failed) => {
    const mine = ++turn;
    const path = `/jobs/${job.id}/segments/${segment.index}`;
    let attempts, problem;
    try {
      attempts = await getIfAny(`${path}/attempts`);
    } catch (error) {
      problem = error;
    }
    if (mine !== turn || !shown) return;
    draw(job, segment, total, failed, attempts, problem);
  };

  const draw = (job, segment, total, failed, attempts, problem) => {
    const from = timecode(segment.first, job.frameDuration),
      to = timecode(segment.end, job.frameDuration),
      state = states[letterOf(segment)];
    const others = failed.filter((index) => index !== segment.index);
    const next = others.find((index) => index > segment.index) ?? others[0];
    fill(
      node,
      h(
        "div",
        { class: "section-head" },
        h(
          "h2",
          {},
          `Segment ${segment.index} · ${from} to ${to}${
            segment.kind && segment.kind !== state ? ` · ${segment.kind}` : ""
          }`,
        ),
        h(
          "div",
          { class: "actions" },
          next !== undefined && button(`Next failed (${count(others.length)})`, () => pick(next)),
          button(icon("up"), () => pick(segment.index - 1), {
            class: "quiet square rotate",
            "aria-label": "Previous segment",
            disabled: segment.index === 0,
          }),
          button(icon("down"), () => pick(segment.index + 1), {
            class: "quiet square rotate",
            "aria-label": "Next segment",
            disabled: segment.index >= total - 1,
          }),
          button(icon("close"), () => pick(undefined), { class: "quiet square", "aria-label": "Close the segment" }),
        ),
      ),
      h(
        "p",
        { class: "muted", dir: "auto" },
        [
          (state === "rendering"
            ? `rendering ${percent(segment.framesRendered, segment.end - segment.first)}`
            : state) +
          (!segment.reason
            ? ""
            : state === "encoded"
            ? ` because ${segment.reason}`
            : ` · encoded because ${segment.reason}`),
          plural(segment.end - segment.first, "frame"),
          segment.memory && `${bytes(segment.memory)} of memory`,
          segment.isUnderAudit && "held for an audit",
          segment.delivery &&
          `delivered by ${segment.delivery.worker}${
            segment.delivery.token ? ` (token ${segment.delivery.token})` : ""
          }`,
          segment.copyWorker && `also rendered by ${segment.copyWorker}`,
        ].filter(Boolean).join(" · "),
      ),
      problem ? h("p", { class: "problem-text" }, problem.detail) : attempts === undefined
        ? h(
          "p",
          { class: "muted" },
          `${plural(segment.attempts, "attempt")}${segment.worker ? `, the last by ${segment.worker}` : ""}.`,
        )
        : attempts.length === 0
        ? h(
          "p",
          { class: "muted" },
          segment.isReused ? "Its chunk comes from an earlier job or an identical segment." : "No attempts yet.",
        )
        : table(attempts),
    );
  };

  const table = (attempts) =>
    h(
      "div",
      { class: "scroll-x" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Attempt", "Worker", "Started", "Took", "Frames", "Result"].map((word, index) =>
              h("th", {
                scope: "col",
                class: [undefined, undefined, "phone-hidden", "end", "end phone-hidden"][index],
              }, word)
            ),
          ),
        ),
        h("tbody", {}, attempts.map(attemptRows)),
      ),
    );

  const attemptRows = (attempt) => {
    const key = `${shown.job}/${shown.index}/${attempt.number}`;
    // An earlier version of the coordinator did not record times.
    const took = attempt.startedAt && (attempt.endedAt || !attempt.outcome)
      ? ((attempt.endedAt ? new Date(attempt.endedAt) : new Date()) - new Date(attempt.startedAt)) / 1000
      : undefined;
    const isBad = attempt.outcome === "failed" || attempt.outcome === "expired";
    const text = attempt.log ?? "", id = `log-${attempt.number}`;
    const result = attempt.outcome ? outcomes[attempt.outcome] ?? attempt.outcome : "running";
    const log = (text || attempt.message) &&
      h(
        "tr",
        { class: "log-row", id, hidden: !openLogs.has(key) },
        h(
          "td",
          { colspan: 6 },
          h(
            "div",
            { class: "log-parts" },
            attempt.message &&
              Object.assign(h("p", { class: "problem-text", dir: "auto" }), {
                textContent: printableLines(attempt.message) + (attempt.code ? ` (${attempt.code})` : ""),
              }),
            text &&
              Object.assign(
                h("pre", { class: "code log", tabindex: 0, "aria-label": `Log of attempt ${attempt.number}` }),
                { textContent: printableLines(text) },
              ),
          ),
        ),
      );
    const toggle = log && button("Log", () => {
      log.hidden = !log.hidden;
      toggle.setAttribute("aria-expanded", !log.hidden);
      log.hidden ? openLogs.delete(key) : openLogs.add(key);
    }, {
      class: "link",
      "aria-expanded": String(!log.hidden),
      "aria-controls": id,
      "aria-label": `Log of attempt ${attempt.number}`,
    });
    return [
      h(
        "tr",
        {},
        h("td", { class: "number" }, `${attempt.number}${attempt.isCopy ? " (copy)" : ""}`),
        h("td", { dir: "auto" }, attempt.worker),
        h("td", { class: "number phone-hidden" }, preciseTime(attempt.startedAt)),
        h("td", { class: "end number" }, duration(took)),
        h(
          "td",
          { class: "end number phone-hidden" },
          attempt.framesRendered === undefined
            ? count(attempt.frameCount)
            : `${count(attempt.framesRendered)} of ${count(attempt.frameCount)}`,
        ),
        h(
          "td",
          {},
          h(
            "span",
            { class: `state-label ${isBad ? "failed" : result === "completed" ? "completed" : ""}` },
            icon(isBad ? "failed" : result === "completed" ? "completed" : "rendering"),
            result,
          ),
          " ",
          toggle,
        ),
      ),
      log,
    ];
  };

  return {
    node,
    /** Shows a segment of a job, or hides the panel. */
    async show(job, index, segments) {
      if (index === undefined) {
        shown = undefined;
        node.hidden = true;
        return;
      }
      node.hidden = false;
      let segment = segments[index];
      const isSame = shown?.index === index && shown.job === job.id;
      const key = JSON.stringify(segment);
      if (isSame && shown.key === key) return;
      if (!isSame) openLogs.clear();
      shown = { index, job: job.id, key };
      if (!segment) {
        try {
          segment = await get(`/jobs/${job.id}/segments/${index}`);
        } catch {
          return fill(
            node,
            h(
              "p",
              { class: "muted" },
              `There is no segment ${index}. `,
              h("a", { href: address("jobs", job.id) }, "Show the job"),
            ),
          );
        }
      }
      const failed = segments.filter((each) => each.state === "failed").map((each) => each.index);
      // The log of the last failure is what most people come for.
      if (!isSame && segment.state === "failed") openLogs.add(`${job.id}/${index}/${segment.attempts}`);
      await load(job, segment, segments.length, failed);
    },
  };
};
