// All workers, as cards: filter, sort, search, drain and resume many at once.
import { drain, resume } from "./actions.js";
import { button, fill, h, keyed, setAttribute, setText } from "./dom.js";
import { route, setQuery } from "./router.js";
import { Selection } from "./selection.js";
import { emptyState, loading } from "./state.js";
import { may, store } from "./store.js";
import { announce } from "./talk.js";
import { count, plural } from "./text.js";
import { workerCard } from "./worker-card.js";

const filters = {
  "": ["All", () => true],
  busy: ["Busy", (worker) => worker.leases > 0],
  idle: ["Idle", (worker) => worker.state === "active" && worker.leases === 0],
  draining: ["Draining", (worker) => worker.state === "draining"],
  trouble: ["Trouble", (worker) => ["setAside", "distrusted", "lost"].includes(worker.state)],
};
const byName = (a, b) => a.name.localeCompare(b.name, "en", { numeric: true });
const sorts = {
  name: ["Name", byName],
  fps: ["Speed", (a, b) => (b.framesPerSecond ?? 0) - (a.framesPerSecond ?? 0) || byName(a, b)],
  failures: ["Failures", (a, b) => b.segmentsFailed - a.segmentsFailed || byName(a, b)],
  memory: ["Memory", (a, b) => b.memoryInUse - a.memoryInUse || byName(a, b)],
  seen: ["Last seen", (a, b) => b.secondsSinceSeen - a.secondsSinceSeen || byName(a, b)],
};

export const workersView = () => {
  const { query } = route();
  let state = query.get("state") ?? "", text = query.get("q") ?? "", sort = query.get("sort") ?? "name", shown = [];
  const selection = new Selection(() => {
    showBulk();
    show();
  });
  const cards = keyed(workerCard("h2", may("workers") ? selection : undefined));
  const search = h("input", {
    type: "search",
    placeholder: "Name, host or job",
    "aria-label": "Search workers",
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
  const order = h(
    "select",
    {
      "aria-label": "Sort by",
      onchange: () => {
        sort = order.value;
        changed();
      },
    },
    Object.entries(sorts).map(([key, [word]]) =>
      h("option", { value: key, selected: key === sort }, `By ${word.toLowerCase()}`)
    ),
  );
  const total = h("span", { class: "muted number" }), list = h("ul", { class: "worker-grid" }), empty = h("div");
  const bulk = h("div", { class: "bulk", hidden: true, role: "group", "aria-label": "Selected workers" });
  const selectAll = may("workers") &&
    button("Select all", () => selection.set(shown.map((worker) => worker.id)), { class: "quiet" });
  const node = h(
    "div",
    { class: "page" },
    h("h1", {}, "Workers"),
    h(
      "div",
      { class: "toolbar" },
      search,
      h("div", { class: "choices", role: "group", "aria-label": "State" }, chips.map((chip) => chip.node)),
      h("div", { class: "narrow" }, order),
      selectAll,
      total,
    ),
    bulk,
    list,
    empty,
  );
  const changed = () => {
    setQuery({ state, q: text, sort: sort === "name" ? "" : sort });
    update();
    announce(total.textContent);
  };
  const showBulk = () => {
    const workers = selection.ids.map((id) => store.workers.get(id)).filter(Boolean);
    bulk.hidden = workers.length === 0;
    const active = workers.filter((worker) => worker.state === "active"),
      others = workers.filter((worker) => !["active", "lost"].includes(worker.state));
    const key = [workers.length, active.length, others.length].join();
    if (bulk.dataset.key === key) return;
    bulk.dataset.key = key;
    fill(
      bulk,
      h("span", { class: "number", role: "status" }, `${plural(workers.length, "worker")} selected`),
      active.length > 0 && button(`Drain ${count(active.length)}`, () => drain(active)),
      others.length > 0 && button(`Resume ${count(others.length)}`, () => resume(others)),
      button("Clear", () => selection.set([]), { class: "quiet" }),
    );
  };
  const show = () => cards.show(list, shown);
  const update = () => {
    if (!store.isLoaded && store.workers.size === 0) return fill(empty, loading());
    selection.keep((id) => store.workers.has(id));
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [...store.workers.values()].filter((worker) => {
      const haystack = `${worker.name} ${worker.host ?? ""} ${
        (worker.rendering ?? []).map((each) => each.jobName).join(" ")
      }`.toLowerCase();
      return words.every((word) => haystack.includes(word));
    });
    for (const chip of chips) {
      setText(chip.number, count(found.filter(filters[chip.key][1]).length));
      setAttribute(chip.node, "aria-pressed", String(chip.key === state));
    }
    shown = found.filter((filters[state] ?? filters[""])[1]).sort((sorts[sort] ?? sorts.name)[1]);
    setText(
      total,
      shown.length === store.workers.size
        ? plural(shown.length, "worker")
        : `${count(shown.length)} of ${plural(store.workers.size, "worker")}`,
    );
    fill(
      empty,
      shown.length === 0 && (store.workers.size > 0
        ? emptyState(
          "workers",
          "No worker matches",
          "Change the search or the state.",
          button("Show all workers", () => {
            [state, text, search.value] = ["", "", ""];
            changed();
          }),
        )
        : emptyState(
          "workers",
          "No workers yet",
          `Start one on each host: sheaf-worker --coordinator ${location.origin} --token-file rack.token`,
        )),
    );
    showBulk();
    show();
  };
  update();
  return {
    node,
    update(changes) {
      if (changes.workers.size > 0 || changes.farm) update();
    },
    tick: show,
    leave: () => cards.show(list, []),
  };
};
