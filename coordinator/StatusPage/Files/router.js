// The address after `#/` says what the page shows: parts of a path, and parameters after `?`.

/** The current route: `{parts: ["jobs", "7q2m"], query: URLSearchParams}`. */
export const route = () => {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return {
    parts: path.split("/").filter(Boolean).map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    }),
    query: new URLSearchParams(query),
  };
};

/** The address of a route. */
export const address = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;

/** Shows another route. */
export const go = (target) => {
  location.hash = target;
};

/** Changes the parameters of the current route, without an entry in the history. */
export const setQuery = (values) => {
  const { query } = route();
  for (const [name, value] of Object.entries(values)) value ? query.set(name, value) : query.delete(name);
  const path = (location.hash || "#/").split("?")[0], text = query.toString();
  history.replaceState(null, "", path + (text ? `?${text}` : ""));
};

/** Calls a function when the route changes. An address such as `#main` is not a route. */
export const onRoute = (listener) =>
  addEventListener("hashchange", () => {
    if (location.hash === "" || location.hash.startsWith("#/")) listener();
  });
