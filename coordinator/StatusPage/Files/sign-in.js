// Signing in with a token.
import { call } from "./api.js";
import { h, setText } from "./dom.js";
import { printableLines } from "./text.js";

/** The form. `done(session)` is called with the new session. */
export const signInView = (done, hasEnded) => {
  const field = h("input", {
    id: "token",
    type: "password",
    autocomplete: "current-password",
    required: true,
    spellcheck: "false",
    "aria-describedby": "sign-in-problem",
  });
  const problem = h("p", { id: "sign-in-problem", class: "problem-text", role: "alert" });
  const submit = h("button", { class: "primary", type: "submit" }, "Sign in");
  const form = h(
    "form",
    {
      id: "sign-in",
      class: "card sign-in",
      onsubmit: async (event) => {
        event.preventDefault();
        submit.disabled = true;
        try {
          const session = await call("POST", "/session", { body: { token: field.value.trim() } });
          field.value = "";
          done(session);
        } catch (error) {
          submit.disabled = false;
          field.value = "";
          problem.textContent = printableLines(
            error.status === 0
              ? "The coordinator does not respond. Try again in a moment."
              : `${error.detail.replace(/[.\s]*$/, "")}.`,
          );
          field.setAttribute("aria-invalid", "true");
          field.focus();
        }
      },
    },
    h("h1", {}, "Sign in"),
    h(
      "p",
      { class: "muted" },
      hasEnded
        ? "Your session has ended, or the coordinator has restarted. Sign in again to continue where you were."
        : "This farm needs a token. You stay signed in for 12 hours in this browser.",
    ),
    h("label", { class: "field" }, "Token", field),
    problem,
    submit,
    h(
      "details",
      {},
      h("summary", {}, "I have no token"),
      h("p", { class: "muted" }, "An operator can create one on the coordinator's host:"),
      h(
        "pre",
        { class: "code" },
        "sheaf-coordinator token create \\",
        h("br"),
        "  --data DIR --role submitter --name NAME",
      ),
    ),
  );
  setText(problem, "");
  return { node: h("div", { class: "page" }, form), shown: () => field.focus() };
};
