// The clips of a sequence: reorder by mouse or keyboard, in and out, transitions, and what is wrong with each.
import { look } from "./clip-media.js";
import { button, fill, h, icon, keyed, setAttribute, setText } from "./dom.js";
import { parseTime, transitions } from "./sequence.js";
import { announce } from "./talk.js";
import { bytes } from "./text.js";
import { clockOf } from "./time.js";

/**
 * The list. `model.clips` are the clips; `model.fileOf(clip)` is a clip's entry among the files, `model.changed()` is
 * called after each change, and `model.again(entry)` asks for a file that has to be chosen again.
 */
export const clipList = (model) => {
  const node = h("ol", { class: "clips", "aria-label": "Clips in order" });
  let dragged;

  const move = (clip, step) => {
    const from = model.clips.indexOf(clip), to = Math.max(0, Math.min(model.clips.length - 1, from + step));
    if (from === to) return;
    model.clips.splice(from, 1);
    model.clips.splice(to, 0, clip);
    model.changed();
    announce(`${clip.file} is now clip ${to + 1} of ${model.clips.length}`);
  };

  const make = (clip) => {
    const canvas = h("canvas", { class: "thumb", width: 192, height: 108, "aria-hidden": "true" });
    const name = h("h3", { class: "line", dir: "auto" }), facts = h("p", { class: "muted small" }), again = h("div");
    const findings = h("ul", { class: "findings", id: `findings-${clip.id}` });
    const field = (key, word, hint) => {
      const input = h("input", {
        type: "text",
        inputmode: "decimal",
        placeholder: hint,
        value: clip[key],
        autocomplete: "off",
        "aria-describedby": `findings-${clip.id}`,
        oninput: () => {
          clip[key] = input.value;
          model.changed();
          if (key === "in") showPicture();
        },
      });
      return { input, node: h("label", { class: "field" }, word, input) };
    };
    const fields = { in: field("in", "In", "start"), out: field("out", "Out", "end") };
    const grip = button(icon("grip"), undefined, {
      class: "quiet square grip",
      title: "Drag, or press the up and down arrow keys",
    });
    grip.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      move(clip, step);
      grip.focus();
    });
    const kind = h(
      "select",
      {
        onchange: () => {
          clip.transition = kind.value;
          model.changed();
        },
      },
      Object.entries(transitions).map(([key, word]) =>
        h("option", { value: key, selected: key === clip.transition }, word)
      ),
    );
    const length = h("input", {
      type: "text",
      inputmode: "decimal",
      value: clip.transitionDuration,
      oninput: () => {
        clip.transitionDuration = length.value;
        model.changed();
      },
    });
    const unit = h("span", { class: "muted" }, "s");
    const joint = h("div", { class: "joint" }, icon("down"), kind, length, unit);
    const card = h(
      "div",
      { class: "card clip" },
      grip,
      canvas,
      h("div", { class: "clip-name" }, name, facts, again),
      fields.in.node,
      fields.out.node,
      button(icon("close"), () => {
        model.remove(clip);
        announce(`Removed ${clip.file}`);
      }, { class: "quiet square", "aria-label": `Remove ${clip.file}` }),
      findings,
    );
    const item = h("li", {}, joint, card);
    grip.draggable = true;
    grip.addEventListener("dragstart", (event) => {
      dragged = clip;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", clip.file);
      event.dataTransfer.setDragImage(card, 16, 16);
    });
    grip.addEventListener("dragend", () => {
      dragged = undefined;
      node.querySelectorAll(".over").forEach((each) => each.classList.remove("over"));
    });
    item.addEventListener("dragover", (event) => {
      if (dragged) {
        event.preventDefault();
        event.stopPropagation();
        item.classList.add("over");
      }
    });
    item.addEventListener("dragleave", () => item.classList.remove("over"));
    item.addEventListener("drop", (event) => {
      if (!dragged) return;
      event.preventDefault();
      event.stopPropagation();
      item.classList.remove("over");
      if (dragged !== clip) move(dragged, model.clips.indexOf(clip) - model.clips.indexOf(dragged));
    });
    let pictured, pictureTimer;
    const showPicture = () => {
      clearTimeout(pictureTimer);
      pictureTimer = setTimeout(async () => {
        const entry = model.fileOf(clip), key = `${entry?.file?.name}${entry?.file?.lastModified}${clip.in}`;
        if (!entry?.file || key === pictured) return;
        pictured = key;
        const found = await look(entry.file, canvas, Number(parseTime(clip.in || "0") ?? 0));
        if (!found) {
          clip.isUnknown = true;
          return update(clip);
        }
        Object.assign(clip, found);
        model.known();
      }, 150);
    };
    const update = (next) => {
      const index = model.clips.indexOf(next), entry = model.fileOf(next);
      setText(name, next.file);
      setAttribute(name, "title", next.file);
      setText(
        facts,
        [
          next.duration && clockOf(next.duration),
          next.width > 0 && `${next.width}×${next.height}`,
          entry && bytes(entry.size),
          next.width === 0 && "no picture: use it as music",
          next.isUnknown && "no preview in this browser",
        ].filter(Boolean).join(" · "),
      );
      setAttribute(grip, "aria-label", `Move ${next.file}, clip ${index + 1} of ${model.clips.length}`);
      setAttribute(fields.in.input, "aria-label", `In point of ${next.file}`);
      setAttribute(fields.out.input, "aria-label", `Out point of ${next.file}`);
      setAttribute(kind, "aria-label", `Transition into ${next.file}`);
      setAttribute(length, "aria-label", `Seconds of the transition into ${next.file}`);
      joint.hidden = index === 0;
      length.hidden = unit.hidden = next.transition === "cut";
      const own = model.findings.filter((each) => each.clip === next.id);
      for (const key of ["in", "out"]) {
        setAttribute(
          fields[key].input,
          "aria-invalid",
          own.some((each) => each.field === key) && "true",
        );
      }
      setAttribute(length, "aria-invalid", own.some((each) => each.field === "transition") && "true");
      fill(findings, own.map(finding));
      const isMissing = entry && !entry.file && entry.state !== "done";
      if (isMissing !== (again.firstChild !== null)) {
        fill(
          again,
          isMissing && button("Choose the file again", () => model.again(entry), { class: "link" }),
        );
      }
      showPicture();
    };
    return { node: item, update };
  };
  const items = keyed(make);
  return { node, show: () => items.show(node, model.clips) };
};

/** A finding beside what it concerns. */
export const finding = (each) =>
  h(
    "li",
    { class: each.isWarning ? "finding warn" : "finding", dir: "auto" },
    icon(each.isWarning ? "warning" : "failed"),
    h("span", {}, each.path && h("code", {}, `${each.path}: `), each.message),
  );
