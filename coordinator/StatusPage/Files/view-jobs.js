// All jobs: filter, sort, search, select, act. Only the rows in view have elements.
import { cancel, remove, retry, setPriority, suits } from "./actions.js";
import { button, fill, h, setAttribute, setText } from "./dom.js";
import { loadOlder } from "./live.js";
import { virtualList } from "./list.js";
import { address, route, setQuery } from "./router.js";
import { Selection } from "./selection.js";
import { emptyState, jobState, loading, waitingReason } from "./state.js";
import { isFinal, isWorking, may, newestFirst, store } from "./store.js";
import { strip } from "./strip.js";
import { announce, attempt } from "./talk.js";
import { bytes, count, plural, speed } from "./text.js";
import { duration, elapsed, moment } from "./time.js";
import { progressOf, secondsTaken } from "./job-card.js";

const filters = {
  "": ["All", () => true],
  rendering: ["Rendering", (job) => isWorking(job) && job.state !== "planning"],
  waiting: ["Waiting", (job) => job.state === "queued" || job.state === "planning"],
  completed: ["Completed", (job) => job.state === "completed"],
  failed: ["Failed", (job) => job.state === "failed"],
  cancelled: ["Cancelled", (job) => job.state === "cancelled"],
};
const progress = (job) =>
  job.state === "completed" ? 1 : job.frameCount && !job.isFollowing ? job.framesRendered / job.frameCount : 0;
const order = ["failed", "rendering", "assembling", "planning", "queued", "completed", "cancelled"];

/** The columns: a key, its word, how to compare, and whether it is hidden on narrow screens. */
const columns = [
  ["name", "Job", (a, b) => a.name.localeCompare(b.name, "en", { numeric: true })],
  ["state", "State", (a, b) => order.indexOf(a.state) - order.indexOf(b.state)],
  ["", "Segments"],
  ["progress", "Progress", (a, b) => progress(b) - progress(a), "end"],
  ["speed", "Speed", (a, b) => (b.framesPerSecond ?? -1) - (a.framesPerSecond ?? -1), "end wide"],
  ["left", "Time", (a, b) => (a.secondsRemaining ?? 1e12) - (b.secondsRemaining ?? 1e12), "end"],
  ["submitted", "Submitted", () => 0, "end wide"],
  ["priority", "Priority", (a, b) => (b.priority ?? 0) - (a.priority ?? 0), "end wide"],
];

export const jobsView = () => {
  const { query } = route();
  let state = query.get("state") ?? "",
    text = query.get("q") ?? "",
    sort = query.get("sort") ?? "submitted",
    isReversed = query.has("reverse");
  let shown = [];
  const canSelect = () => may("job");
  const selection = new Selection(() => {
    showBulk();
    list.update(shown);
  });
  const search = h("input", {
    type: "search",
    placeholder: "Name, owner or id",
    "aria-label": "Search jobs",
    value: text,
    oninput: () => {
      text = search.value;
      changed();
    },
  });
  const chips = Object.entries(filters).map(([key, [word]]) => {
    const number = h("span", { class: "number" });
    return {
      key,
      number,
      node: button(h("span", {}, word, " ", number), () => {
        state = key;
        changed();
      }, { class: "choice" }),
    };
  });
  const total = h("span", { class: "muted number" });
  const bulk = h("div", { class: "bulk", hidden: true, role: "group", "aria-label": "Selected jobs" });
  const all = h("input", {
    type: "checkbox",
    "aria-label": "Select all jobs in the list",
    onchange: () => selection.set(all.checked ? shown.filter((job) => may("job", job)).map((job) => job.id) : []),
  });
  const heads = columns.map(([key, word, compare, className = ""]) =>
    h(
      "div",
      { class: className, role: "columnheader", "aria-sort": compare && "none", "data-key": key },
      compare
        ? button([word, h("span", { class: "arrow" })], () => {
          if (sort === key) isReversed = !isReversed;
          else [sort, isReversed] = [key, false];
          changed();
        })
        : word,
    )
  );
  const list = virtualList((job) => row(job, canSelect() && selection));
  const table = h(
    "div",
    { class: canSelect() ? "table" : "table plain", role: "table", "aria-label": "Jobs" },
    h("div", { class: "table-head", role: "row" }, canSelect() && h("div", { role: "columnheader" }, all), heads),
    list.node,
  );
  const older = button("Load older jobs", async () => {
    older.disabled = true;
    await attempt("Could not load older jobs", loadOlder);
    older.disabled = false;
  });
  const empty = h("div");
  const sorting = h(
    "label",
    { class: "phone-only field" },
    "Sort by",
    h(
      "select",
      {
        onchange: (event) => {
          sort = event.target.value;
          changed();
        },
      },
      columns.filter(([key]) => key).map(([key, word]) => h("option", { value: key, selected: key === sort }, word)),
    ),
  );
  const node = h(
    "div",
    { class: "page" },
    h("h1", {}, "Jobs"),
    h(
      "div",
      { class: "toolbar" },
      search,
      h("div", { class: "choices", role: "group", "aria-label": "State" }, chips.map((chip) => chip.node)),
      sorting,
      total,
    ),
    bulk,
    table,
    empty,
    h("div", { class: "actions" }, older),
  );

  const changed = () => {
    setQuery({ state, q: text, sort: sort === "submitted" ? "" : sort, reverse: isReversed ? "1" : "" });
    update();
    announce(total.textContent);
  };
  const showBulk = () => {
    const jobs = selection.ids.map((id) => store.jobs.get(id)).filter(Boolean);
    bulk.hidden = jobs.length === 0;
    const acts = [["Cancel", "cancel", cancel], ["Retry", "retry", retry], ["Priority…", "priority", setPriority], [
      "Delete",
      "remove",
      remove,
    ]]
      .map(([word, key, act]) => {
        const fitting = jobs.filter(suits[key]);
        return fitting.length > 0 &&
          button(fitting.length === jobs.length ? word : `${word} (${count(fitting.length)})`, async () => {
            await act(fitting);
            showBulk();
          });
      });
    // The buttons are made anew only if they differ, so that one keeps the focus.
    const key = [jobs.length, ...acts.map((each) => each && each.textContent)].join();
    if (bulk.dataset.key === key) return;
    bulk.dataset.key = key;
    fill(
      bulk,
      h("span", { class: "number", role: "status" }, `${plural(jobs.length, "job")} selected`),
      acts,
      button("Clear", () => selection.set([]), { class: "quiet" }),
    );
  };
  const update = () => {
    if (!store.isLoaded && store.jobs.size === 0) return fill(empty, loading());
    selection.keep((id) => store.jobs.has(id));
    const jobs = newestFirst(), words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? jobs : jobs.filter((job) => {
      const haystack = `${job.name} ${job.submitter ?? ""} ${job.id} ${job.failure?.message ?? ""}`.toLowerCase();
      return words.every((word) => haystack.includes(word));
    });
    for (const chip of chips) {
      setText(chip.number, count(found.filter(filters[chip.key][1]).length));
      setAttribute(chip.node, "aria-pressed", String(chip.key === state));
    }
    shown = found.filter((filters[state] ?? filters[""])[1]);
    const compare = columns.find(([key]) => key === sort)?.[2];
    if (compare && sort !== "submitted") shown.sort(compare);
    if (isReversed) shown.reverse();
    heads.forEach((head, index) => {
      const [key, , has] = columns[index], isSorted = key === sort;
      if (!has) return;
      setAttribute(
        head,
        "aria-sort",
        isSorted
          ? (isReversed === (key === "name" || key === "state" || key === "left") ? "descending" : "ascending")
          : "none",
      );
      setText(head.querySelector(".arrow"), isSorted ? (isReversed ? "↑" : "↓") : "");
    });
    setText(
      total,
      shown.length === store.jobs.size
        ? plural(shown.length, "job")
        : `${count(shown.length)} of ${plural(store.jobs.size, "job")}`,
    );
    table.setAttribute("aria-rowcount", shown.length + 1);
    table.hidden = shown.length === 0;
    older.hidden = !store.hasOlder;
    fill(
      empty,
      shown.length === 0 && (store.jobs.size === 0
        ? emptyState(
          "jobs",
          "No jobs yet",
          may("submit")
            ? "Submit a project, and watch it render here."
            : "Jobs appear here as soon as they are submitted.",
          may("submit") && h("a", { class: "button primary", href: "#/submit" }, "Submit a project"),
        )
        : emptyState(
          "jobs",
          "No job matches",
          "Change the search or the state.",
          button("Show all jobs", () => {
            [state, text, search.value] = ["", "", ""];
            changed();
          }),
        )),
    );
    const selectable = shown.filter((job) => may("job", job));
    all.checked = selectable.length > 0 && selectable.every((job) => selection.has(job.id));
    all.indeterminate = !all.checked && selection.size > 0;
    showBulk();
    list.update(shown);
  };
  return {
    node,
    update,
    shown: update,
    tick() {
      list.update(shown);
    },
    leave: () => list.leave(),
  };
};

/** The row of a job. */
const row = (job, selection) => {
  const cell = (className, ...children) => h("div", { class: `cell ${className}`, role: "cell" }, children);
  const name = h("a", { class: "name", dir: "auto", href: address("jobs", job.id) }),
    owner = h("span", { class: "muted small line" });
  const state = h("span"), why = h("span", { class: "muted small line" }), drawing = strip();
  const [done, rate, left, submitted, priority] = [
    "end number",
    "end number wide phone-hidden",
    "end number left-cell",
    "end number wide phone-hidden",
    "end number wide phone-hidden",
  ].map((each) => cell(each));
  const box = selection && h("input", { type: "checkbox", onchange: () => selection.toggle(job.id, box.checked) });
  const node = h(
    "div",
    { class: "row", role: "row" },
    box && cell("check-cell", box),
    cell("name-cell", name, owner),
    cell("state-cell", state, why),
    cell("strip-cell", drawing.node),
    done,
    rate,
    left,
    submitted,
    priority,
  );
  let shownState;
  return {
    node,
    leave: drawing.leave,
    update(next) {
      job = next;
      setText(name, job.name);
      setAttribute(name, "title", job.name);
      setText(owner, [job.submitter, job.id.slice(0, 8)].filter(Boolean).join(" · "));
      if (shownState !== job.state) {
        shownState = job.state;
        fill(state, jobState(job.state));
      }
      setText(
        why,
        isFinal(job)
          ? (job.failure?.message.split("\n")[0] ?? (job.output ? bytes(job.output.byteCount) : job.outputDeletion ? "output deleted" : ""))
          : job.state === "rendering" && !job.waitingFor && !job.isFollowing
          ? ""
          : waitingReason(job),
      );
      setAttribute(why, "title", why.textContent);
      drawing.update(job);
      setText(done, job.frameCount ? progressOf(job) : "");
      setText(
        rate,
        !isFinal(job) && job.framesPerSecond !== undefined && job.frameDuration
          ? speed(job.framesPerSecond, job.frameDuration)
          : "",
      );
      setText(
        left,
        isFinal(job)
          ? `${duration(secondsTaken(job))}`
          : job.secondsRemaining !== undefined
          ? `${elapsed(job.secondsRemaining)} left`
          : "",
      );
      setText(submitted, moment(job.createdAt));
      setText(priority, job.priority ? String(job.priority) : "");
      if (box) {
        box.disabled = !may("job", job);
        box.checked = selection.has(job.id);
        setAttribute(box, "aria-label", `Select ${job.name}`);
      }
      node.classList.toggle("selected", Boolean(selection && selection.has(job.id)));
    },
  };
};
