/// An accessibility audit that runs in the status page.
///
/// It checks what is rendered at the moment: names of controls and pictures, roles and their parents, landmarks, ids,
/// the order of the focus, the width of the page, and the contrast of every visible text (WCAG 2.2, 1.4.3), computed
/// from the rendered styles.
enum PageAudit {
  /// The script. Its result is a list of problems.
  static let script = #"""
    const problems = [];
    const isVisible = element => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      && element.getClientRects().length > 0 && !element.closest(".hidden-text, [hidden]");
    const describe = element => `<${element.tagName.toLowerCase()}${element.id ? ` id=${element.id}` : ""} class="${element.getAttribute("class") ?? ""}"> ${(element.textContent ?? "").trim().slice(0, 40)}`;
    const all = [...document.querySelectorAll("body *")];

    // Names.
    const textOf = id => document.getElementById(id)?.textContent ?? "";
    const nameOf = element => (element.getAttribute("aria-label")
      ?? element.getAttribute("aria-labelledby")?.split(/\s+/).map(textOf).join(" ")
      ?? ([...element.labels ?? []].map(label => label.textContent).join(" ") || element.textContent || element.getAttribute("alt") || element.getAttribute("title") || "")).trim();
    const controls = all.filter(element => element.matches("button, a[href], input, select, textarea, summary, video, [role=slider], [role=progressbar], [role=img]"));
    for (const element of controls.filter(isVisible)) if (nameOf(element) === "") problems.push(`no name: ${describe(element)}`);
    for (const element of all.filter(each => each.matches("img:not([alt])"))) problems.push(`no alt: ${describe(element)}`);
    for (const element of all.filter(each => each.matches("canvas:not([role]):not([aria-hidden])"))) problems.push(`no role: ${describe(element)}`);
    const names = {};
    for (const element of controls.filter(each => isVisible(each) && each.matches("main button"))) (names[nameOf(element)] ??= []).push(element);

    // Roles, landmarks, headings, ids.
    const parents = { row: "table, rowgroup", cell: "row", columnheader: "row", tab: "tablist", rowgroup: "table" };
    for (const [role, wanted] of Object.entries(parents)) for (const element of document.querySelectorAll(`[role=${role}]`)) {
      const parent = element.parentElement.closest("[role]")?.getAttribute("role");
      if (!wanted.split(", ").includes(parent)) problems.push(`role ${role} in ${parent}: ${describe(element)}`);
    }
    for (const [selector, what] of [["header", "banner"], ["main", "main"], ["h1", "first heading"]])
      if (document.querySelectorAll(selector).length !== 1) problems.push(`${document.querySelectorAll(selector).length} × ${what}`);
    if (document.documentElement.lang === "") problems.push("no language");
    const ids = all.map(element => element.id).filter(Boolean);
    for (const id of ids.filter((id, place) => ids.indexOf(id) !== place)) problems.push(`two elements have the id ${id}`);
    for (const element of all) for (const name of ["aria-labelledby", "aria-describedby", "aria-controls"])
      for (const id of element.getAttribute(name)?.split(/\s+/) ?? []) if (!document.getElementById(id)) problems.push(`${name} names ${id}, which does not exist: ${describe(element)}`);
    let level = 0;
    for (const heading of all.filter(each => each.matches("h1, h2, h3, h4") && (isVisible(each) || each.matches(".hidden-text")))) {
      const next = Number(heading.tagName[1]);
      if (next > level + 1) problems.push(`heading ${next} follows ${level}: ${describe(heading)}`);
      level = next;
    }

    // The focus follows the document.
    for (const element of all.filter(each => each.tabIndex > 0)) problems.push(`positive tabindex: ${describe(element)}`);

    // The page is not wider than the window.
    if (document.documentElement.scrollWidth > innerWidth) {
      const wide = all.filter(each => isVisible(each) && each.getBoundingClientRect().right > innerWidth + 1 && !each.closest(".scroll-x, .timeline-scroll")).slice(0, 3);
      problems.push(`${document.documentElement.scrollWidth} px wide in a window of ${innerWidth} px: ${wide.map(describe).join(" | ")}`);
    }

    // Contrast.
    const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true }), known = new Map();
    const rgba = color => {
      if (!known.has(color)) {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = color;
        context.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
        known.set(color, [r, g, b, a / 255]);
      }
      return known.get(color);
    };
    const over = (top, bottom, alpha = top[3]) => [0, 1, 2].map(i => top[i] * alpha + bottom[i] * (1 - alpha)).concat(1);
    const luminance = color => {
      const [r, g, b] = color.slice(0, 3).map(value => value / 255).map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const chain = element => { const found = []; for (let each = element; each; each = each.parentElement) found.unshift(each); return found; };
    const check = (element, color, what) => {
      let back = [255, 255, 255, 1], opacity = 1;
      for (const each of chain(element)) {
        const style = getComputedStyle(each);
        back = over(rgba(style.backgroundColor), back);
        opacity *= Number(style.opacity);
      }
      const text = over(rgba(color), back, rgba(color)[3] * opacity), [light, dark] = [luminance(text), luminance(back)].sort((a, b) => b - a);
      const ratio = (light + 0.05) / (dark + 0.05);
      if (ratio < 4.5) problems.push(`contrast ${ratio.toFixed(2)} of ${what}: ${describe(element)}`);
    };
    const seen = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (walker.currentNode.textContent.trim() === "" || seen.has(element) || element.closest("script, style, noscript, option, :disabled") || !isVisible(element)) continue;
      seen.add(element);
      check(element, getComputedStyle(element).color, "text");
    }
    for (const element of all.filter(each => each.matches("[placeholder]") && isVisible(each))) check(element, getComputedStyle(element, "::placeholder").color, "placeholder");
    return problems;
    """#
}
