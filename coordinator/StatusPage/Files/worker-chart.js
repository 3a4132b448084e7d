// Workers over time: a line for each worker, and a bar for each attempt that it made of a job's segments.
import { getList } from "./api.js";
import { palette } from "./colors.js";
import { h, setText } from "./dom.js";
import { canvasOf } from "./strip.js";
import { plural, share } from "./text.js";
import { duration, preciseTime } from "./time.js";

const rowHeight = 22, mostPages = 20;

/** Loads a job's attempts, and draws them. */
export const workerChart = async (id) => {
  const attempts = [];
  for (let page = 0; page < mostPages; page++) {
    const part = await getList(`/jobs/${id}/attempts?limit=1000&after=${1000 * page}`);
    // An earlier version of the coordinator did not record times.
    attempts.push(...part.filter((each) => each.startedAt && (each.endedAt || !each.outcome)));
    if (part.length < 1000) break;
  }
  if (attempts.length === 0) return h("p", { class: "muted" }, "No attempts yet.");
  const times = attempts.map(
    (each) => [Date.parse(each.startedAt), each.endedAt ? Date.parse(each.endedAt) : Date.now()],
  );
  const from = Math.min(...times.map((each) => each[0])), to = Math.max(...times.map((each) => each[1]), from + 1);
  const workers = [...new Map(attempts.map((each) => [each.workerID ?? each.worker, each.worker])).entries()]
    .sort((a, b) => a[1].localeCompare(b[1], "en", { numeric: true }));
  const busy = new Map(workers.map(([key]) => [key, 0]));
  attempts.forEach((each, index) => {
    const key = each.workerID ?? each.worker;
    busy.set(key, busy.get(key) + times[index][1] - times[index][0]);
  });
  const rows = new Map(workers.map(([key], index) => [key, index]));
  const hint = h("p", { class: "muted small hint" });
  const { node: canvas } = canvasOf("gantt", (context, { width, height, scale }) => {
    const of = palette(), x = (time) => (time - from) / (to - from) * width;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.fillStyle = of.line;
    for (let row = 0; row < workers.length; row++) context.fillRect(0, row * rowHeight + rowHeight - 1, width, 1);
    attempts.forEach((each, index) => {
      const [start, end] = times[index],
        top = rows.get(each.workerID ?? each.worker) * rowHeight + 4,
        isBad = each.outcome && each.outcome !== "completed";
      context.fillStyle = isBad ? of.bad : each.outcome ? of.done : of.busy;
      const left = x(start), length = Math.max(1, x(end) - left - 0.5);
      context.globalAlpha = 0.8;
      context.fillRect(left, isBad ? top - 2 : top, length, isBad ? rowHeight - 5 : rowHeight - 9);
      context.globalAlpha = 1;
    });
  });
  canvas.style.height = `${workers.length * rowHeight}px`;
  canvas.setAttribute("role", "img");
  canvas.setAttribute(
    "aria-label",
    `${plural(attempts.length, "attempt")} of ${plural(workers.length, "worker")} over ${
      duration((to - from) / 1000)
    }. ` +
      workers.slice(0, 10).map(([key, name]) => `${name} was busy ${share(busy.get(key), to - from)}`).join(", "),
  );
  canvas.addEventListener("pointermove", (event) => {
    const row = Math.floor(event.offsetY / rowHeight), time = from + event.offsetX / canvas.clientWidth * (to - from);
    const index = attempts.findIndex((each, place) =>
      rows.get(each.workerID ?? each.worker) === row && times[place][0] <= time && time <= times[place][1]
    );
    setText(
      hint,
      index < 0
        ? ""
        : `${attempts[index].worker} · segment ${attempts[index].segment} · ${
          preciseTime(attempts[index].startedAt)
        } · ${duration((times[index][1] - times[index][0]) / 1000)} · ${attempts[index].outcome ?? "running"}`,
    );
  });
  return h(
    "div",
    { class: "gantt-grid" },
    h(
      "ul",
      { class: "gantt-names" },
      workers.map(([, name]) => h("li", { class: "line", dir: "auto", title: name }, name)),
    ),
    canvas,
    h(
      "div",
      { class: "chart-times muted small" },
      h("span", {}, preciseTime(new Date(from)).slice(0, 8)),
      h("span", {}, preciseTime(new Date(to)).slice(0, 8)),
    ),
    hint,
  );
};
