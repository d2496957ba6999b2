// The front, explored: what is pointed at is told, and of two that are selected, what distinguishes them.
// The rule: texts enter the page as texts (textContent), never as markup; without this script the tables say it all.
"use strict";
(() => {
  const record = JSON.parse(document.getElementById("record").textContent);
  const told = document.getElementById("told");
  const compared = document.getElementById("compared");
  const points = [...document.querySelectorAll("[data-place]")];
  let selected = [];
  document.documentElement.classList.add("scripted");

  const make = (name, text, kind) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };
  const names = (subset) => subset.names.map((k) => record.attributes[k]);
  const title = (subset) => (names(subset).length ? names(subset).join(", ") : "nothing");
  const value = (subset, k) =>
    subset.values[k] + (subset.spread[k] === null ? "" : " \u00b1 " + subset.spread[k]);

  const tell = (place) => {
    const subset = record.measured[place];
    told.replaceChildren(
      make("strong", (place === record.best ? "Recommended: " : "") + title(subset)),
      make("br"),
      make("span", record.criteria.map((c, k) => c.name + " " + value(subset, k)).join("; ")),
      make("br"),
      make("span", "measured as number " + (place + 1) + (subset.front ? ", on the front" : ", below the front"), "soft"),
    );
  };

  const row = (cells, head) => {
    const made = make("tr");
    cells.forEach((cell, k) => made.append(make(head || k === 0 ? "th" : "td", cell)));
    return made;
  };

  const distinguish = () => {
    if (selected.length < 2) {
      const left = selected.length ? "Select one more to compare it with." : "Select two to compare them.";
      compared.replaceChildren(make("p", left, "soft"));
      return;
    }
    const [a, b] = selected.map((place) => record.measured[place]);
    const table = make("table");
    table.append(make("caption", "What distinguishes the two"));
    const body = make("tbody");
    body.append(row(["", "A", "B"], true));
    record.criteria.forEach((c, k) =>
      body.append(row([c.heading, value(a, k), value(b, k)])));
    const inA = names(a), inB = names(b);
    const list = (some) => some.join(", ") || "nothing";
    body.append(row(["only in this one", list(inA.filter((x) => !inB.includes(x))), list(inB.filter((x) => !inA.includes(x)))]));
    table.append(body);
    const both = make("p", "In both: " + list(inA.filter((x) => inB.includes(x))));
    const said = record.questions
      .filter((q) => selected.includes(q.first) && selected.includes(q.second))
      .map((q) => q.told[q.first === selected[0] ? 0 : 1]);
    const known = make("p", said.length ? said.join("; ") : "You were not asked about these two.", "soft");
    compared.replaceChildren(table, both, known);
  };

  const select = (place) => {
    selected = selected.includes(place) ? selected.filter((other) => other !== place) : [...selected, place].slice(-2);
    for (const point of points) {
      const chosen = selected.includes(Number(point.dataset.place));
      point.classList.toggle("selected", chosen);
      point.setAttribute("aria-pressed", String(chosen));
    }
    distinguish();
  };

  for (const point of points) {
    const place = Number(point.dataset.place);
    point.addEventListener("mouseenter", () => tell(place));
    point.addEventListener("focus", () => tell(place));
    point.addEventListener("click", () => { tell(place); select(place); });
    if (point.tagName !== "BUTTON") {
      point.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); select(place); }
      });
    }
  }
  // on paper nothing can be unfolded
  window.addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll("details")) folded.open = true;
  });
  tell(record.best);
  distinguish();
})();
