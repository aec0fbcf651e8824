"use strict";

// The page's behaviour: filters, one detail panel, the keyboard, and links to single rows. All text
// goes into the page as text, never as markup.

addEventListener("DOMContentLoaded", () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const words = Object.fromEntries(data.verdicts.map((v) => [v.key, v.words]));
  const symbols = Object.fromEntries(data.verdicts.map((v) => [v.key, v.symbol]));
  const byId = new Map(data.requirements.map((row) => [row.id, row]));
  spellOut();
  const table = document.getElementById("table");
  const detail = document.getElementById("detail");
  const controls = Object.fromEntries(
    ["text", "view", "document", "role", "strength", "verdict"].map((id) => [id, document.getElementById(id)]));
  let current = null;

  // Puts words in the place of the numbers by which the data names verdicts and texts that are said again and again.
  function spellOut() {
    const key = (at) => (at === null ? null : data.verdicts[at].key);
    const names = Object.keys(data.cases);
    for (const row of data.requirements) Object.assign(row, { verdicts: row.verdicts.map(key), cases: [] });
    for (const [name, about] of Object.entries(data.cases)) {
      if (!about.beyond) about.requirements.forEach((id) => byId.get(id)?.cases.push(name));
    }
    for (const column of data.toolchains) {
      const spelled = ([verdict, ...texts]) => [key(verdict), ...texts.map((at) => (at === null ? "" : data.texts[at]))];
      const judged = column.results.map((result, at) => result && [names[at], spelled(result)]);
      column.results = Object.fromEntries(judged.filter(Boolean));
    }
  }

  // Makes an element; a string among the parts becomes text.
  function make(tag, attributes = {}, ...parts) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...parts);
    return element;
  }

  // Text of which the parts between backticks are code.
  function rich(text) {
    const parts = text.split("`");
    return parts.length % 2 ? parts.map((part, at) => (at % 2 ? make("code", {}, part) : part)) : [text];
  }

  function verdict(key) {
    if (!key) return make("span", { class: "faint", title: "no case" }, "·", make("span", { class: "words" }, " no case"));
    return make("span", { class: key, title: words[key] }, symbols[key], make("span", { class: "words" }, ` ${words[key]}`));
  }

  // How many of a requirement's cases passed where not all of them could be judged: its verdict alone hides them. Of
  // what a toolchain borrows they show nothing.
  function inPart(row, at) {
    const { subject, results } = data.toolchains[at];
    const hidden = ["not-observable", "skipped"].includes(row.verdicts[at]);
    if (!hidden || (subject.borrows || []).includes(row.role)) return "";
    const verdicts = row.cases.filter((name) => results[name]).map((name) => results[name][0]);
    const passed = verdicts.filter((v) => v === "passed").length;
    return passed ? `${passed} of ${verdicts.length} cases passed` : "";
  }

  // The parts of a line that counts what each view shows of a toolchain.
  function counts(title, verdicts) {
    const line = [make("span", { class: "faint" }, title)];
    for (const { key, words: name } of data.verdicts) {
      const count = verdicts.filter((v) => v === key).length;
      if (count) line.push(make("span", { class: key }, `${count} ${name}`));
    }
    return line;
  }

  const counted = [];
  function summary() {
    for (const column of data.toolchains) {
      const { name, about, version } = column.subject;
      const ended = make("span", { class: "date" }, column.ended.slice(0, 16).replace("T", " "));
      const told = version ? [version, " · ", ended] : [ended];
      const lines = Object.fromEntries(["requirements", "cases"].map((view) => [view, make("div", { class: "counts" })]));
      counted.push(lines);
      document.getElementById("summary").append(make("div", { class: "card" },
        make("b", {}, name), make("p", {}, ...rich(about)), make("p", {}, ...told), ...Object.values(lines)));
    }
  }

  function options() {
    const values = (key) => [...new Set(data.requirements.map((row) => row[key]))].sort();
    for (const key of ["document", "role", "strength"]) {
      for (const value of values(key)) controls[key].append(make("option", { value }, value));
    }
    for (const { key, words: name } of data.verdicts) controls.verdict.append(make("option", { value: key }, name));
    controls.verdict.append(make("option", { value: "none" }, "no case"));
  }

  // The rows of either view; their elements are made when they are first shown.
  const views = {};
  function rows(view) {
    return views[view] ??= described(view).map((row) => ({ ...row, searched: row.search.join(" ").toLowerCase() }));
  }

  function part(row, at) {
    const text = byId.has(row.id) ? inPart(byId.get(row.id), at) : "";
    return text ? [make("div", { class: "faint words" }, text)] : [];
  }

  function line(row) {
    const made = make("tr", { id: row.id, tabindex: "-1" },
      make("td", { class: "id" }, row.id),
      make("td", {}, ...rich(row.text), make("div", { class: "faint" }, row.note)),
      ...row.verdicts.map((v, at) => make("td", { class: "verdict" }, verdict(v), ...part(row, at))));
    made.addEventListener("click", () => open(row.id));
    return made;
  }

  // What a row is called, what it says, its verdict by toolchain, and what filters look at.
  function described(view) {
    if (view === "requirements") {
      return data.requirements.map((row) => ({
        id: row.id, text: row.statement, note: `${row.strength} · ${row.role} · ${row.section}`,
        verdicts: row.verdicts, requirements: [row], search: [row.id, row.statement, row.section, ...row.cases],
      }));
    }
    return Object.entries(data.cases).map(([name, about]) => ({
      id: name, text: about.about, note: about.beyond ? `beyond the documents: ${about.beyond}` : about.requirements.join(" "),
      verdicts: data.toolchains.map((column) => column.results[name] && column.results[name][0]),
      requirements: about.requirements.map((id) => byId.get(id)).filter(Boolean),
      search: [name, about.about, ...about.requirements, ...about.requirements.map((id) => (byId.get(id) || {}).statement)],
    }));
  }

  function matches(row, terms) {
    if (!terms.every((term) => row.searched.includes(term))) return false;
    const chosen = ["document", "role", "strength"].every((key) =>
      !controls[key].value || row.requirements.some((r) => r[key] === controls[key].value));
    const wanted = controls.verdict.value;
    return chosen && (!wanted || row.verdicts.some((v) => (v || "none") === wanted));
  }

  function draw() {
    const terms = controls.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const seen = (view) => rows(view).filter((row) => matches(row, terms));
    const shown = seen(controls.view.value);
    for (const view of ["requirements", "cases"]) {
      const these = seen(view);
      counted.forEach((lines, at) => lines[view].replaceChildren(...counts(view, these.map((row) => row.verdicts[at]))));
    }
    const head = make("tr", {}, make("th", { scope: "col" }, controls.view.value.slice(0, -1)), make("th", { scope: "col" }, "asks for"),
      ...data.toolchains.map((column) => make("th", { scope: "col" }, column.subject.name)));
    table.tHead.replaceChildren(head);
    table.tBodies[0].replaceChildren(...shown.map((row) => row.line ??= line(row)));
    document.getElementById("shown").textContent = `${shown.length} of ${rows(controls.view.value).length}`;
    mark();
  }

  function mark() {
    for (const line of table.tBodies[0].rows) {
      line.classList.toggle("current", line.id === current);
      line.tabIndex = line.id === current ? 0 : -1;
    }
    if (table.tBodies[0].rows.length && !current) table.tBodies[0].rows[0].tabIndex = 0;
  }

  let inflated = null;
  // What was seen, inflated once, when it is first asked for.
  function evidence() {
    inflated ??= (async () => {
      const packed = Uint8Array.from(atob(document.getElementById("evidence").textContent), (c) => c.charCodeAt(0));
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
      return JSON.parse(await new Response(stream).text());
    })();
    return inflated;
  }

  function step(number, seen) {
    const parts = [make("summary", {}, `step ${number}: ${seen.ended}, ${seen.seconds.toFixed(2)} s`)];
    const add = (title, text) => { if (text) parts.push(make("div", { class: "faint" }, title), make("pre", {}, text)); };
    add("what does not hold", (seen.wrong || []).join("\n"));
    add("left out: the toolchain has no such golden text", (seen["without-golden"] || []).join("\n"));
    add("to repeat", seen.repeat);
    add("standard output", seen.stdout);
    add("standard error", seen.stderr);
    for (const { name, text } of seen.goldens || []) add(`golden text: ${name}`, text);
    return make("details", seen.wrong && seen.wrong.length ? { open: "" } : {}, ...parts);
  }

  // Steps that were not run, and why: of what they look at, the verdict says nothing.
  function leftOut({ setting, steps, reason }) {
    return make("details", {}, make("summary", {}, `left out: ${steps.length} with ${setting}: ${reason}`), make("pre", {}, steps.join("\n")));
  }

  async function caseDetail(name) {
    const about = data.cases[name];
    const section = make("section", {}, make("h3", {}, name), make("p", { class: "faint" }, ...rich(about ? about.about : "")));
    const seen = await evidence();
    data.toolchains.forEach((column, index) => {
      const result = column.results[name];
      if (!result) return;
      section.append(make("p", {}, make("b", {}, column.subject.name), " ", verdict(result[0])));
      const shown = (seen[name] || [])[index] || {};
      const steps = shown.steps || [];
      if (result[1]) section.append(make("p", { class: "faint" }, ...rich(result[1].split("\n")[0])));
      if (result[2] && !/^https?:/.test(result[2])) section.append(make("p", { class: "faint" }, `it departs from ${result[2]}`));
      if (/^https?:/.test(result[2] || "")) section.append(make("p", { class: "faint" }, "told at ", make("a", { href: result[2] }, result[2])));
      if (result[3]) section.append(make("details", {}, make("summary", {}, "by hand, with its tools alone"), make("pre", {}, result[3])));
      if (result[0] === "failed" && !steps.some((one) => one.wrong)) section.append(make("pre", {}, result[1]));
      for (const left of shown["left-out"] || []) section.append(leftOut(left));
      steps.forEach((one, at) => section.append(step(at + 1, one)));
    });
    return section;
  }

  async function open(id) {
    current = id;
    if (location.hash.slice(1) !== encodeURIComponent(id)) history.replaceState(null, "", `#${encodeURIComponent(id)}`);
    mark();
    const row = byId.get(id);
    const close = make("button", { class: "close", type: "button", "aria-label": "Close" }, "✕");
    close.addEventListener("click", shut);
    const parts = [close, make("h2", {}, id)];
    if (row) parts.push(make("p", {}, ...rich(row.statement)), make("p", { class: "faint" }, `${row.document} · ${row.section} · ${row.strength} · ${row.role}`));
    // What went wrong anywhere comes first.
    const wrong = (name) => data.toolchains.some(({ results }) => ["failed", "known-deviation"].includes((results[name] || [])[0]));
    const everywhere = row ? [...row.cases] : [id];
    everywhere.sort((a, b) => wrong(b) - wrong(a));
    const sections = await Promise.all(everywhere.map(caseDetail));
    if (current !== id) return;
    if (!sections.length) parts.push(make("p", { class: "faint" }, "No case of this run shows it."));
    detail.replaceChildren(...parts, ...sections);
    detail.hidden = false;
    detail.scrollTop = 0;
  }

  function shut() {
    current = null;
    detail.hidden = true;
    history.replaceState(null, "", location.pathname + location.search);
    mark();
  }

  function fromLink() {
    const id = decodeURIComponent(location.hash.slice(1));
    if (!id || (!byId.has(id) && !data.cases[id])) return;
    if (!byId.has(id)) { controls.view.value = "cases"; draw(); }
    open(id);
    const line = document.getElementById(id);
    if (line) line.scrollIntoView({ block: "center" });
  }

  addEventListener("keydown", (event) => {
    // The browser's own, such as Ctrl and J for its downloads.
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input, select");
    if (event.key === "/" && !typing) { event.preventDefault(); controls.text.focus(); return; }
    if (event.key === "Escape") { if (typing) event.target.blur(); shut(); return; }
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const lines = [...table.tBodies[0].rows];
    if (event.target.matches("select") || (typing && event.key.length === 1)) return;
    const at = lines.indexOf(document.activeElement);
    if (step && lines.length) {
      event.preventDefault();
      const next = lines[Math.min(Math.max(at + step, 0), lines.length - 1)];
      next.focus();
      next.scrollIntoView({ block: "nearest" });
      if (!detail.hidden) open(next.id);
    } else if (event.key === "Enter" && at >= 0) {
      open(lines[at].id);
    }
  });
  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  for (const control of Object.values(controls)) control.addEventListener("input", draw);
  addEventListener("hashchange", fromLink);

  summary();
  options();
  draw();
  fromLink();
});
