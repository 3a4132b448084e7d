// The page: its frame, the session, and the view that the address names.
import { onSignedOut } from "./api.js";
import { accountMenu } from "./account.js";
import { button, fill, h, icon } from "./dom.js";
import { reconnect, session, unwatch, watch } from "./live.js";
import { tellEndings } from "./notify.js";
import { go, onRoute, route } from "./router.js";
import { signInView } from "./sign-in.js";
import { wholeState } from "./state.js";
import { isWorking, may, seesFarm, store } from "./store.js";
import { percent, printable } from "./text.js";
import { preciseTime } from "./time.js";

const main = document.getElementById("main"), nav = document.getElementById("nav");
let view, viewKey;

const notAllowed = (what) => () => ({
  node: wholeState(
    "cancelled",
    `Your token cannot ${what}`,
    `You are signed in as ${store.session.name ?? "a guest"} (${
      store.session.role ?? "no role"
    }). Ask an operator for a token that allows it, or go back.`,
    h("a", { class: "button", href: "#/" }, "Back to the farm"),
  ),
});

/** The views by the first part of the address. Each is loaded when it is first shown. */
const views = {
  "": {
    title: "Farm",
    icon: "farm",
    load: async () => (await import("./view-farm.js")).farmView,
    isAllowed: () => true,
  },
  jobs: {
    title: "Jobs",
    icon: "jobs",
    load: async (id) => id ? (await import("./view-job.js")).jobView : (await import("./view-jobs.js")).jobsView,
    isAllowed: () => true,
  },
  recordings: {
    title: "Recordings",
    icon: "recording",
    load: async (id) => {
      const views = await import("./view-recordings.js");
      return id ? views.recordingView : views.recordingsView;
    },
    isAllowed: () => true,
  },
  workers: {
    title: "Workers",
    icon: "workers",
    load: async () => (await import("./view-workers.js")).workersView,
    isAllowed: seesFarm,
    what: "see workers",
  },
  submit: {
    title: "Submit",
    icon: "submit",
    load: async () => (await import("./view-submit.js")).submitView,
    isAllowed: () => may("submit"),
    what: "submit jobs",
  },
  tokens: {
    title: "Tokens",
    icon: "tokens",
    load: async () => (await import("./view-tokens.js")).tokensView,
    isAllowed: () => may("tokens"),
    what: "manage tokens",
  },
};

const showNav = (current) => {
  nav.hidden = store.session.needsToken !== false || store.session.role === "worker";
  fill(
    nav,
    Object.entries(views).filter(([, each]) => each.isAllowed()).map(([name, each]) =>
      h(
        "a",
        { href: `#/${name}`, "aria-current": name === current && "page" },
        icon(each.icon),
        h("span", {}, each.title),
      )
    ),
  );
};

const noSuchPage = () => ({
  node: wholeState(
    "failed",
    "Page not found",
    "The address may be mistyped.",
    h("a", { class: "button", href: "#/" }, "Back to the farm"),
  ),
});

/** The time until the page tries again to load a view, in milliseconds. */
const loadPause = 3000;

const cannotLoad = () => {
  const again = () => {
    viewKey = undefined;
    show();
  };
  const timer = setTimeout(again, loadPause);
  return {
    node: wholeState(
      "failed",
      "This part of the page could not be loaded",
      "The coordinator may be restarting. The page keeps trying.",
      button("Try again", again),
    ),
    leave: () => clearTimeout(timer),
  };
};

/** Shows the view of the current address. A view that is shown already stays, unless the user asked for it again. */
const show = async (isAsked) => {
  const { parts } = route(), [name = "", ...rest] = parts;
  if (store.session.needsToken !== false) return;
  const found = Object.hasOwn(views, name) ? views[name] : undefined;
  const key = JSON.stringify([name, rest[0], store.session.name, store.session.role]);
  if (key === viewKey && view && (view.navigate || !isAsked)) return view.navigate?.(...rest);
  const isFirst = viewKey === undefined;
  viewKey = key;
  let make;
  if (store.session.role === "worker") make = notAllowed("see jobs: it is a worker's");
  else if (!found) make = noSuchPage;
  else if (!found.isAllowed()) make = notAllowed(found.what);
  else {try {
      make = await found.load(...rest);
    } catch {
      make = cannotLoad;
    }}
  // The user may have moved on while the view was loaded.
  if (viewKey !== key) return;
  view?.leave?.();
  showNav(name);
  view = make(...rest);
  main.replaceChildren(view.node);
  view.shown?.();
  scrollTo(0, 0);
  if (!isFirst) main.focus({ preventScroll: true });
  showTitle();
};

/** The tab's title shows progress: of the job on the page, or of all jobs whose length is known. */
const showTitle = () => {
  const own = view?.title?.();
  const rendering = [...store.jobs.values()].filter((job) => isWorking(job) && job.frameCount > 0 && !job.isFollowing);
  const [done, all] = rendering.reduce(([a, b], job) => [a + job.framesRendered, b + job.frameCount], [0, 0]);
  const name = views[route().parts[0] ?? ""]?.title;
  const text = own
    ? `${own} – Sheaf`
    : rendering.length > 0
    ? `${percent(done, all)} · ${rendering.length} rendering – Sheaf`
    : name && name !== "Farm"
    ? `${name} – Sheaf`
    : "Sheaf";
  if (document.title !== text) document.title = printable(text);
};

const banner = document.getElementById("banner");
let lostTimer;
/** Says that the connection is lost, but not for a moment's interruption. */
const showConnection = () => {
  document.body.dataset.connection = store.session.needsToken === false ? store.connection : "none";
  clearTimeout(lostTimer);
  if (store.connection !== "lost") return banner.firstChild && banner.replaceChildren();
  if (banner.firstChild) return;
  lostTimer = setTimeout(
    () =>
      fill(
        banner,
        h(
          "div",
          { class: "banner" },
          icon("warning"),
          h(
            "span",
            {},
            `The coordinator does not respond. The page shows the farm as of ${
              preciseTime(new Date(store.heardAt)).slice(0, 8)
            }, and keeps trying.`,
          ),
          button("Try now", () => reconnect(begin)),
        ),
      ),
    1500,
  );
};

const signedIn = (session, isNew) => {
  store.set({ session });
  showConnection();
  accountMenu(document.getElementById("account"), signOut);
  if (session.needsToken) {
    unwatch();
    view?.leave?.();
    viewKey = undefined;
    view = signInView(signedIn, isNew);
    showNav();
    main.replaceChildren(view.node);
    view.shown();
    document.title = "Sign in – Sheaf";
    return;
  }
  if (session.role !== "worker") watch(begin);
  show();
};

const signOut = async () => {
  unwatch();
  try {
    await fetch("/session", { method: "DELETE" });
  } finally {
    // The next user of this browser must not submit what this one has begun.
    const { submission } = await import("./submission.js").catch(() => ({}));
    submission?.stop();
    submission?.reset();
    store.set({ session: {} });
    store.clear();
    await begin();
  }
};

/** Looks at the session, and begins to watch, or asks for a token. */
const begin = async () => {
  const had = store.session.needsToken === false;
  try {
    const current = await session();
    if (had && current.needsToken) store.clear();
    signedIn(current, had);
  } catch {
    store.set({ connection: "lost" });
    showConnection();
    setTimeout(begin, 2000);
  }
};

onRoute(() => show(true));
onSignedOut(() => {
  if (store.session.needsToken !== false) return;
  begin();
});
store.subscribe((changes) => {
  if (changes.connection || changes.session) showConnection();
  if (store.session.needsToken !== false) return;
  view?.update?.(changes);
  showTitle();
});
setInterval(() => {
  if (!document.hidden && store.session.needsToken === false) view?.tick?.();
}, 1000);
// Files may be dropped anywhere: without this, the browser would leave the page and open them.
for (const name of ["dragover", "drop"]) {
  document.addEventListener(name, async (event) => {
    if (event.defaultPrevented || ![...event.dataTransfer?.types ?? []].includes("Files")) return;
    event.preventDefault();
    if (name !== "drop" || store.session.needsToken !== false || !may("submit")) return;
    const files = [...event.dataTransfer.files], { submission } = await import("./submission.js");
    go("#/submit");
    await submission.restore();
    await submission.add(files);
  });
}
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
tellEndings();
begin();
