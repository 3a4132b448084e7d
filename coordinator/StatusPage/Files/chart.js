// A chart of one figure over time: a line over a soft area, with a value where the pointer is.
import { palette } from "./colors.js";
import { h, setText } from "./dom.js";
import { canvasOf } from "./strip.js";
import { moment } from "./time.js";

/** A round number at or above a value, for the top of a scale. */
const roundUp = (value) => {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
};

/** A line without axes, for a figure in a card. */
export const sparkline = (label, color = "done") => {
  let values = [];
  const { node, draw, leave } = canvasOf("sparkline", (context, size) => paintLine(context, size, values, color));
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", label);
  node.hidden = true;
  return {
    node,
    leave,
    update(next, words) {
      values = next;
      node.hidden = false;
      node.setAttribute("aria-label", `${label}: ${words}`);
      draw();
    },
  };
};

const paintLine = (
  context,
  { width, height, scale },
  values,
  color,
  top = Math.max(...values, 1) * 1.1,
  left = 0,
) => {
  const of = palette(), stroke = of[color];
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(left, 0, width, height);
  if (values.length < 2) return;
  const x = (index) => left + index / (values.length - 1) * (width - left),
    y = (value) => height - 1 - value / top * (height - 3);
  context.beginPath();
  values.forEach((value, index) => index === 0 ? context.moveTo(x(0), y(value)) : context.lineTo(x(index), y(value)));
  context.strokeStyle = stroke;
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  context.stroke();
  context.lineTo(width, height);
  context.lineTo(left, height);
  context.closePath();
  context.globalAlpha = 0.14;
  context.fillStyle = stroke;
  context.fill();
  context.globalAlpha = 1;
};

/** A chart with a scale and the time beneath. */
export const chart = (title, color, format) => {
  let values = [], times = [], over;
  const readout = h("span", { class: "number" });
  const { node: canvas, draw, leave } = canvasOf("chart-canvas", (context, size) => {
    const top = roundUp(Math.max(...values, 1)), of = palette();
    paintLine(context, size, values, color, top);
    context.strokeStyle = of.line;
    context.lineWidth = 1;
    context.setLineDash([2, 4]);
    for (const part of [0.5, 1]) {
      const y = Math.round(size.height - 1 - part * (size.height - 3)) + 0.5;
      context.beginPath();
      context.moveTo(0, y);
      context.lineTo(size.width, y);
      context.stroke();
    }
    context.setLineDash([]);
    context.fillStyle = of.muted;
    context.font = `${12 * size.width / canvas.clientWidth}px ${getComputedStyle(canvas).fontFamily}`;
    context.textBaseline = "top";
    context.fillText(format(top), 4, 5);
    if (over === undefined || values.length < 2) return;
    const x = over / (values.length - 1) * size.width;
    context.strokeStyle = of.text;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, size.height);
    context.stroke();
  });
  const say = () => {
    const index = over ?? values.length - 1;
    setText(
      readout,
      values.length === 0 ? "" : `${format(values[index])}${over === undefined ? "" : ` at ${moment(times[index])}`}`,
    );
  };
  const pick = (index) => {
    over = index;
    say();
    draw();
  };
  canvas.setAttribute("role", "slider");
  canvas.tabIndex = 0;
  canvas.addEventListener("pointermove", (event) => {
    const place = event.offsetX / canvas.clientWidth;
    pick(Math.max(0, Math.min(values.length - 1, Math.round(place * (values.length - 1)))));
    label();
  });
  canvas.addEventListener("pointerleave", () => pick(undefined));
  canvas.addEventListener("blur", () => pick(undefined));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || values.length === 0) return;
    event.preventDefault();
    pick(Math.max(0, Math.min(values.length - 1, (over ?? values.length - 1) + step)));
    label();
  });
  const label = () => {
    const index = over ?? values.length - 1;
    canvas.setAttribute("aria-valuenow", Math.max(0, index));
    canvas.setAttribute(
      "aria-valuetext",
      values.length ? `${format(values[index])} at ${moment(times[index])}` : "no data",
    );
  };
  const [from, to] = [h("span"), h("span")];
  canvas.setAttribute("aria-label", title);
  canvas.setAttribute("aria-valuemin", 0);
  return {
    leave,
    node: h(
      "figure",
      { class: "chart card" },
      h("figcaption", {}, h("span", { class: "muted" }, title), readout),
      canvas,
      h("div", { class: "chart-times muted", "aria-hidden": "true" }, from, to),
    ),
    update(next, nextTimes) {
      [values, times] = [next, nextTimes];
      if (over !== undefined && over >= values.length) over = undefined;
      canvas.setAttribute("aria-valuemax", Math.max(0, values.length - 1));
      setText(from, times.length ? moment(times[0]) : "");
      setText(to, "now");
      say();
      label();
      draw();
    },
  };
};
