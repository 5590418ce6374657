// The embed's page: a scenario's result at a step, with no editor. It asks the same worker as the
// playground; where workers are not allowed (a sandbox without an origin) it loads the simulator
// into itself; where even that fails, the scenario's text and a link stay. It keeps nothing and
// never changes its own address.

import { type FromFrame, toFrame } from "./embed-messages";

/** Version of the messages to the simulator (`sealab_protocol::VERSION`). */
const VERSION = 1;
/** Longest rest between a new width and the picture for it, in milliseconds. */
const REST_MS = 120;

interface Variant {
  kernel: string;
  memory: string;
  cpu: string;
}

interface Link {
  text: string;
  variants: Variant[];
  maps: string | null;
  view: string | null;
  step: number | null;
  theme: string | null;
  pid: number | null;
}

interface Drawn {
  step: number;
  steps: number;
  caption: string;
  svg: string;
  table: string;
  differences: string[];
}

interface Fault {
  code: string;
  message: string;
}

interface Answer {
  id: number;
  kind: string;
  body: unknown;
}

const script = document.currentScript as HTMLScriptElement;

function part<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

const slider = part<HTMLInputElement>("step");
const caption = part("caption");
const picture = part("picture");
const status = part("status");
const stage = part("stage");

function tell(message: FromFrame): void {
  // A frame cannot know who embeds it; what it says is what its reader sees.
  if (parent !== window) parent.postMessage({ sealab: 1, ...message }, "*");
}

const address = (name: string) => new URL(script.dataset[name] ?? "", document.baseURI).href;

/** The simulator, in a worker or in this page. */
class Door {
  #next = 1;
  #waiting = new Map<number, { done: (body: unknown) => void; failed: (why: Fault) => void }>();
  #send: Promise<(message: unknown) => void>;

  constructor() {
    this.#send = this.#worker().catch(() => this.#inside());
  }

  async ask<T>(kind: string, body: unknown): Promise<T> {
    const id = this.#next++;
    const send = await this.#send;
    return new Promise<T>((done, failed) => {
      this.#waiting.set(id, { done: done as (body: unknown) => void, failed });
      send({ v: VERSION, id, kind, body });
    });
  }

  #hear(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    if (!waiting || answer.kind === "progress") return;
    this.#waiting.delete(answer.id);
    if (answer.kind === "done") waiting.done(answer.body);
    else waiting.failed(answer.body as Fault);
  }

  /** Ready once it has answered: a worker may be made and still not be allowed to load. */
  #worker(): Promise<(message: unknown) => void> {
    return new Promise((ready, failed) => {
      const worker = new Worker(address("worker"), { type: "module", name: "sealab-embed" });
      worker.onerror = () => failed(new Error("the worker did not start"));
      worker.onmessage = ({ data }) => {
        if (data?.id !== 0) return;
        worker.onmessage = (event) => this.#hear(event.data);
        worker.onerror = () => {
          for (const { failed } of this.#waiting.values()) {
            failed({ code: "internal", message: "The simulator has stopped. Reload the page." });
          }
          this.#waiting.clear();
        };
        ready((message) => worker.postMessage(message));
      };
      worker.postMessage({ v: VERSION, id: 0, kind: "catalogue", body: null });
    });
  }

  async #inside(): Promise<(message: unknown) => void> {
    const program = await import(address("workerJs"));
    await program.default({ module_or_path: address("workerWasm") });
    const simulator = new program.Simulator((answer: Answer) => this.#hear(answer));
    return (message) => simulator.handle(message);
  }
}

const door = new Door();
let shown = { run: 0, step: 0, steps: 0, view: "space" };
let asked = 0;
let announced = false;

const parameter = (name: string) => {
  const found = location.hash.split("&").find((one) => one.startsWith(`${name}=`));
  return found === undefined ? null : decodeURIComponent(found.slice(name.length + 1));
};

/** Puts what the simulator wrote into the page, parsed apart so that nothing in it runs or loads. */
function place(markup: string, type: "image/svg+xml" | "text/html"): void {
  const parsed = new DOMParser().parseFromString(markup, type);
  const nodes = type === "text/html" ? [...parsed.body.childNodes] : [parsed.documentElement];
  picture.replaceChildren(...nodes.map((node) => document.importNode(node, true)));
}

async function show(step: number | null, view: string): Promise<void> {
  const ticket = ++asked;
  const width = Math.max(320, stage.clientWidth);
  const request = { run: shown.run, step, view, theme: "auto", width, link: location.href };
  const drawn = await door.ask<Drawn>("picture", request);
  // A later question has the later answer.
  if (ticket !== asked) return;
  if (view === "calls") place(drawn.table, "text/html");
  else place(drawn.svg, "image/svg+xml");
  shown = { ...shown, view, step: drawn.step, steps: drawn.steps };
  status.hidden = true;
  part("text").hidden = true;
  picture.hidden = false;
  slider.max = String(drawn.steps);
  slider.value = String(drawn.step);
  slider.setAttribute("aria-valuetext", drawn.caption);
  caption.textContent = `${drawn.step} / ${drawn.steps}`;
  const finding = part("finding");
  finding.textContent = drawn.differences[0] ?? "";
  finding.hidden = finding.textContent === "";
  for (const [id, off] of [
    ["first", drawn.step === 0],
    ["previous", drawn.step === 0],
    ["next", drawn.step === drawn.steps],
    ["last", drawn.step === drawn.steps],
  ] as const) {
    part<HTMLButtonElement>(id).disabled = off;
  }
  for (const button of document.querySelectorAll<HTMLElement>("[data-view]")) {
    button.ariaPressed = String(button.dataset.view === view);
  }
  part<HTMLAnchorElement>("open").href = playground(drawn.step, view);
  document.documentElement.dataset.state = "running";
  const type = announced ? "step" : "ready";
  announced = true;
  tell({ type, step: drawn.step, steps: drawn.steps });
}

/** The playground at what is shown: the same link, its later parameters winning. */
function playground(step: number, view: string): string {
  const kept = location.hash
    .split("&")
    .filter((one) => !/^(step|view|theme|controls)=/.test(one))
    .join("&");
  return `./${kept}&view=${view}&step=${step}`;
}

function theme(name: string | null): void {
  if (name === "light" || name === "dark") document.documentElement.dataset.theme = name;
  else delete document.documentElement.dataset.theme;
}

/** Says what is wrong where the result would stand; the text and the link stay. */
function fail(fault: Fault): void {
  const code = String(fault.code).slice(0, 100);
  const message = String(fault.message).slice(0, 400);
  document.documentElement.dataset.state = "failed";
  status.textContent = message;
  status.hidden = false;
  tell({ type: "error", code, message });
}

function go(step: number, view = shown.view): void {
  const within = Math.min(Math.max(0, step), shown.steps);
  show(within, view).catch(fail);
}

function listen(): void {
  // What is wider than the frame is scrolled with the keys too.
  stage.tabIndex = 0;
  stage.role = "group";
  stage.ariaLabel = "Result";
  slider.addEventListener("input", () => go(slider.valueAsNumber));
  part("first").onclick = () => go(0);
  part("previous").onclick = () => go(shown.step - 1);
  part("next").onclick = () => go(shown.step + 1);
  part("last").onclick = () => go(shown.steps);
  for (const button of document.querySelectorAll<HTMLElement>("[data-view]")) {
    button.onclick = () => go(shown.step, button.dataset.view);
  }
  document.addEventListener("keydown", (event) => {
    if (event.target === slider || event.altKey || event.ctrlKey || event.metaKey) return;
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    // A picture wider than the frame scrolls with these keys.
    if (by === 0 || stage.scrollWidth > stage.clientWidth) return;
    event.preventDefault();
    go(shown.step + by);
  });
  addEventListener("message", (event) => {
    if (event.source !== parent || parent === window) return;
    const message = toFrame(event.data);
    if (message?.type === "goto") go(message.step);
    else if (message?.type === "view") go(shown.step, message.view);
    else if (message?.type === "theme") theme(message.theme);
  });
  let rest: ReturnType<typeof setTimeout> | undefined;
  let width = stage.clientWidth;
  new ResizeObserver(() => {
    if (stage.clientWidth === width || shown.run === 0) return;
    width = stage.clientWidth;
    clearTimeout(rest);
    rest = setTimeout(() => go(shown.step), REST_MS);
  }).observe(stage);
  const main = part("embed");
  new ResizeObserver(() =>
    tell({
      type: "resize",
      height: Math.min(20_000, Math.ceil(main.getBoundingClientRect().height)),
    }),
  ).observe(main);
}

async function start(): Promise<void> {
  theme(parameter("theme"));
  // In a frame, the page around it has the main part.
  if (parent === window) part("embed").role = "main";
  part<HTMLAnchorElement>("open").href = `./${location.hash}`;
  const written = parameter("#src");
  if (written) {
    part("text").textContent = written;
    part("text").hidden = false;
  }
  const controls = parameter("controls") ?? "step";
  part("controls").hidden = controls === "none";
  part("views").hidden = controls !== "full";
  listen();
  if (location.hash.length < 2) {
    throw {
      code: "link",
      message: "There is no scenario in this address: it needs a # and a link.",
    };
  }
  const link = await door.ask<Link>("decodeLink", { text: location.hash });
  const title = /^\s*(?:#|\/\/)\s*(.+)/.exec(link.text)?.[1]?.slice(0, 80);
  part("title").textContent = document.title = title ?? "sealab";
  part("text").textContent = link.text;
  const catalogue = await door.ask<{ default_variants: Variant[] }>("catalogue", null);
  const variants = link.variants.length > 0 ? link.variants : catalogue.default_variants;
  const { text, maps, pid } = link;
  const overview = await door.ask<{ run: number }>("run", { text, variants, maps, pid });
  shown.run = overview.run;
  const view = ["space", "calls"].includes(link.view ?? "") ? (link.view as string) : "space";
  await show(link.step, view);
}

start().catch((error: unknown) => {
  const fault = error as Partial<Fault>;
  const message =
    error instanceof Error || !fault.message
      ? "The simulator could not be loaded here. Open it in the playground instead."
      : fault.message;
  part("text").hidden = part("text").textContent === "";
  fail({ code: fault.code ?? "load", message });
});
