import Crypto
import Foundation
import HTTP

/// The page at `/`, which shows jobs with their progress, segments by state, and workers, and updates itself.
///
/// The page itself contains no information about the farm. Its script requests that after the user has signed in.
enum StatusPage {
  /// The response with the page. Its content security policy allows no script other than the page's own.
  static let response: Response = {
    var response = Response.html(document)
    let hash = Data(Digest.of([UInt8](script.utf8)).bytes).base64EncodedString()
    response.headers["Content-Security-Policy"] =
      "default-src 'none'; script-src 'sha256-\(hash)'; style-src 'unsafe-inline'; "
      + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
  }()

  /// The HTML document, with its style and script.
  private static let document = """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sheaf</title>
    <style>
    :root { color-scheme: light dark; --line: #8884; --done: #2a8a4a; --leased: #d39b22; --bad: #c0392b; }
    body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem; }
    h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
    table { border-collapse: collapse; width: 100%; }
    th, td { text-align: left; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
    td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
    .bar { display: flex; height: .8rem; width: 14rem; background: var(--line); border-radius: .2rem; overflow: hidden; }
    .bar i { display: block; height: 100%; }
    .completed { background: var(--done); } .leased { background: var(--leased); } .failed { background: var(--bad); }
    .message { color: var(--bad); white-space: pre-wrap; }
    .message, .deliveries { overflow-wrap: anywhere; }
    .none { color: #888; } #link { float: right; color: #888; font-size: .9rem; }
    </style>
    </head>
    <body>
    <h1>Sheaf <span id="link">connecting</span></h1>
    <form id="sign-in" hidden>
    <p><label>Token <input id="token" type="password" autocomplete="current-password" required></label>
    <button>Sign in</button></p>
    <p class="message" id="sign-in-problem"></p>
    </form>
    <p class="none"><span id="who"></span> <button id="sign-out" type="button" hidden>Sign out</button></p>
    <div id="farm" hidden>
    <h2>Jobs</h2>
    <table id="jobs"><thead><tr><th>Job</th><th>State</th><th>Segments</th>
    <th class="number">Frames</th><th class="number">Frames/s</th><th class="number">Time left</th></tr></thead><tbody></tbody></table>
    <p class="none" id="no-jobs">No jobs yet.</p>
    <h2>Workers</h2>
    <table id="workers"><thead><tr><th>Worker</th><th>State</th><th class="number">Leases</th>
    <th class="number">Completed</th><th class="number">Failed</th><th class="number">Memory</th></tr></thead><tbody></tbody></table>
    <p class="none" id="no-workers">No workers yet.</p>
    <h2>Files</h2>
    <p id="scrub" class="none"></p>
    </div>
    <script>\(script)</script>
    </body>
    </html>

    """

  /// The page's script.
  private static let script = """
    "use strict";
    // Names are untrusted: characters that are invisible or reorder text are escaped, as in `PrintableText`.
    const escapes = { "\\n": "\\\\n", "\\r": "\\\\r", "\\t": "\\\\t" };
    const printable = text => String(text).replace(/[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]/gu, character =>
      "\\u200c\\u200d".includes(character) ? character
        : escapes[character] ?? `\\\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`);
    // Messages may have several lines.
    const printableLines = text => String(text).split("\\n").map(printable).join("\\n");
    const element = (name, text, className) => {
      const made = document.createElement(name);
      if (text !== undefined)
        made.textContent = className === "message" ? printableLines(text) : printable(text);
      if (className) made.className = className;
      return made;
    };
    const time = seconds => {
      if (seconds === undefined) return "";
      const whole = Math.round(seconds), two = n => String(n).padStart(2, "0");
      return `${Math.floor(whole / 3600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
    };
    const row = (table, id, isFirst) => {
      const body = document.querySelector(`#${table} tbody`), key = `${table}-${id}`;
      document.getElementById(`no-${table}`).hidden = true;
      let found = document.getElementById(key);
      if (!found) {
        found = element("tr");
        found.id = key;
        if (isFirst) body.prepend(found); else body.append(found);
      }
      found.replaceChildren();
      return found;
    };
    // The lists of the workers that delivered a job's chunks, fetched when a user opens the list.
    const opened = new Map();
    const ranges = indexes => {
      const parts = [];
      for (const index of indexes) {
        const last = parts[parts.length - 1];
        if (last && last[1] === index - 1) last[1] = index; else parts.push([index, index]);
      }
      return parts.map(([first, last]) => first === last ? first : `${first}–${last}`).join(", ");
    };
    const deliverer = ({ worker, token }) => worker + (token === undefined ? "" : ` (token ${token})`);
    const fillDeliveries = async (id, list) => {
      // A response is not shown if a later one has arrived before it.
      const turn = list.turn = (list.turn || 0) + 1;
      const fill = lines => {
        if (list.turn === turn) list.replaceChildren(...lines.map(line => element("div", line, "none")));
      };
      const found = new Map();
      try {
        const limit = 1000;
        for (let after = "", part; ; after = `&after=${part[limit - 1].index}`) {
          const response = await fetch(`/api/v1/jobs/${id}/segments?limit=${limit}${after}`);
          if (!response.ok) throw response;
          part = await response.json();
          for (const { index, state, delivery } of part) {
            if (!delivery && state !== "completed") continue;
            const who = delivery ? deliverer(delivery) : "not recorded";
            if (found.has(who)) found.get(who).push(index); else found.set(who, [index]);
          }
          if (part.length < limit || list.turn !== turn) break;
        }
      } catch {
        return fill(["Could not load the list: close and open it again"]);
      }
      fill(found.size === 0 ? ["no chunks yet"] : [...found].map(([who, indexes]) =>
        `${who}: ${indexes.length > 1 ? "segments" : "segment"} ${ranges(indexes)}`));
    };
    const deliveries = job => {
      let details = opened.get(job.id);
      if (!details) {
        details = element("details");
        details.className = "deliveries";
        const list = element("div");
        details.append(element("summary", "Delivered by", "none"), list);
        details.addEventListener("toggle", () => { if (details.open) fillDeliveries(job.id, list); });
        opened.set(job.id, details);
      }
      if (details.open && details.dataset.completed !== String(job.segments.completed))
        fillDeliveries(job.id, details.lastChild);
      details.dataset.completed = job.segments.completed;
      return details;
    };
    // Events contain only the beginning of a long message. The rest is fetched when a user asks for it.
    const failure = job => {
      const message = element("div", job.failure.message, "message");
      if (!job.failure.message.endsWith("…")) return message;
      const part = element("div"), all = element("button", "Show all");
      all.type = "button";
      all.addEventListener("click", async () => {
        try {
          const response = await fetch(`/api/v1/jobs/${job.id}`);
          if (!response.ok) throw response;
          const whole = await response.json();
          part.replaceChildren(whole.failure
            ? element("div", whole.failure.message, "message") : element("div", whole.state));
        } catch {
          all.textContent = "Could not load the message: try again";
        }
      });
      part.append(message, all);
      return part;
    };
    const showJob = job => {
      const line = row("jobs", job.id, true), name = element("td"), state = element("td", job.state);
      if (job.output) {
        const link = element("a", job.name);
        link.href = `/api/v1/jobs/${job.id}/output`;
        link.download = printable(job.output.fileName);
        name.append(link);
      } else name.append(printable(job.name));
      name.append(element("div", job.id, "none"));
      if (job.failure) state.append(failure(job));
      if (job.waitingFor) state.append(element("div", `waiting for ${job.waitingFor}`, "message"));
      const sound = job.loudness;
      if (sound && sound.after !== undefined) state.append(element("div",
        `${sound.before.toFixed(1)} → ${sound.after.toFixed(1)} LUFS`, "none"));
      const counts = job.segments, total = counts.pending + counts.leased + counts.completed + counts.failed;
      const segments = element("td"), bar = element("div", undefined, "bar");
      for (const kind of ["completed", "leased", "failed"]) {
        const part = element("i", undefined, kind);
        part.style.width = `${total ? 100 * counts[kind] / total : 0}%`;
        bar.append(part);
      }
      segments.append(bar, element("div",
        `${counts.completed} completed, ${counts.leased} leased, ${counts.pending} pending, ${counts.failed} failed`
          + (job.segmentsReused ? `, ${job.segmentsReused} reused` : ""), "none"), deliveries(job));
      line.append(name, state, segments,
        element("td", job.frameCount === undefined ? "" : `${job.framesRendered} / ${job.frameCount}`, "number"),
        element("td", job.framesPerSecond === undefined ? "" : job.framesPerSecond.toFixed(1), "number"),
        element("td", time(job.secondsRemaining), "number"));
    };
    const showWorker = worker => {
      const line = row("workers", worker.id, false), name = element("td", worker.name);
      name.append(element("div", worker.id, "none"));
      const state = element("td", worker.state);
      if (worker.reason) state.append(element("div", worker.reason, "message"));
      line.append(name, state, element("td", `${worker.leases} / ${worker.slots}`, "number"),
        element("td", worker.segmentsCompleted, "number"), element("td", worker.segmentsFailed, "number"),
        element("td", memory(worker.memoryInUse) + (worker.memory === undefined ? "" : ` / ${memory(worker.memory)}`), "number"));
    };
    const get = id => document.getElementById(id), link = get("link");
    const memory = bytes => bytes < 2 ** 30 ? `${(bytes / 2 ** 20).toFixed(1)} MiB` : `${(bytes / 2 ** 30).toFixed(1)} GiB`;
    const size = bytes => bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
    const showScrub = async () => {
      const response = await fetch("/api/v1/scrub");
      if (!response.ok) { get("scrub").textContent = ""; return; }
      const scrub = await response.json(), found = scrub.damagedFiles;
      const last = scrub.finishedAt === undefined ? "" : `, last finished ${new Date(scrub.finishedAt).toLocaleString()}`;
      get("scrub").textContent = scrub.bytesPerSecond === 0
        ? "The search for damaged files is off (--scrub-bytes-per-second 0)."
        : scrub.files === 0 && !scrub.passes ? "The search for damaged files has not started."
        : `Search for damaged files: ${size(scrub.bytesRead)} of ${size(scrub.bytes)}, ${scrub.filesRead} of ${scrub.files} files${last}. `
          + `${found} damaged files found since the coordinator started.`;
      get("scrub").className = found > 0 ? "message" : "none";
    };
    let events, scrubbing;
    const watch = () => {
      clearInterval(scrubbing);
      scrubbing = setInterval(() => showScrub().catch(() => {}), 10000);
      showScrub().catch(() => {});
      events = new EventSource("/api/v1/events");
      events.onopen = () => { link.textContent = "live"; };
      events.onerror = () => { link.textContent = "connecting"; setTimeout(begin, 2000); events.close(); };
      events.addEventListener("job", event => showJob(JSON.parse(event.data)));
      events.addEventListener("worker", event => showWorker(JSON.parse(event.data)));
    };
    const show = session => {
      get("sign-in").hidden = !session.needsToken;
      get("farm").hidden = session.needsToken;
      get("sign-out").hidden = session.name === undefined;
      get("who").textContent = session.name === undefined ? "" : printable(`${session.name} (${session.role})`);
      if (session.needsToken) link.textContent = "";
      else if (session.role === "worker") link.textContent = "This is a worker's token, which cannot see jobs or workers. Use another one.";
      else watch();
    };
    const begin = async () => {
      try {
        show(await (await fetch("/session")).json());
      } catch {
        setTimeout(begin, 2000);
      }
    };
    get("sign-in").addEventListener("submit", async event => {
      event.preventDefault();
      const field = get("token"), response = await fetch("/session", {
        method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ token: field.value.trim() }) });
      field.value = "";
      const answer = await response.json();
      get("sign-in-problem").textContent = response.ok ? "" : printableLines(answer.detail);
      if (response.ok) show(answer);
    });
    get("sign-out").addEventListener("click", async () => {
      await fetch("/session", { method: "DELETE" });
      location.reload();
    });
    begin();
    """
}
