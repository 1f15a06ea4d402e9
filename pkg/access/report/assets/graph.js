"use strict";
// Draws the graph that the page holds. It asks nobody for anything.
(() => {
  const most = 200; // names in one list, and lines at a time
  const byId = (id) => document.getElementById(id);
  const make = (name, attributes, ...children) => {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "onclick") e.addEventListener("click", value);
      else e.setAttribute(key, value);
    }
    e.append(...children);
    return e;
  };
  const plural = (n, word) => n + " " + word + (n === 1 ? "" : "s");
  const map = byId("map"), lines = byId("lines"), details = byId("details");
  const search = byId("search"), filter = byId("namespace");

  // What each node is part of.
  const clientOf = new Map(), portsOf = new Map(), edgesOf = graph.servers.map(() => []);
  graph.clients.forEach((c, i) => c.nodes.forEach((n) => clientOf.set(n, i)));
  graph.servers.forEach((ports, i) => ports.forEach((p) => {
    if (!portsOf.has(p.node)) portsOf.set(p.node, []);
    portsOf.get(p.node).push({ port: p.port, servers: i });
  }));
  graph.edges.forEach((e) => edgesOf[e.servers].push(e));

  const classOf = (n) => n.external ? "external" : n.gateway ? "gateway" : n.open ? "open" : n.serves ? "guarded" : "client";
  const short = (n) => n.name.slice(n.name.indexOf("/") + 1);
  const words = (n) => n.external ? "out of the mesh" : n.gateway ? "gateway" : n.open ? "open to everybody" : "";

  // The chips, by namespace.
  const chips = [], sections = new Map();
  const namespaces = [...new Set(graph.nodes.map((n) => n.namespace))].sort();
  for (const name of namespaces) {
    const box = make("div", { class: "chips" });
    const section = make("section", { class: "namespace", "aria-label": "Namespace " + name }, make("h2", {}, name), box);
    sections.set(name, { section, box });
    map.append(section);
    filter.append(make("option", { value: name }, name));
  }
  graph.nodes.forEach((n, i) => {
    const chip = make("button", { type: "button", class: "chip " + classOf(n), "aria-pressed": "false", "data-name": n.name, onclick: () => choose(i) }, make("span", {}, short(n)));
    if (words(n)) chip.append(make("small", {}, words(n)));
    chips.push(chip);
    sections.get(n.namespace).box.append(chip);
  });

  const hash = (i) => "#" + encodeURIComponent(graph.nodes[i].name);
  let chosen = -1;
  function choose(i) {
    if (chosen >= 0) chips[chosen].setAttribute("aria-pressed", "false");
    chosen = i === chosen ? -1 : i;
    if (chosen >= 0) chips[chosen].setAttribute("aria-pressed", "true");
    history.replaceState(null, "", chosen >= 0 ? hash(chosen) : "#");
    describe();
    draw();
  }
  function go(i) {
    if (chips[i].hidden || sections.get(graph.nodes[i].namespace).section.hidden) {
      search.value = "";
      filter.value = "";
      show();
    }
    if (chosen !== i) choose(i);
    chips[i].focus();
    chips[i].scrollIntoView({ block: "nearest" });
  }

  const link = (i, text) => make("a", { href: hash(i), onclick: (event) => { event.preventDefault(); go(i); } }, text || graph.nodes[i].name);
  const why = (e, place) => e.reasons[place] >= 0 ? graph.reasons[e.reasons[place]] : "ask ringfence access explain";

  // list writes entries up to a bound.
  function list(entries) {
    const ul = make("ul");
    for (const entry of entries.slice(0, most)) ul.append(make("li", {}, ...entry));
    if (entries.length > most) ul.append(make("li", {}, "and " + (entries.length - most) + " more"));
    return ul;
  }
  const answer = (text) => make("b", { class: text }, text);
  const reason = (text) => make("span", { class: "why" }, " (" + text + ")");

  function describe() {
    details.replaceChildren();
    if (chosen < 0) {
      details.append(make("p", {}, "Choose a workload to see who reaches it, what it reaches, and why."));
      return;
    }
    const n = graph.nodes[chosen];
    details.append(make("h2", {}, n.name), make("p", { class: "quiet" }, n.kind + (n.principal ? ", identity " + n.principal : "") + (n.proxy ? ": " + n.proxy : "")));
    if (n.external) return;
    if (n.hosts) {
      details.append(make("h3", {}, "Hosts, from outside"));
      const named = (port) => n.hosts.some((h) => h.port === port && h.host !== "*");
      details.append(list(n.hosts.map((h) => [
        (h.host !== "*" ? h.host : named(h.port) ? "any other host" : "any host") + " on port " + h.port + ": ", answer(h.answer),
        h.leads.length ? " to " + h.leads.join(", ") : "", reason(h.reason)])));
    }
    for (const { port, servers } of portsOf.get(chosen) || []) {
      details.append(make("h3", {}, "Who reaches port " + port));
      const edges = edgesOf[servers];
      if (edges.length === 0) details.append(make("p", {}, "Nobody."));
      for (const e of edges) {
        if (e.everybody) {
          details.append(make("p", {}, answer("yes"), ": everybody, outside of the cluster too", reason(why(e, 0))));
          continue;
        }
        if (e.omitted) {
          details.append(make("p", {}, answer(e.answer), ": " + plural(e.omitted, "group") + " of clients, too many for this page: ask ringfence access matrix --to " + n.name));
          continue;
        }
        const entries = [];
        e.clients.forEach((c, place) => {
          for (const i of graph.clients[c].nodes) entries.push([link(i), reason(why(e, place))]);
          if (graph.clients[c].outside) entries.push(["everybody outside of the cluster", reason(why(e, place))]);
        });
        details.append(make("p", {}, answer(e.answer), ": " + plural(entries.length, "client")), list(entries));
      }
    }
    const reached = [], open = [];
    const group = clientOf.get(chosen);
    for (const e of graph.edges) {
      const place = e.clients.indexOf(group);
      if (place < 0) continue;
      for (const p of graph.servers[e.servers]) {
        (e.everybody ? open : reached).push([link(p.node, graph.nodes[p.node].name + ":" + p.port), " ", answer(e.answer), reason(why(e, place))]);
      }
    }
    details.append(make("h3", {}, "What it reaches"));
    if (reached.length) details.append(list(reached));
    else details.append(make("p", {}, "Nothing that policies admit it to."));
    if (graph.edges.some((e) => e.omitted)) details.append(make("p", {}, "Some ports have too many clients for this page: ask ringfence access matrix --from " + n.name));
    if (open.length) details.append(make("details", {}, make("summary", {}, plural(open.length, "port") + " that everybody reaches"), list(open)));
  }

  // The lines: those of the chosen node, else all where there are few.
  function pairs() {
    const out = [];
    const add = (from, to, e, kind) => { if (from !== to && out.length <= most) out.push({ from, to, kind: kind + (e.answer === "unknown" ? " unknown" : "") }); };
    for (const e of graph.edges) {
      if (e.everybody) continue;
      for (const c of e.clients) {
        for (const from of graph.clients[c].nodes) {
          for (const p of graph.servers[e.servers]) {
            if (chosen < 0) add(from, p.node, e, "faint");
            else if (p.node === chosen) add(from, p.node, e, "in");
            else if (from === chosen) add(from, p.node, e, "out");
            if (out.length > most) return chosen < 0 ? [] : out;
          }
        }
      }
    }
    return out;
  }
  const visible = (i) => !chips[i].hidden && !sections.get(graph.nodes[i].namespace).section.hidden;
  function draw() {
    const origin = map.getBoundingClientRect();
    const fragment = document.createDocumentFragment();
    for (const { from, to, kind } of pairs()) {
      if (!visible(from) || !visible(to)) continue;
      const a = chips[from].getBoundingClientRect(), b = chips[to].getBoundingClientRect();
      const down = b.top >= a.top;
      const x1 = a.left + a.width / 2 - origin.left, y1 = (down ? a.bottom : a.top) - origin.top;
      const x2 = b.left + b.width / 2 - origin.left, y2 = (a.top === b.top ? b.bottom : down ? b.top : b.bottom) - origin.top;
      const bend = Math.max(14, Math.abs(y2 - y1) / 2) * (down ? 1 : -1);
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 + (a.top === b.top ? bend : -bend)} ${x2} ${y2}`);
      path.setAttribute("class", kind);
      fragment.append(path);
    }
    lines.replaceChildren(fragment);
  }
  let waiting = false;
  function later() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }

  function show() {
    const text = search.value.trim().toLowerCase(), only = filter.value;
    let count = 0;
    for (const [name, { section }] of sections) section.hidden = true;
    graph.nodes.forEach((n, i) => {
      const hit = (only === "" || n.namespace === only) && n.name.toLowerCase().includes(text);
      chips[i].hidden = !hit;
      if (hit) {
        count++;
        sections.get(n.namespace).section.hidden = false;
      }
    });
    byId("count").textContent = plural(count, "workload");
    later();
  }

  search.addEventListener("input", show);
  filter.addEventListener("change", show);
  byId("controls").addEventListener("submit", (event) => event.preventDefault());
  addEventListener("resize", later);
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && chosen >= 0) choose(chosen);
    if (event.key === "/" && document.activeElement !== search) {
      event.preventDefault();
      search.focus();
    }
  });
  if (namespaces.includes(graph.namespace)) filter.value = graph.namespace;
  show();
  const named = decodeURIComponent(location.hash.slice(1));
  const start = graph.nodes.findIndex((n) => n.name === named);
  if (start >= 0) choose(start);
})();
