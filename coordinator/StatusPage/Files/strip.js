// The strip: a job drawn as its own segments, to scale.
import { fillOf, onColors, palette } from "./colors.js";
import { h } from "./dom.js";
import { count, share } from "./text.js";

/** The states of segments in the order of the legend, by their letters in a strip. */
export const states = { c: "copied", u: "reused", e: "encoded", r: "rendering", w: "waiting", f: "failed" };
// What lies above in a column of pixels that several segments share.
const layers = ["w", "c", "u", "e", "r", "f"];

/** The runs of a strip's text: `[{letter, first, end, progress}]`. */
export const parseStrip = (text) => {
  const runs = [];
  let first = 0;
  for (const part of (text ?? "").split(",")) {
    const frames = Number(part.slice(1));
    if (!(part[0] in states) || !(frames > 0)) continue;
    runs.push({ letter: part[0], first, end: first + frames });
    first += frames;
  }
  return runs;
};

/** The runs of a job. From a coordinator that does not draw them, a share for each state. */
export const runsOf = (job) => {
  const runs = parseStrip(job.strip);
  const total = runs.length > 0 ? runs[runs.length - 1].end : 0;
  if (total === 0) {
    const { completed = 0, leased = 0, failed = 0, pending = 0 } = job.segments ?? {};
    return parseStrip(
      [["e", completed], ["r", leased], ["f", failed], ["w", pending]].map(([letter, n]) => letter + n).join(),
    );
  }
  // The part of the leased segments that is rendered, on average.
  let leased = 0, done = 0;
  for (const run of runs) {
    if (run.letter === "r") leased += run.end - run.first;
    if ("cue".includes(run.letter)) done += run.end - run.first;
  }
  const progress = leased > 0 ? Math.max(0, Math.min(1, (job.framesRendered - done) / leased)) : 0;
  for (const run of runs) if (run.letter === "r") run.progress = progress;
  return runs;
};

/** The state of a segment as a letter. */
export const letterOf = (segment) =>
  segment.state === "failed"
    ? "f"
    : segment.state === "leased"
    ? "r"
    : segment.state === "pending"
    ? "w"
    : segment.isReused
    ? "u"
    : segment.kind === "copied"
    ? "c"
    : "e";

/** Draws runs from `from` to `to` (in frames) over the width of a canvas. */
export const drawRuns = (context, runs, { width, height, scale, from, to, selected }) => {
  const of = palette(), toX = (frame) => (frame - from) / (to - from) * width;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  const snap = (x) => Math.round(x * scale) / scale;
  for (const layer of layers) {
    for (const run of runs) {
      if (run.letter !== layer || run.end <= from || run.first >= to) continue;
      const left = snap(Math.max(-2, toX(run.first)));
      let right = snap(Math.min(width + 2, toX(run.end)));
      const isSmall = right - left < 3;
      if (layer === "f" || layer === "r") right = Math.max(right, left + 2.5);
      // Neighbors are told apart by a gap, if there is room for one.
      const gap = isSmall ? 0 : 1;
      if (layer === "r") {
        context.fillStyle = of.wait;
        context.fillRect(left, 0, right - left - gap, height);
        context.fillStyle = of.busy;
        context.fillRect(left, 0, right - left - gap, 3);
        context.fillRect(left, 0, Math.max(1.5, (right - left - gap) * (run.progress ?? 0)), height);
      } else {
        context.fillStyle = fillOf(layer, context, scale);
        context.fillRect(left, 0, Math.max(right - left - gap, 1 / scale), height);
      }
      if (layer === "f" && right - left >= 9) {
        const x = (left + right - gap) / 2, y = height / 2, r = 3;
        context.strokeStyle = of["on-bad"];
        context.lineWidth = 1.6;
        context.beginPath();
        context.moveTo(x - r, y - r);
        context.lineTo(x + r, y + r);
        context.moveTo(x + r, y - r);
        context.lineTo(x - r, y + r);
        context.stroke();
      }
      if (run === selected) {
        context.strokeStyle = of.text;
        context.lineWidth = 2;
        const wide = Math.max(right - left - gap, 8);
        context.strokeRect((left + right - gap - wide) / 2 + 1, 1, wide - 2, height - 2);
      }
    }
  }
};

const drawn = new WeakMap();
const resizes = new ResizeObserver((entries) => {
  for (const entry of entries) drawn.get(entry.target)?.();
});

/** A canvas that is redrawn when its size, the theme or its data change. `paint(context, {width, height, scale})`. */
export const canvasOf = (className, paint) => {
  const node = h("canvas", { class: className });
  const context = node.getContext("2d");
  const draw = () => {
    const { clientWidth: width, clientHeight: height } = node, scale = Math.min(devicePixelRatio || 1, 3);
    if (width === 0) return;
    const [columns, rows] = [Math.round(width * scale), Math.round(height * scale)];
    if (node.width !== columns || node.height !== rows) [node.width, node.height] = [columns, rows];
    paint(context, { width, height, scale });
  };
  drawn.set(node, draw);
  resizes.observe(node);
  return { node, draw, leave: () => resizes.unobserve(node) };
};
onColors(() => {
  for (const canvas of document.querySelectorAll("canvas")) drawn.get(canvas)?.();
});

/** The strip of a job in a list. */
export const strip = () => {
  let runs = [], total = 1, shown;
  const { node, draw, leave } = canvasOf("strip", (context, size) => {
    drawRuns(context, runs, { ...size, from: 0, to: total });
  });
  node.setAttribute("role", "img");
  return {
    node,
    leave,
    update(job) {
      const key = `${job.strip}|${job.framesRendered}|${JSON.stringify(job.segments)}`;
      if (key === shown) return;
      shown = key;
      runs = runsOf(job);
      total = runs.length > 0 ? runs[runs.length - 1].end : 1;
      node.classList.toggle("unplanned", runs.length === 0);
      node.setAttribute("aria-label", describe(runs, total));
      draw();
    },
  };
};

/** A strip in words: "61 % copied, 4 % rendering, 35 % waiting". */
export const describe = (runs, total) => {
  const sums = {};
  for (const { letter, first, end } of runs) sums[letter] = (sums[letter] ?? 0) + end - first;
  return runs.length === 0
    ? "not planned yet"
    : Object.keys(states).filter((letter) => sums[letter]).map((letter) =>
      `${share(sums[letter], total)} ${states[letter]}`
    ).join(", ");
};

/** The legend of the strip, which shows each pattern with its word. */
export const legend = () =>
  h(
    "ul",
    { class: "legend", "aria-label": "Legend" },
    Object.entries(states).map(([letter, word]) => {
      const swatch = canvasOf("swatch", (context, size) =>
        drawRuns(context, [{ letter, first: 0, end: 1, progress: 0.6 }], {
          ...size,
          width: size.width + 1,
          from: 0,
          to: 1,
        }));
      swatch.node.setAttribute("aria-hidden", "true");
      return h("li", {}, swatch.node, word);
    }),
  );

/** What was copied, reused and encoded: "61 % copied · 22 % reused · 17 % encoded". */
export const makingOf = (job) => {
  const parts = [["framesCopied", "copied"], ["framesReused", "reused"], ["framesEncoded", "encoded"]]
    .filter(([key]) => job[key] > 0).map(([key, word]) => `${share(job[key], job.frameCount)} ${word}`);
  if (parts.length > 0) return parts.join(" · ");
  return job.frameCount === undefined ? "" : `${count(job.frameCount)} frames`;
};

/** The number of frames at the start that are finished without a gap. */
export const playable = (job) => {
  let end = 0;
  for (const run of parseStrip(job.strip)) {
    if (!"cue".includes(run.letter)) break;
    end = run.end;
  }
  return end;
};
