// Submitting: drop media and a project file, or build a sequence.
import { clipList, finding } from "./clip-list.js";
import { button, fill, h, icon, keyed, setAttribute, setText } from "./dom.js";
import { address, go } from "./router.js";
import { lengthOf, presets } from "./sequence.js";
import { submission } from "./submission.js";
import { say } from "./talk.js";
import { bytes, percent, plural } from "./text.js";
import { clockOf } from "./time.js";
import { may } from "./store.js";

const accepted = "video/*,audio/*,image/*,.json,.mkv,.mov,.mxf,.ts,.m2ts,.mpg,.avi,.webm,.y4m,.heic,.avif";

/** Asks for files. */
const choose = (take, isMany = true) => {
  const input = h("input", { type: "file", accept: accepted, hidden: true, "aria-hidden": "true" });
  input.multiple = isMany;
  input.addEventListener("change", () => {
    take([...input.files]);
    input.remove();
  });
  document.body.append(input);
  input.click();
};

export const submitView = () => {
  const model = submission;
  model.again = (entry) => choose(([file]) => file && model.attach(entry, file), false);
  const clips = clipList(model);
  const picker = h("input", {
    type: "file",
    id: "files",
    class: "hidden-text",
    multiple: true,
    accept: accepted,
    onchange: () => {
      model.add([...picker.files]);
      picker.value = "";
    },
  });
  const dropText = h("h2"), dropHint = h("p", { class: "muted" });
  const drop = h(
    "div",
    { class: "drop" },
    icon("submit"),
    dropText,
    dropHint,
    picker,
    h("label", { class: "button", for: "files" }, "Choose files"),
  );
  const projectCard = h("div", { class: "card project-card", hidden: true });
  const length = h("span", { class: "muted number" });
  const clipHead = h("div", { class: "section-head" }, h("h2", {}, "Sequence ", length));
  const general = h("ul", { class: "findings", role: "alert" }), files = h("ul", { class: "uploads" });
  const settings = settingsForm(model);
  const start = h("button", { type: "submit", class: "primary" }, "Submit job"),
    stop = button("Pause", () => model.stop());
  const state = h("p", { class: "muted", role: "status" }),
    clear = button("Start over", () => model.reset(), { class: "quiet" });
  const form = h(
    "form",
    {
      class: "card submit-side",
      onsubmit: (event) => {
        event.preventDefault();
        model.submit(ended);
      },
    },
    settings.node,
    general,
    files,
    state,
    h("div", { class: "actions" }, start, stop, clear),
  );
  const sequence = h("section", {}, clipHead, clips.node);
  const node = h(
    "div",
    { class: "page" },
    h("h1", {}, "Submit"),
    h("div", { class: "submit-columns" }, h("div", { class: "stack" }, drop, projectCard, sequence), form),
  );

  const ended = (job) => {
    say(`Submitted “${job.name}”.`);
    if (node.isConnected) go(address("jobs", job.id));
  };
  // Only what this view shows may be dropped; elsewhere the browser would open the file.
  for (const name of ["dragover", "drop"]) {
    node.addEventListener(name, (event) => {
      if (![...event.dataTransfer?.types ?? []].includes("Files")) return;
      event.preventDefault();
      drop.classList.toggle("over", name === "dragover");
      if (name === "drop") model.add([...event.dataTransfer.files]);
    });
  }
  node.addEventListener("dragleave", (event) => {
    if (!node.contains(event.relatedTarget)) drop.classList.remove("over");
  });

  const uploads = keyed((entry) => {
    const name = h("span", { class: "line", dir: "auto" }),
      note = h("span", { class: "muted small number" }),
      bar = h("b");
    const meter = h("div", { class: "meter", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 }, bar),
      problem = h("p", { class: "problem-text small" });
    const again = button("Choose…", () => model.again(entry), { class: "link" });
    const item = h("li", {}, h("div", { class: "upload-line" }, name, note, again), meter, problem);
    return {
      node: item,
      update(next) {
        entry = next;
        const part = entry.size > 0 ? entry.done / entry.size : 0;
        setText(name, entry.name);
        setText(
          note,
          {
            hashing: `reading ${percent(entry.done, entry.size)}`,
            ready: bytes(entry.size),
            uploading: `${percent(entry.done, entry.size)} of ${bytes(entry.size)}`,
            done: "uploaded",
            failed: "failed",
            missing: entry.done > 0 ? `stopped at ${percent(entry.done, entry.size)}` : "missing",
          }[entry.state],
        );
        again.hidden = Boolean(entry.file) || entry.state === "done";
        setAttribute(again, "aria-label", `Choose ${entry.name}`);
        setText(problem, entry.problem ?? "");
        bar.style.width = `${100 * (entry.state === "done" ? 1 : part)}%`;
        setAttribute(meter, "aria-valuenow", String(Math.round(100 * (entry.state === "done" ? 1 : part))));
        setAttribute(meter, "aria-label", `${entry.name}, ${entry.state}`);
        item.dataset.state = entry.state;
      },
    };
  }, (entry) => entry.name);

  let shownProject;
  const update = () => {
    const isEmpty = model.isEmpty;
    drop.classList.toggle("small", !isEmpty);
    setText(dropText, isEmpty ? "Drop clips, or a project file with its media" : "Drop more files");
    setText(
      dropHint,
      isEmpty ? "Clips become a sequence that you can arrange here. A .json file is submitted as it is." : "",
    );
    projectCard.hidden = !model.project;
    sequence.hidden = Boolean(model.project) || model.clips.length === 0;
    form.hidden = isEmpty;
    if (model.project && model.project !== shownProject) {
      shownProject = model.project;
      fill(
        projectCard,
        icon("jobs"),
        h(
          "div",
          {},
          h("h2", { dir: "auto" }, model.project.name),
          h("p", { class: "muted" }, "This project is submitted as it is. Drop the files that it names."),
        ),
        button("Remove", () => model.dropProject(), { class: "quiet" }),
      );
    }
    clips.show();
    const seconds = lengthOf(model.clips);
    setText(length, seconds ? `${plural(model.clips.length, "clip")} · ${clockOf(seconds)}` : "");
    settings.update();
    const others = model.findings.filter((each) => !each.clip && !each.setting);
    const key = JSON.stringify(others);
    if (general.dataset.key !== key) {
      general.dataset.key = key;
      fill(general, others.map(finding));
    }
    const entries = [...model.files.values()];
    uploads.show(files, entries);
    const missing = entries.filter((each) => !each.file && each.state !== "done"),
      problems = model.findings.filter((each) => !each.isWarning).length;
    const isHashing = entries.some((each) => each.state === "hashing");
    start.hidden = model.isSubmitting;
    stop.hidden = !model.isSubmitting;
    start.disabled = isHashing || missing.length > 0 || problems > 0;
    const [done, all] = entries.reduce(
      ([a, b], each) => [a + (each.state === "done" ? each.size : each.done), b + each.size],
      [0, 0],
    );
    setText(
      state,
      model.isSubmitting
        ? (missing.length > 0
          ? `Waiting for ${plural(missing.length, "file")}: choose ${
            missing.length === 1 ? "it" : "them"
          } again to continue.`
          : done < all
          ? "Uploading. You may close or reload the page: the upload continues when you return."
          : "Submitting…")
        : problems > 0
        ? `${plural(problems, "problem")} to correct first.`
        : missing.length > 0
        ? `${plural(missing.length, "file")} missing.`
        : isHashing
        ? "Reading the files…"
        : "",
    );
  };
  model.onChange(() => {
    if (node.isConnected) requestUpdate();
  });
  let isScheduled = false;
  const requestUpdate = () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      update();
    });
  };
  if (may("submit")) {
    model.restore().then((isThere) => {
      model.resume(ended);
      if (isThere) update();
    });
  }
  update();
  return {
    node,
    shown: update,
    title: () => {
      const entries = [...model.files.values()].filter((each) => each.state === "uploading");
      return entries.length === 0 ? undefined : `${
        percent(
          entries.reduce((sum, each) => sum + each.done, 0),
          entries.reduce((sum, each) => sum + each.size, 0),
        )
      } uploaded`;
    },
  };
};

/** The settings of the output. */
const settingsForm = (model) => {
  const text = (key, word, properties = {}) => {
    const input = h("input", {
      type: "text",
      autocomplete: "off",
      ...properties,
      oninput: () => {
        model.settings[key] = input.value;
        model.changed();
      },
    });
    return { input, node: h("label", { class: "field" }, word, input) };
  };
  const name = text("name", "Name of the job", { maxlength: 200 }),
    title = text("title", "Title at the beginning", { maxlength: 200, placeholder: "none" });
  const preset = h("select", {
    onchange: () => {
      model.settings.preset = preset.value;
      model.changed();
    },
  }, Object.entries(presets).map(([key, word]) => h("option", { value: key }, word)));
  const music = h("span", { class: "line", dir: "auto" });
  const musicButton = button("", () =>
    model.settings.music.file ? model.setMusic("") : choose(([file]) => {
      if (!file) return;
      model.add([file]).then(() => {
        if (model.files.has(file.name)) {
          model.settings.music.file = file.name;
          model.clips = model.clips.filter((clip) => clip.file !== file.name);
          model.changed();
        }
      });
    }, false), { class: "quiet" });
  const volume = h("input", {
    type: "range",
    min: 0,
    max: 1,
    step: 0.05,
    "aria-label": "Volume of the music",
    oninput: () => {
      model.settings.music.volume = Number(volume.value);
      model.changed();
    },
  });
  const check = (key, word) => {
    const box = h("input", {
      type: "checkbox",
      onchange: () => {
        model.settings.music[key] = box.checked;
        model.changed();
      },
    });
    return { box, node: h("label", { class: "check" }, box, word) };
  };
  const loop = check("loop", "Repeat until the end"), duck = check("duck", "Lower it under speech");
  const musicMore = h("div", { class: "music-more" }, volume, loop.node, duck.node);
  const priority = h("input", {
    type: "number",
    min: -100,
    max: 100,
    step: 1,
    oninput: () => {
      model.settings.priority = Number(priority.value) || 0;
      model.changed();
    },
  });
  const notes = Object.fromEntries(["preset", "title", "music"].map((key) => [key, h("ul", { class: "findings" })]));
  const sequenceOnly = h(
    "div",
    { class: "document" },
    title.node,
    notes.title,
    h("label", { class: "field" }, "Quality", preset),
    notes.preset,
    h(
      "div",
      { class: "field", role: "group", "aria-label": "Music" },
      "Music",
      h("div", { class: "music-line" }, music, musicButton),
      musicMore,
    ),
    notes.music,
  );
  return {
    node: h(
      "div",
      { class: "document" },
      name.node,
      sequenceOnly,
      h("label", { class: "field" }, "Priority", priority),
    ),
    update() {
      const { settings } = model;
      if (document.activeElement !== name.input) name.input.value = settings.name;
      if (document.activeElement !== title.input) title.input.value = settings.title;
      if (document.activeElement !== priority) priority.value = settings.priority;
      name.input.placeholder = model.clips[0]?.file.replace(/\.[^.]*$/, "") ?? "untitled";
      preset.value = settings.preset;
      sequenceOnly.hidden = Boolean(model.project);
      setText(music, settings.music.file || "none");
      setText(musicButton, settings.music.file ? "Remove" : "Choose…");
      setAttribute(musicButton, "aria-label", settings.music.file ? "Remove the music" : "Choose music");
      musicMore.hidden = !settings.music.file;
      volume.value = settings.music.volume;
      [loop.box.checked, duck.box.checked] = [settings.music.loop, settings.music.duck];
      for (const [key, list] of Object.entries(notes)) {
        const own = model.findings.filter((each) => each.setting === key), shown = JSON.stringify(own);
        if (list.dataset.key !== shown) {
          list.dataset.key = shown;
          fill(list, own.map(finding));
        }
      }
    },
  };
};
