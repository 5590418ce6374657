// <sealab-play>: a scenario in any page. Its content is what a reader without scripts sees; the
// simulator is loaded into a frame when it comes into sight or is asked for. No dependencies, and
// small: pages with many embeds pay for this file once and for nothing else until they are looked at.

import { type FromFrame, fromFrame, type ToFrame } from "./embed-messages";

const own =
  (document.currentScript as HTMLScriptElement | null) ??
  document.querySelector<HTMLScriptElement>('script[src*="embed/v1"]');
const site = new URL("../", own?.src ?? document.baseURI);

const HEIGHT = 420;
const sheet = new CSSStyleSheet();
sheet.replaceSync(`:host{display:block;position:relative;block-size:var(--_h);overflow:hidden}
:host([hidden]){display:none}
div{block-size:100%;overflow:auto}
iframe{position:absolute;inset:0;inline-size:100%;block-size:100%;border:0;color-scheme:light dark}
button{position:absolute;inset-block-start:8px;inset-inline-end:8px;padding:6px 12px;border:1px solid #0f766e;border-radius:6px;background:#0f766e;color:#fff;font:14px system-ui,sans-serif;cursor:pointer}
@media print{:host{block-size:auto;overflow:visible}div{overflow:visible}iframe,button{display:none}}
@media screen{.live{visibility:hidden}}`);

/** When any of these changes on the page's root, its theme may have. */
const THEMED = ["class", "data-theme", "data-bs-theme", "data-md-color-scheme"];

class SealabPlay extends HTMLElement {
  static observedAttributes = ["src", "variants", "controls", "view", "step", "theme", "height"];

  #root = this.attachShadow({ mode: "open" });
  #still = document.createElement("div");
  #frame: HTMLIFrameElement | undefined;
  #ready = false;
  #touched = false;
  #step: number | undefined;
  #stop: AbortController | undefined;

  connectedCallback(): void {
    this.#root.adoptedStyleSheets = [sheet];
    this.#still.append(document.createElement("slot"));
    this.#still.tabIndex = 0;
    this.#still.role = "group";
    this.#still.ariaLabel = this.#title();
    this.#root.replaceChildren(this.#still);
    this.#reserve();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    addEventListener("message", (event) => this.#hear(event), { signal });
    const themed = () => this.#tell({ type: "theme", theme: this.#theme() });
    matchMedia("(prefers-color-scheme:dark)").addEventListener("change", themed, { signal });
    const watch = new MutationObserver(themed);
    for (const root of [document.documentElement, document.body]) {
      watch.observe(root, { attributeFilter: THEMED });
    }
    signal.addEventListener("abort", () => watch.disconnect());

    const loading = this.getAttribute("loading");
    if (loading === "eager") this.load();
    else if (loading === "click") {
      const button = document.createElement("button");
      button.textContent = "Run it here";
      button.onclick = () => this.load().focus();
      this.#root.append(button);
    } else {
      const sight = new IntersectionObserver(
        (seen) => seen.some((entry) => entry.isIntersecting) && this.load(),
        { rootMargin: "150px" },
      );
      sight.observe(this);
      signal.addEventListener("abort", () => sight.disconnect());
    }
  }

  disconnectedCallback(): void {
    this.#stop?.abort();
    this.#forget();
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now || !this.isConnected) return;
    if (name === "height") this.#reserve();
    else if (name === "step") this.goto(Number(now));
    else if (name === "view") this.#tell({ type: "view", view: now ?? "space" });
    else if (name === "theme") this.#tell({ type: "theme", theme: this.#theme() });
    else if (this.#frame) {
      this.#forget();
      this.load();
    }
  }

  /** Loads the simulator now; returns its frame. */
  load(): HTMLIFrameElement {
    if (this.#frame) return this.#frame;
    const frame = document.createElement("iframe");
    this.#frame = frame;
    frame.title = this.#title();
    frame.referrerPolicy = "no-referrer";
    // With an origin of its own it may use a worker. In a page of that very origin this would be
    // no sandbox at all.
    if (site.origin !== location.origin) {
      frame.setAttribute(
        "sandbox",
        "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox",
      );
    }
    frame.src = `${new URL("embed.html", site)}${this.#fragment(true)}`;
    this.#root.append(frame);
    return frame;
  }

  /** Shows a step; 0 is before the first call. */
  goto(step: number): void {
    if (!Number.isInteger(step) || step < 0) return;
    this.#step = step;
    this.#tell({ type: "goto", step });
  }

  /** The address that opens the playground with what is shown. */
  getLink(): string {
    return `${site}${this.#fragment(false)}`;
  }

  /** The step shown; undefined until there is a result. */
  get step(): number | undefined {
    return this.#step;
  }

  set step(step: number) {
    this.setAttribute("step", String(step));
  }

  #title(): string {
    return this.title || "sealab";
  }

  #fragment(framed: boolean): string {
    const src = this.getAttribute("src") ?? "";
    const at = src.indexOf("#");
    let out = at < 0 ? `#src=${encodeURIComponent(this.#text())}` : src.slice(at);
    const step = this.#step ?? this.getAttribute("step");
    const parts = {
      variants: this.getAttribute("variants"),
      view: this.getAttribute("view"),
      step: step === null ? null : String(step),
      theme: framed ? this.#theme() : null,
      controls: framed ? this.getAttribute("controls") : null,
    };
    for (const [name, value] of Object.entries(parts)) {
      if (value) out += `&${name}=${encodeURIComponent(value)}`;
    }
    return out;
  }

  /** The scenario, where it is the content: a <pre> or <script type="text/…"> in it, else all. */
  #text(): string {
    const part = this.querySelector("pre,script");
    return (part ?? this).textContent?.trim() ?? "";
  }

  /** The theme asked for, else the page's own, else the reader's. */
  #theme(): string {
    const asked = this.getAttribute("theme");
    if (asked === "light" || asked === "dark") return asked;
    const scheme = getComputedStyle(this).colorScheme.replace("only", "").trim();
    if (scheme === "light" || scheme === "dark") return scheme;
    const words = [document.documentElement, document.body]
      .flatMap((root) => THEMED.map((name) => root.getAttribute(name)))
      .join(" ");
    if (/\b(dark|slate)\b/.test(words)) return "dark";
    if (/\b(light|default)\b/.test(words)) return "light";
    return matchMedia("(prefers-color-scheme:dark)").matches ? "dark" : "light";
  }

  #reserve(): void {
    const asked = Number(this.getAttribute("height"));
    this.style.setProperty("--_h", `${asked > 0 ? asked : HEIGHT}px`);
  }

  #forget(): void {
    this.#frame?.remove();
    this.#frame = undefined;
    this.#ready = false;
    this.#still.className = "";
    this.#still.inert = false;
  }

  #tell(message: ToFrame): void {
    // To any origin: a frame in a sandbox has none, and nothing in it is secret.
    if (this.#ready) this.#frame?.contentWindow?.postMessage({ sealab: 1, ...message }, "*");
  }

  #hear(event: MessageEvent): void {
    if (!this.#frame || event.source !== this.#frame.contentWindow) return;
    const message = fromFrame(event.data);
    if (!message) return;
    const { type, sealab: _, ...detail } = message as FromFrame & { sealab: 1 };
    if (message.type === "ready") {
      this.#ready = true;
      this.#still.className = "live";
      this.#still.inert = true;
      this.#root.querySelector("button")?.remove();
    }
    if (message.type === "step" && this.#step !== message.step) this.#touched = true;
    if ("step" in message) this.#step = message.step;
    if (message.type === "resize") {
      // What the reader sees must not jump: only what lies below the window, or what the reader
      // has just worked with, takes its own height.
      const below = this.getBoundingClientRect().top > innerHeight;
      if (below || this.#touched) this.style.setProperty("--_h", `${message.height}px`);
    }
    this.dispatchEvent(
      new CustomEvent(`sealab-${type}`, { detail, bubbles: true, composed: true }),
    );
  }
}

if (!customElements.get("sealab-play")) customElements.define("sealab-play", SealabPlay);
