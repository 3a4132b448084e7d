// The colors and patterns of canvases, read from the style sheet so that light and dark are defined once.
const names = [
  "done",
  "done-light",
  "reused",
  "reused-light",
  "busy",
  "wait",
  "bad",
  "on-bad",
  "card",
  "line",
  "text",
  "muted",
  "accent",
];
let colors, patterns = {}, probe;
const listeners = new Set();

const read = () => {
  probe ??= Object.assign(document.createElement("span"), { hidden: true });
  document.body.append(probe);
  const found = {};
  for (const name of names) {
    probe.style.color = `var(--${name})`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return found;
};

/** The colors by their names in the style sheet. */
export const palette = () => colors ??= read();

/** Calls a function when the colors change. */
export const onColors = (listener) => listeners.add(listener);

/** Forgets the colors, such as when the user chooses another theme. */
export const colorsChanged = () => {
  colors = undefined;
  patterns = {};
  for (const listener of listeners) listener();
};
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", colorsChanged);

/** Draws a tile of 8 × 8 pixels of the page. */
const tile = (context, scale, draw) => {
  const canvas = new OffscreenCanvas(8 * scale, 8 * scale), tiled = canvas.getContext("2d");
  tiled.scale(scale, scale);
  draw(tiled, palette());
  return context.createPattern(canvas, "repeat");
};

const tiles = {
  // Copied: diagonal lines.
  c: (on, of) => {
    on.fillStyle = of.done;
    on.fillRect(0, 0, 8, 8);
    on.strokeStyle = of["done-light"];
    on.lineWidth = 2.6;
    on.beginPath();
    for (const x of [-8, 0, 8]) {
      on.moveTo(x - 1, 9);
      on.lineTo(x + 9, -1);
    }
    on.stroke();
  },
  // Reused: dots.
  u: (on, of) => {
    on.fillStyle = of.reused;
    on.fillRect(0, 0, 8, 8);
    on.fillStyle = of["reused-light"];
    for (const [x, y] of [[2, 2], [6, 6]]) {
      on.beginPath();
      on.arc(x, y, 1.1, 0, 7);
      on.fill();
    }
  },
};

/** The fill of a state of a segment: a letter of a strip. */
export const fillOf = (letter, context, scale) => {
  const of = palette();
  if (tiles[letter]) return patterns[letter + scale] ??= tile(context, scale, tiles[letter]);
  return { w: of.wait, r: of.busy, e: of.done, f: of.bad }[letter];
};
