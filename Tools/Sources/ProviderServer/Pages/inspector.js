"use strict";

// The inspector: reads exchanges as server-sent events, groups them by flow, and draws the chosen flow.
// Every text reaches the page as text: nothing here makes markup of a value.

const PARTIES = ["app", "browser", "provider", "backend", "resource"];
const DRAWN = 100;
const CHOICES = 500;

const $ = id => document.getElementById(id);

const state = {
  instance: null,
  known: 0,
  token: "",
  flows: new Map(),
  exchanges: [],
  shown: [],
  chosen: null,
  meanings: {},
  opened: new Set(),
  drawn: null,
  announces: false,
};

function element(name, classes, text) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  if (text !== undefined) made.textContent = text;
  return made;
}

function title(word) {
  return word[0].toUpperCase() + word.slice(1);
}

// MARK: Reading

function fields() {
  return state.token ? { Authorization: `Bearer ${state.token}` } : {};
}

async function listen() {
  let pause = 250;
  for (;;) {
    try {
      const response = await fetch(`inspector/events?after=${state.known}`, { headers: fields(), cache: "no-store" });
      if (response.status === 401) {
        await tokenEntered();
        continue;
      }
      if (!response.ok) throw new Error(await response.text());
      pause = 250;
      $("state").textContent = "Live";
      await read(response.body.getReader());
    } catch (error) {
      $("state").textContent = `Not connected: ${error.message}`;
      pause = Math.min(2 * pause, 5000);
    }
    await new Promise(done => setTimeout(done, pause));
  }
}

async function read(reader) {
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const line = event.split("\n").find(line => line.startsWith("data: "));
      if (line && !take(JSON.parse(line.slice(6)))) {
        await reader.cancel();
        return;
      }
    }
  }
}

// Whether the stream goes on: another process counts from 1 again.
function take(message) {
  if (state.instance !== message.instance) {
    const isNew = state.instance !== null;
    state.instance = message.instance;
    if (isNew) {
      forgetBefore(Infinity);
      state.known = 0;
      return false;
    }
  }
  forgetBefore(message.first);
  message.exchanges.forEach(add);
  plan();
  return true;
}

function add(exchange) {
  state.known = exchange.number;
  exchange.search = texts(exchange).join("\n").toLowerCase();
  state.exchanges.push(exchange);
  let flow = state.flows.get(exchange.flow);
  if (!flow) {
    flow = { number: exchange.flow, exchanges: [], client: "", user: "", refused: 0 };
    state.flows.set(flow.number, flow);
  }
  flow.exchanges.push(exchange);
  flow.client ||= exchange.client_id ?? "";
  flow.user ||= exchange.user ?? "";
  if (exchange.refused) flow.refused += 1;
  flow.matches = matches(flow);
  offer("client", exchange.client_id);
  offer("user", exchange.user);
  offer("endpoint", exchange.endpoint);
}

function forgetBefore(first) {
  const count = state.exchanges.findIndex(exchange => exchange.number >= first);
  for (const exchange of state.exchanges.splice(0, count < 0 ? state.exchanges.length : count)) {
    const flow = state.flows.get(exchange.flow);
    flow.exchanges.shift();
    if (exchange.refused) flow.refused -= 1;
    flow.matches = matches(flow);
    if (!flow.exchanges.length) state.flows.delete(flow.number);
  }
}

function texts(exchange) {
  const pairs = [exchange.parameters, exchange.response].flatMap(Object.entries);
  const reports = exchange.reports.flatMap(report => Object.values(report));
  return [
    exchange.method, place(exchange), exchange.client_id ?? "", exchange.user ?? "", exchange.status ?? "",
    exchange.scenario ?? "", exchange.location ?? "", ...pairs.flat(2), ...reports,
  ].map(String);
}

// A request of the provider has the origin of its receiver.
function place(exchange) {
  return `${exchange.origin ?? ""}${exchange.path}`;
}

function tokenEntered() {
  $("state").textContent = "Closed";
  $("opener").hidden = false;
  $("refusal").textContent = state.token ? "This is not the token." : "";
  $("token").focus();
  return new Promise(done => {
    $("opener").onsubmit = event => {
      event.preventDefault();
      state.token = $("token").value.trim();
      $("token").value = "";
      $("opener").hidden = true;
      done();
    };
  });
}

// MARK: Filters

const offered = { client: new Set(), user: new Set(), endpoint: new Set() };

function offer(name, value) {
  if (!value || offered[name].has(value) || offered[name].size >= CHOICES) return;
  offered[name].add(value);
  const option = element("option", "", value);
  option.value = value;
  $(name).append(option);
}

function filters() {
  return {
    text: $("text").value.trim(), client_id: $("client").value, user: $("user").value, endpoint: $("endpoint").value,
    refused: $("refused").checked ? "true" : "",
  };
}

let filter = filters();

function matches(flow) {
  const text = filter.text.toLowerCase();
  return (!filter.client_id || flow.exchanges.some(exchange => exchange.client_id === filter.client_id))
    && (!filter.user || flow.exchanges.some(exchange => exchange.user === filter.user))
    && flow.exchanges.some(exchange =>
      (!filter.endpoint || exchange.endpoint === filter.endpoint) && (!filter.refused || exchange.refused)
        && (!text || exchange.search.includes(text)));
}

function changeFilters() {
  filter = filters();
  for (const flow of state.flows.values()) flow.matches = matches(flow);
  $("flows").scrollTop = 0;
  state.announces = true;
  plan();
}

// MARK: The list of flows, of which only those in view are elements

const list = $("flows");
const rows = [];
let isPlanned = false;

function plan() {
  if (isPlanned) return;
  isPlanned = true;
  // Not with the next frame: there is none while the window is hidden.
  setTimeout(() => {
    isPlanned = false;
    render();
  }, 16);
}

function rowHeight() {
  return 4 * parseFloat(getComputedStyle(document.documentElement).fontSize);
}

function render() {
  const before = state.shown.length;
  state.shown = [...state.flows.values()].filter(flow => flow.matches).reverse();
  if ($("follow").checked && state.shown.length) state.chosen = state.shown[0].number;
  if (!state.shown.some(flow => flow.number === state.chosen)) state.chosen = state.shown[0]?.number ?? null;
  // New flows come on top: what the reader looks at stays where it is.
  if (list.scrollTop > 0 && state.shown.length > before) {
    list.scrollTop += (state.shown.length - before) * rowHeight();
  }
  const refused = state.shown.filter(flow => flow.refused).length;
  $("flows-title").textContent = `Flows (${state.shown.length}, ${refused} refused)`;
  if (state.announces) $("told").textContent = `${state.shown.length} flows, ${refused} refused.`;
  state.announces = false;
  $("empty").hidden = state.shown.length > 0;
  $("empty").textContent = state.flows.size
    ? "No flow is like that. Clear the filters."
    : "No flow yet. Send a client here to sign in: it appears while it runs.";
  list.hidden = !state.shown.length;
  $("space").style.height = `${state.shown.length * rowHeight()}px`;
  renderRows();
  draw();
}

function renderRows() {
  const height = rowHeight();
  const first = Math.max(0, Math.floor(list.scrollTop / height) - 3);
  const count = Math.min(state.shown.length - first, Math.ceil(list.clientHeight / height) + 6);
  while (rows.length < count) {
    const row = element("div", "flow");
    row.setAttribute("role", "option");
    row.append(element("span", "name"), element("span", "more"));
    rows.push(row);
    list.append(row);
  }
  while (rows.length > Math.max(count, 0)) rows.pop().remove();
  rows.forEach((row, place) => {
    const flow = state.shown[first + place];
    row.id = `flow-${flow.number}`;
    row.dataset.flow = flow.number;
    row.className = flow.refused ? "flow refused" : "flow";
    row.style.transform = `translateY(${(first + place) * height}px)`;
    row.setAttribute("aria-selected", String(flow.number === state.chosen));
    row.setAttribute("aria-posinset", first + place + 1);
    row.setAttribute("aria-setsize", state.shown.length);
    row.children[0].textContent = name(flow);
    row.children[1].textContent = summary(flow);
  });
  const isRendered = rows.some(row => row.dataset.flow === String(state.chosen));
  if (isRendered) list.setAttribute("aria-activedescendant", `flow-${state.chosen}`);
  else list.removeAttribute("aria-activedescendant");
}

function name(flow) {
  const who = [flow.client || flow.exchanges[0].path, flow.user].filter(Boolean).join(", ");
  return `${flow.number}: ${who}`;
}

function summary(flow) {
  const last = flow.exchanges[flow.exchanges.length - 1];
  const time = new Date(1000 * flow.exchanges[0].time).toLocaleTimeString();
  const count = flow.exchanges.length === 1 ? "1 request" : `${flow.exchanges.length} requests`;
  const refused = flow.refused ? `${flow.refused} refused, ` : "";
  return `${time}, ${count}, ${refused}last ${last.method} ${place(last)}`;
}

function choose(place) {
  if (!state.shown.length) return;
  const index = Math.max(0, Math.min(place, state.shown.length - 1));
  state.chosen = state.shown[index].number;
  $("follow").checked = false;
  const height = rowHeight();
  if (index * height < list.scrollTop) list.scrollTop = index * height;
  if ((index + 1) * height > list.scrollTop + list.clientHeight) {
    list.scrollTop = (index + 1) * height - list.clientHeight;
  }
  renderRows();
  draw();
}

// MARK: The diagram of the chosen flow

function draw() {
  const flow = state.flows.get(state.chosen);
  $("drawing").hidden = !flow;
  if (!flow) {
    $("title").textContent = "No flow is chosen";
    $("about").textContent = "";
    $("messages").replaceChildren();
    $("earlier").hidden = true;
    state.drawn = null;
    return;
  }
  const client = flow.exchanges.some(exchange => [exchange.from, exchange.to].includes("backend")) ? "backend" : "app";
  const used = new Set(["provider"]);
  for (const exchange of flow.exchanges) {
    used.add(exchange.from).add(exchange.to);
    if (exchange.to_client && exchange.from === "browser") used.add(client);
  }
  const parties = PARTIES.filter(party => used.has(party));
  $("title").textContent = `Flow ${name(flow)}`;
  $("about").textContent = summary(flow);
  const hidden = Math.max(0, flow.exchanges.length - DRAWN);
  $("earlier").hidden = !hidden;
  $("earlier").textContent = `${hidden} earlier requests are in the export.`;
  const key = `${flow.number} ${parties.join()}`;
  if (state.drawn !== key) {
    state.drawn = key;
    const columns = `repeat(${parties.length}, minmax(0, 1fr))`;
    for (const id of ["parties", "lifelines"]) {
      $(id).style.gridTemplateColumns = columns;
      $(id).replaceChildren(...parties.map(party => element("span", "", id === "parties" ? title(party) : "")));
    }
    $("messages").replaceChildren();
  }
  const drawn = $("messages").children;
  const wanted = flow.exchanges.slice(hidden);
  while (drawn.length && Number(drawn[0].dataset.number) < wanted[0].number) drawn[0].remove();
  const last = drawn.length ? Number(drawn[drawn.length - 1].dataset.number) : 0;
  for (const exchange of wanted) if (exchange.number > last) $("messages").append(message(exchange, parties, client));
}

function message(exchange, parties, client) {
  const item = element("li", exchange.refused ? "exchange refused" : "exchange");
  item.dataset.number = exchange.number;
  item.style.gridTemplateColumns = `repeat(${2 * parties.length}, minmax(0, 1fr))`;
  const request = arrow("button", exchange.from, exchange.to, parties, `${exchange.method} ${place(exchange)}`);
  request.type = "button";
  item.append(request);
  for (const report of exchange.reports) item.append(note(report));
  const answer = arrow("p", exchange.to, exchange.from, parties, outcome(exchange));
  answer.classList.add("answer");
  item.append(answer);
  if (exchange.to_client && exchange.from === "browser") {
    const names = Object.keys(exchange.response).join(", ");
    item.append(arrow("p", "browser", client, parties, `${exchange.location} ${names}`));
  }
  const details = element("div", "details");
  details.id = `details-${exchange.number}`;
  request.setAttribute("aria-controls", details.id);
  const open = isOpen => {
    request.setAttribute("aria-expanded", String(isOpen));
    details.hidden = !isOpen;
    if (isOpen && !details.childElementCount) details.append(...explained(exchange));
    if (isOpen) state.opened.add(exchange.number);
    else state.opened.delete(exchange.number);
  };
  open(state.opened.has(exchange.number));
  request.addEventListener("click", () => open(details.hidden));
  item.append(details);
  return item;
}

function arrow(tag, from, to, parties, text) {
  const [start, end] = [parties.indexOf(from), parties.indexOf(to)];
  const made = element(tag, `arrow ${start < end ? "right" : "left"}`);
  made.style.gridColumn = `${2 * Math.min(start, end) + 2} / ${2 * Math.max(start, end) + 2}`;
  made.append(element("span", "unseen", `${title(from)} to ${title(to)}: `), element("b", "", text));
  return made;
}

function outcome(exchange) {
  const words = [exchange.status ?? "no response"];
  if (exchange.response.error) words.push(exchange.response.error);
  if (exchange.location) words.push(`to ${exchange.location}`);
  else if (!exchange.response.error) words.push(Object.keys(exchange.response).join(", "));
  return words.join(" ");
}

function note(report) {
  const made = element("div", ["refused", "undelivered"].includes(report.outcome) ? "note bad" : "note");
  made.append(element("p", "", `${title(report.outcome)}: ${report.reason}`));
  if (report.rule) made.append(element("p", "", `Rule: ${report.rule}`));
  if (report.mend) made.append(element("p", "", `Mend: ${report.mend}`));
  return made;
}

function explained(exchange) {
  const parts = [];
  if (exchange.scenario) parts.push(element("p", "", `Played the fault ${exchange.scenario}.`));
  const own = { ...exchange.parameters };
  if (exchange.authorization) own.Authorization = `${exchange.authorization} [redacted]`;
  if (exchange.proof) own.DPoP = "[redacted]";
  for (const [caption, members] of [["Request", own], ["Response", exchange.response]]) {
    if (Object.keys(members).length) parts.push(table(caption, members));
  }
  const command = element("pre", "", exchange.curl);
  command.tabIndex = 0;
  command.setAttribute("role", "region");
  command.setAttribute("aria-label", `curl command of request ${exchange.number}`);
  const button = element("button", "copy", "Copy as curl");
  button.type = "button";
  button.addEventListener("click", () => copy(command));
  parts.push(button, command);
  return parts;
}

const FIELD_MEANINGS = {
  Authorization: { meaning: "The credentials of the client, or its access token.", source: "RFC 9110 section 11.6.2" },
  DPoP: { meaning: "The proof that the sender has the key.", source: "RFC 9449 section 4" },
};

function table(caption, members) {
  const made = element("table");
  made.append(element("caption", "", caption));
  const head = element("tr");
  for (const text of ["Name", "Value", "Meaning", "Source"]) {
    const cell = element("th", "", text);
    cell.scope = "col";
    head.append(cell);
  }
  const header = element("thead");
  header.append(head);
  const body = element("tbody");
  for (const [member, value] of Object.entries(members)) {
    const known = Object.hasOwn(state.meanings, member) ? state.meanings[member] : FIELD_MEANINGS[member];
    const row = element("tr");
    const first = element("th");
    first.scope = "row";
    first.append(element("code", "", member));
    const second = element("td");
    second.append(element("code", "", [value].flat().join(" | ")));
    row.append(first, second, element("td", "", known?.meaning ?? "Not a parameter of this provider."));
    row.append(element("td", "", known?.source ?? ""));
    body.append(row);
  }
  made.append(header, body);
  return made;
}

async function copy(command) {
  try {
    await navigator.clipboard.writeText(command.textContent);
    $("told").textContent = "Copied. Set the variables in it before you run it.";
  } catch {
    getSelection().selectAllChildren(command);
    $("told").textContent = "The command is selected: copy it with the keyboard.";
  }
}

// MARK: Export

async function save(form) {
  const query = new URLSearchParams({ form });
  const chosen = $("scope").value === "flow" ? { flow: state.chosen ?? "" } : filter;
  for (const [name, value] of Object.entries(chosen)) if (value !== "") query.set(name, value);
  try {
    const response = await fetch(`inspector/export?${query}`, { headers: fields(), cache: "no-store" });
    if (!response.ok) throw new Error(await response.text());
    const link = element("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = `flows.${form}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    $("told").textContent = `Saved flows.${form}.`;
  } catch (error) {
    $("told").textContent = `Not saved: ${error.message}`;
  }
}

// MARK: Keyboard

function onListKey(event) {
  const place = state.shown.findIndex(flow => flow.number === state.chosen);
  const page = Math.max(1, Math.floor(list.clientHeight / rowHeight()) - 1);
  const target = {
    ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + page, PageUp: place - page, Home: 0,
    End: state.shown.length - 1,
  }[event.key];
  if (target !== undefined) {
    event.preventDefault();
    choose(target);
  } else if (event.key === "Enter") {
    event.preventDefault();
    $("messages").querySelector("button")?.focus();
  }
}

function onMessageKey(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !event.target.matches(".arrow")) return;
  event.preventDefault();
  const all = [...$("messages").querySelectorAll("button.arrow")];
  all[all.indexOf(event.target) + step]?.focus();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.matches("input:not([type=checkbox]), select, textarea");
  if (event.key === "/" && !isTyping && $("slash").checked) {
    event.preventDefault();
    $("text").focus();
  } else if (event.key === "Escape") {
    if (event.target === $("text") && $("text").value) {
      $("text").value = "";
      changeFilters();
    } else if (!list.hidden) {
      list.focus();
    }
  }
}

list.addEventListener("scroll", renderRows, { passive: true });
list.addEventListener("keydown", onListKey);
list.addEventListener("click", event => {
  const row = event.target.closest(".flow");
  if (row) choose(state.shown.findIndex(flow => flow.number === Number(row.dataset.flow)));
});
$("messages").addEventListener("keydown", onMessageKey);
document.addEventListener("keydown", onKey);
new ResizeObserver(renderRows).observe(list);
$("filters").addEventListener("submit", event => event.preventDefault());
$("filters").addEventListener("input", changeFilters);
$("filters").addEventListener("change", changeFilters);
$("filters").addEventListener("reset", () => setTimeout(changeFilters));
$("follow").addEventListener("change", plan);
// A shortcut of one character can be turned off (WCAG 2.2, 2.1.4).
$("slash").checked = localStorage.getItem("inspector-slash") !== "off";
$("slash").addEventListener("change", () => localStorage.setItem("inspector-slash", $("slash").checked ? "on" : "off"));
$("exports").addEventListener("click", event => {
  const form = event.target.dataset.form;
  if (form) save(form);
});

fetch("inspector/parameters.json").then(response => response.json()).then(meanings => {
  state.meanings = meanings;
});
render();
listen();
