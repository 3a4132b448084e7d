// Tokens, for admins: create one (shown once), list, revoke.
import { call, get } from "./api.js";
import { button, fill, h, icon, setText } from "./dom.js";
import { emptyState, loading } from "./state.js";
import { store } from "./store.js";
import { ask, attempt, say } from "./talk.js";
import { moment } from "./time.js";

const roles = {
  submitter: "submits jobs, and sees its own",
  observer: "sees everything, changes nothing",
  worker: "renders; for sheaf-worker",
  admin: "does everything except render",
};

export const tokensView = () => {
  const list = h("div", {}, loading()), made = h("div", { "aria-live": "polite" });
  const role = h(
    "select",
    {},
    Object.entries(roles).map(([key, what]) => h("option", { value: key }, `${key}: ${what}`)),
  );
  const name = h("input", { type: "text", required: true, maxlength: 100, autocomplete: "off", placeholder: "ada" });
  const form = h(
    "form",
    {
      class: "card token-form",
      onsubmit: async (event) => {
        event.preventDefault();
        await attempt("Could not create a token", async () => {
          const token = await call("POST", "/api/v1/tokens", { body: { role: role.value, name: name.value.trim() } });
          showNew(token);
          name.value = "";
          await load();
        });
      },
    },
    h("label", { class: "field" }, "Role", role),
    h("label", { class: "field" }, "Name of its holder", name),
    h("button", { type: "submit", class: "primary" }, "Create a token"),
  );
  const node = h("div", { class: "page" }, h("h1", {}, "Tokens"), form, made, list);

  const showNew = (token) => {
    const text = h("code", { class: "secret", tabindex: 0 }, token.token);
    fill(
      made,
      h(
        "div",
        { class: "card notice" },
        icon("tokens"),
        h(
          "div",
          { class: "document" },
          h("p", {}, `This is the token of ${token.name}. Copy it now: it is not shown again.`),
          text,
          h(
            "div",
            { class: "actions" },
            button("Copy", async () => {
              try {
                await navigator.clipboard.writeText(token.token);
                say("Copied the token.");
              } catch {
                getSelection().selectAllChildren(text);
              }
            }, { class: "primary" }),
            button("Done", () => fill(made)),
          ),
        ),
      ),
    );
  };
  const load = async () => {
    try {
      const tokens = await get("/tokens");
      show(tokens);
    } catch (problem) {
      fill(
        list,
        problem.status === 404
          ? emptyState(
            "tokens",
            "This coordinator manages tokens on its command line",
            "Run “sheaf-coordinator token create --data DIR --role ROLE --name NAME” on its host.",
          )
          : emptyState("failed", "The tokens could not be loaded", problem.detail, button("Try again", load)),
      );
      form.hidden = problem.status === 404;
    }
  };
  const show = (tokens) => {
    const valid = tokens.filter((token) => !token.revokedAt), revoked = tokens.filter((token) => token.revokedAt);
    fill(
      list,
      valid.length === 0
        ? emptyState(
          "tokens",
          "No tokens",
          "On a loopback address, none is needed. Other addresses need one for each user and host.",
        )
        : table(valid),
      revoked.length > 0 && h("details", {}, h("summary", {}, `Revoked tokens (${revoked.length})`), table(revoked)),
    );
  };
  const table = (tokens) =>
    h(
      "div",
      { class: "scroll-x" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["Name", "Role", "Created", "Id", ""].map((word) =>
              h("th", { scope: "col" }, word || h("span", { class: "hidden-text" }, "Actions"))
            ),
          ),
        ),
        h(
          "tbody",
          {},
          tokens.map((token) =>
            h(
              "tr",
              {},
              h("td", { dir: "auto" }, token.name),
              h("td", {}, token.role),
              h("td", { class: "number" }, moment(token.createdAt)),
              h("td", {}, h("code", {}, token.id)),
              h(
                "td",
                { class: "end" },
                token.revokedAt
                  ? h("span", { class: "muted" }, `revoked ${moment(token.revokedAt)}`)
                  : button("Revoke", () => revoke(token), { "aria-label": `Revoke the token of ${token.name}` }),
              ),
            )
          ),
        ),
      ),
    );
  const revoke = async (token) => {
    const isOwn = token.name === store.session.name && token.role === store.session.role;
    if (
      !await ask(
        `Revoke the token of “${token.name}”?`,
        isOwn
          ? "If you signed in with this token, you will be signed out."
          : token.role === "worker"
          ? "Its workers are rejected at their next request. Chunks that they delivered are not used any more, and "
            + "unfinished jobs render these segments again. To keep the chunks, use “sheaf-coordinator token revoke "
            + "--keep-chunks” instead."
          : "Programs and people that use it are rejected at their next request. Their jobs stay.",
        "Revoke",
      )
    ) return;
    if (
      await attempt(
        "Could not revoke the token",
        () => call("DELETE", `/api/v1/tokens/${encodeURIComponent(token.id)}${isOwn ? "?confirm=self" : ""}`),
      )
    ) {
      say(`Revoked the token of ${token.name}.`);
      await load();
    }
  };
  setText(made, "");
  load();
  return { node };
};
