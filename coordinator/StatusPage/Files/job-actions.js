// What a user can do at the head of a job's view.
import { cancel, download, remove, retry, setPriority, suits } from "./actions.js";
import { button, icon } from "./dom.js";
import { canNotify, notifies, setNotifies } from "./notify.js";
import { go } from "./router.js";
import { isFinal, store } from "./store.js";
import { say } from "./talk.js";

/** The buttons at the head of a job's view. */
export const jobActions = (job) => {
  const bell = canNotify() && !isFinal(job) && button(icon("bell"), async () => {
    const isOn = await setNotifies(job.id, !notifies(job.id));
    bell.setAttribute("aria-pressed", isOn);
    say(isOn ? "You will be notified when this job ends." : "You will not be notified when this job ends.");
  }, {
    class: "square toggle",
    "aria-label": "Notify me when it ends",
    title: "Notify me when it ends",
    "aria-pressed": String(notifies(job.id)),
  });
  return [
    button(icon("link"), async () => {
      try {
        await navigator.clipboard.writeText(location.href);
        say("Copied the link to this page.");
      } catch {
        say(location.href);
      }
    }, { class: "square", "aria-label": "Copy a link to this page", title: "Copy a link to this page" }),
    bell,
    suits.priority(job) && button(`Priority ${job.priority ?? 0}`, () => setPriority([job])),
    suits.remove(job) && button("Delete", async () => {
      await remove([job]);
      if (!store.jobs.has(job.id)) go("#/jobs");
    }),
    suits.cancel(job) && button("Cancel", () => cancel([job])),
    suits.retry(job) && button("Retry", () => retry([job]), { class: "primary" }),
    download(job, "button primary"),
  ];
};
