// Requests to the coordinator. Errors are problem documents.

/** The coordinator refused a request, or did not answer (`status` 0). */
export class Problem extends Error {
  constructor(status, type, detail) {
    super(detail);
    Object.assign(this, { status, type, detail });
  }
  /** Whether the coordinator did not answer. */
  get isUnreachable() {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

const listeners = new Set();
/** Calls a function if a request is answered with 401: the session has ended. */
export const onSignedOut = (listener) => listeners.add(listener);

/** Sends a request, and returns its response. */
export const send = async (method, path, { body, headers = {}, timeout = 20000 } = {}) => {
  let response;
  const isJSON = body !== undefined && !(body instanceof Blob);
  try {
    response = await fetch(path, {
      method,
      credentials: "same-origin",
      cache: method === "GET" ? "no-cache" : "no-store",
      headers: isJSON ? { "Content-Type": "application/json", ...headers } : headers,
      body: isJSON ? JSON.stringify(body) : body,
      signal: AbortSignal.timeout(timeout),
    });
  } catch {
    throw new Problem(0, "unreachable", "The coordinator does not respond.");
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  if (response.status === 401) { for (const listener of listeners) listener(); }
  throw new Problem(
    response.status,
    problem.type ?? "",
    problem.detail ?? `The coordinator responded with ${response.status}.`,
  );
};

/** Sends a request, and returns the JSON of its response. */
export const call = async (method, path, options) => {
  const response = await send(method, path, options);
  return response.status === 204 ? undefined : response.json();
};

/** Gets JSON below /api/v1. */
export const get = (path, options) => call("GET", `/api/v1${path}`, options);

/** Gets JSON below /api/v1, or `undefined` if there is none: an older coordinator, or nothing to show yet. */
export const getIfAny = async (path) => {
  try {
    return await get(path);
  } catch (problem) {
    if ([403, 404, 405, 409].includes(problem.status)) return undefined;
    throw problem;
  }
};

// A caller may read one list at a time, so the page asks for one after another.
let last = Promise.resolve();
/** Gets a list below /api/v1, after the lists that were asked for before. */
export const getList = (path) => {
  const turn = last.then(() => get(path));
  last = turn.catch(() => {});
  return turn;
};

/** The text of a document, such as a project. */
export const getText = async (path) => (await send("GET", `/api/v1${path}`)).text();

/** Random hexadecimal digits, for keys. */
export const randomKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
