// What lies beneath a job's timeline: its segments, workers over time, and its project and plan as text.
import { get, getText } from "./api.js";
import { button, fill, h, keyed, setText } from "./dom.js";
import { getList } from "./api.js";
import { count, percent, printableLines } from "./text.js";
import { timecode } from "./time.js";
import { workerChart } from "./worker-chart.js";
import { say } from "./talk.js";

const shownSegments = 200;

/** The tabs. `pick(index)` shows a segment. */
export const documents = (id, job, pick) => {
  const body = h("div", { class: "tab-body", role: "tabpanel", id: "tab-body", tabindex: 0 });
  const tabs = [
    ["who", "Delivered by", () => delivered(id)],
    ["workers", "Workers over time", () => workerChart(id)],
    ["project", "Project", () => text(id, "project")],
    ["plan", "Plan", () => plan(id, job(), pick)],
  ];
  let open, turn = 0;
  const show = async (key) => {
    const mine = ++turn;
    open = open === key ? undefined : key;
    buttons.forEach((each) => each.setAttribute("aria-selected", each.dataset.tab === open));
    body.hidden = open === undefined;
    if (open === undefined) return fill(body);
    fill(body, h("p", { class: "muted" }, "Loading…"));
    let content;
    try {
      content = await tabs.find((each) => each[0] === key)[2]();
    } catch (problem) {
      content = h(
        "p",
        { class: "muted" },
        problem.status === 404
          ? "It does not exist yet, or is no longer stored."
          : `Could not load it: ${problem.detail ?? problem.message}`,
      );
    }
    if (mine === turn) fill(body, content);
  };
  const buttons = tabs.map(([key, word]) =>
    button(word, () => show(key), {
      class: "choice",
      role: "tab",
      "data-tab": key,
      "aria-selected": "false",
      "aria-controls": "tab-body",
    })
  );
  body.hidden = true;
  const node = h(
    "section",
    { class: "documents" },
    h("div", { class: "choices", role: "tablist", "aria-label": "More about the job" }, buttons),
    body,
  );
  return { node, update() {} };
};

/** Which worker delivered which segments. */
const delivered = async (id) => {
  const found = new Map();
  for (let after = "", part;; after = `&after=${part.at(-1).index}`) {
    part = await getList(`/jobs/${id}/segments?limit=1000${after}`);
    for (const { index, state, delivery } of part) {
      if (!delivery && state !== "completed") continue;
      const who = delivery
        ? delivery.worker + (delivery.token === undefined ? "" : ` (token ${delivery.token})`)
        : "not recorded";
      if (found.has(who)) found.get(who).push(index);
      else found.set(who, [index]);
    }
    if (part.length < 1000) break;
  }
  return found.size === 0 ? h("p", { class: "muted" }, "No chunks yet.") : h(
    "dl",
    { class: "facts delivered", id: "deliveries" },
    [...found].map(([who, indexes]) =>
      h(
        "div",
        {},
        h("dt", { dir: "auto" }, who),
        h("dd", { class: "number" }, `${indexes.length > 1 ? "segments" : "segment"} ${ranges(indexes)}`),
      )
    ),
  );
};

const ranges = (indexes) => {
  const parts = [];
  for (const index of indexes) {
    const last = parts.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else parts.push([index, index]);
  }
  return parts.map(([first, last]) => first === last ? first : `${first}–${last}`).join(", ");
};

const text = async (id, name) => {
  const content = await getText(`/jobs/${id}/${name}`);
  let shown = content;
  try {
    shown = JSON.stringify(JSON.parse(content), null, 2);
  } catch { /* Shown as it is. */ }
  const pre = Object.assign(h("pre", { class: "code", tabindex: 0, "aria-label": name, dir: "auto" }), {
    textContent: printableLines(shown),
  });
  return h(
    "div",
    { class: "document" },
    h(
      "div",
      { class: "actions" },
      button("Copy", async () => {
        try {
          await navigator.clipboard.writeText(content);
          say("Copied.");
        } catch {
          say("The browser does not allow copying here.", { isProblem: true });
        }
      }),
      h(
        "a",
        { class: "button", href: `/api/v1/jobs/${encodeURIComponent(id)}/${name}`, download: `${name}.json` },
        "Save",
      ),
    ),
    pre,
  );
};

const plan = async (id, job, pick) => {
  const answer = await get(`/jobs/${id}/plan`), segments = Array.isArray(answer) ? answer : answer.segments ?? [];
  const fd = job.frameDuration ?? 1;
  let shown = shownSegments;
  const body = h("tbody"),
    more = button("", () => {
      shown += 1000;
      draw();
    }),
    rows = keyed((segment) => {
      const node = h(
        "tr",
        {},
        h(
          "td",
          { class: "number" },
          button(String(segment.index), () => pick(segment.index), {
            class: "link",
            "aria-label": `Segment ${segment.index}`,
          }),
        ),
        h("td", { class: "number" }, timecode(segment.first, fd)),
        h("td", { class: "end number" }, count(segment.end - segment.first)),
        h("td", {}, segment.kind ?? ""),
        h("td", { class: "end number" }, segment.cost === undefined ? "" : percent(segment.cost, total)),
        h("td", {}, h("code", { title: segment.contentKey }, (segment.contentKey ?? "").slice(0, 12))),
      );
      return { node, update() {} };
    }, (segment) => segment.index);
  const total = segments.reduce((sum, each) => sum + (each.cost ?? 0), 0);
  const draw = () => {
    rows.show(body, segments.slice(0, shown));
    more.hidden = segments.length <= shown;
    setText(more, `Show more (${count(segments.length - shown)} left)`);
  };
  draw();
  return h(
    "div",
    { class: "document" },
    h(
      "div",
      { class: "actions" },
      h("a", { class: "button", href: `/api/v1/jobs/${encodeURIComponent(id)}/plan`, download: "plan.json" }, "Save"),
    ),
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
            [["Segment"], ["Start"], ["Frames", 1], ["Kind"], ["Cost", 1], ["Content key"]].map(([word, end]) =>
              h("th", { scope: "col", class: end && "end" }, word)
            ),
          ),
        ),
        body,
      ),
    ),
    more,
  );
};
