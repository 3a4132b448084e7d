// Tells the user when a job ends: in the browser's notifications, if allowed.
import { address } from "./router.js";
import { store } from "./store.js";
import { announce } from "./talk.js";
import { printable } from "./text.js";

const key = "notify";
const load = () => {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? {};
  } catch {
    return {};
  }
};
const save = (value) => {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch { /* Private windows may refuse. */ }
};

/** Whether the browser has notifications, which it offers only over TLS and on the host itself. */
export const canNotify = () => "Notification" in window && isSecureContext;

const allowed = async () =>
  Notification.permission === "granted" || await Notification.requestPermission() === "granted";

/** Whether the user hears of every job. */
export const notifiesAll = () => load().all === true;
/** Sets this, and asks the browser. Returns whether it is on. */
export const setNotifiesAll = async (on) => {
  const isOn = on && await allowed();
  save({ ...load(), all: isOn });
  return isOn;
};

/** Whether the user hears of a job. */
export const notifies = (id) => notifiesAll() || (load().jobs ?? []).includes(id);
/** Sets this, and asks the browser. Returns whether it is on. */
export const setNotifies = async (id, on) => {
  const others = (load().jobs ?? []).filter((each) => each !== id), isOn = on && await allowed();
  save({ ...load(), jobs: (isOn ? [...others, id] : others).slice(-200) });
  return isOn;
};

/** Watches for jobs that end. */
export const tellEndings = () =>
  store.onEnding((job) => {
    const name = printable(job.name);
    const text =
      { completed: `${name} is ready`, failed: `${name} failed`, cancelled: `${name} was cancelled` }[job.state];
    announce(text);
    if (!canNotify() || Notification.permission !== "granted" || !notifies(job.id) || job.state === "cancelled") {
      return;
    }
    const shown = new Notification(text, {
      body: printable(job.failure?.message.split("\n")[0] ?? "Download it from the farm's page."),
      tag: job.id,
      icon: "/page/favicon.svg",
    });
    shown.onclick = () => {
      focus();
      location.hash = address("jobs", job.id);
      shown.close();
    };
  });
