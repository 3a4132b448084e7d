// Reloads the page if one of its files cannot be loaded, for example after a network change or while the coordinator
// restarts. This is a classic script: if one module fails to load, none of them runs.
"use strict";

{
  /** The maximum number of automatic reloads. */
  const limit = 4;
  const key = "sheaf-attempts";
  let isLoading = true, hasFailed = false;

  /** The number of reloads so far, kept across reloads. Some browsers do not allow that. */
  const attempts = {
    get() {
      try {
        return Number(sessionStorage.getItem(key) ?? 0);
      } catch {
        return limit;
      }
    },
    /** Returns whether the number is kept. */
    set(count) {
      try {
        sessionStorage.setItem(key, count);
        return true;
      } catch {
        return false;
      }
    },
  };

  const say = (text, ...nodes) => {
    const line = document.createElement("div"), words = document.createElement("span");
    line.className = "banner";
    words.textContent = text;
    line.append(words, ...nodes);
    line.setAttribute("role", "alert");
    document.getElementById("banner").before(line);
  };

  /** Loads the page again once the coordinator, or a proxy that asks for a login, responds. */
  const reload = async () => {
    try {
      const response = await fetch("/", { cache: "no-store", redirect: "manual", signal: AbortSignal.timeout(10_000) });
      if (response.status < 500) return location.reload();
    } catch {
      // It does not respond yet.
    }
    setTimeout(reload, 2000);
  };

  const recover = () => {
    const count = attempts.get();
    if (count < limit && attempts.set(count + 1)) {
      say("A part of the page could not be loaded. Trying again.");
      setTimeout(reload, 1000 * 2 ** count);
    } else {
      const button = document.createElement("button");
      button.textContent = "Reload";
      button.addEventListener("click", () => {
        attempts.set(0);
        location.reload();
      });
      say("A part of the page could not be loaded.", button);
    }
  };

  // Load errors do not bubble, so they are caught in the capture phase. Errors of scripts while the page is loaded may
  // come from files of two versions, during an upgrade.
  addEventListener("error", ({ target }) => {
    const isNeeded = target === window ? isLoading : target.tagName === "SCRIPT" || target.rel === "stylesheet";
    if (!isNeeded || hasFailed) return;
    hasFailed = true;
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", recover);
    else recover();
  }, true);

  addEventListener("load", () => {
    isLoading = false;
    if (!hasFailed) attempts.set(0);
  });
}
