// Uploads files so that an interruption, such as a reload, costs nothing: the coordinator says where to continue.
import { Problem } from "./api.js";

let worker, nextId = 0;
const waiting = new Map();

/** The SHA-256 of a file, calculated in a worker. `progress(bytes)` is called on the way. */
export const hash = (file, progress) =>
  new Promise((resolve, reject) => {
    if (!worker) {
      worker = new Worker("/page/sha256-worker.js", { type: "module" });
      worker.onmessage = ({ data: { id, done, digest, problem } }) => {
        const entry = waiting.get(id);
        if (done !== undefined) return entry.progress(done);
        waiting.delete(id);
        digest ? entry.resolve(digest) : entry.reject(new Problem(0, "file", `The file cannot be read: ${problem}`));
      };
      worker.onerror = () => {
        for (const entry of waiting.values()) {
          entry.reject(new Problem(0, "file", "The files cannot be hashed in this browser."));
        }
        waiting.clear();
      };
    }
    const id = nextId++;
    waiting.set(id, { progress, resolve, reject });
    worker.postMessage({ id, file });
  });

const address = (digest) => `/api/v1/assets/${digest}`;

/** How many bytes of an asset the coordinator has: all, or the offset at which an upload continues. */
export const stored = async (digest, size) => {
  const response = await fetch(address(digest), { method: "HEAD", cache: "no-store" });
  if (response.ok) return size;
  if (response.status === 404) return Number(response.headers.get("Upload-Offset") ?? 0);
  throw new Problem(response.status, "", `The coordinator responded with ${response.status}.`);
};

/** Sends a file from an offset. Resolves with the response's status, the offset to continue at, and the problem. */
const put = (file, digest, offset, progress, signal) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address(digest));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("Upload-Offset", offset);
    request.setRequestHeader("Upload-Length", file.size);
    request.upload.onprogress = (event) => progress(offset + event.loaded);
    request.onload = () => {
      let problem = {};
      try {
        problem = JSON.parse(request.responseText);
      } catch { /* Not every response has a body. */ }
      resolve({
        status: request.status,
        offset: Number(request.getResponseHeader("Upload-Offset") ?? NaN),
        problem,
        after: Number(request.getResponseHeader("Retry-After")),
      });
    };
    request.onerror = () => resolve({ status: 0, problem: {} });
    request.onabort = () => reject(new DOMException("The upload was stopped", "AbortError"));
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(file.slice(offset));
  });

const pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

/** Uploads a file, or the rest of it, and continues after interruptions for as long as the coordinator may come back. */
export const upload = async (file, digest, progress, signal) => {
  for (let tries = 0;; tries++) {
    signal?.throwIfAborted();
    let offset;
    try {
      offset = await stored(digest, file.size);
    } catch (problem) {
      if ([401, 403].includes(problem.status)) throw problem;
      await pause(Math.min(30, 1 + tries));
      continue;
    }
    progress(offset);
    if (offset >= file.size && file.size > 0) return;
    const answer = await put(file, digest, offset, progress, signal);
    if (answer.status === 201) return;
    if (answer.status === 202) continue;
    const type = answer.problem.type ?? "";
    // Another request may still hold the upload, such as that of the page before it was reloaded.
    const mayPass = answer.status === 0 || answer.status >= 500 || answer.status === 429 || answer.status === 409 ||
      type.endsWith("damaged-request");
    if (!mayPass || answer.status === 507) {
      throw new Problem(answer.status, type, answer.problem.detail ?? `The coordinator responded with ${answer.status}.`);
    }
    await pause(answer.after > 0 ? answer.after : Math.min(10, 0.5 * (1 + tries)));
  }
};
