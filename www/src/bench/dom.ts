// Elements made from text alone: nothing that was pasted can become markup.

import type { Chart, ChartSpec } from "../charts";

type Child = Node | string | undefined;

/** An element with attributes and children; `on…` attributes are listeners. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | boolean | ((event: Event) => void)> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** A table with a head; cells are text or elements. The first of each row is its heading. */
export function table(label: string, head: string[], rows: Child[][]): HTMLElement {
  return h(
    "div",
    { class: "table-box", tabindex: "0", role: "region", "aria-label": label },
    h(
      "table",
      { class: "counts" },
      h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))),
      h(
        "tbody",
        {},
        ...rows.map(([first, ...rest]) =>
          h("tr", {}, h("th", { scope: "row" }, first), ...rest.map((cell) => h("td", {}, cell))),
        ),
      ),
    ),
  );
}

/** A link to a published source; anything but an https address is only text. */
export function source(text: string, url: string, title: string): HTMLElement {
  if (!url.startsWith("https://")) return h("span", { title }, text);
  return h("a", { href: url, title, target: "_blank", rel: "noopener noreferrer" }, text);
}

/** Charts that are on the page, to be taken away with it. */
export class Charts {
  #drawn: Chart[] = [];

  /** A place for a chart, drawn once the module has come. */
  place(spec: ChartSpec): HTMLElement {
    const element = h("div", { class: "chart" });
    globalThis.sealab
      .loadCharts()
      .then((module) => {
        if (element.isConnected) this.#drawn.push(module.createChart(element, spec));
      })
      .catch(() =>
        element.replaceWith(
          h("p", { class: "note" }, "The chart could not be loaded; its data is in the table."),
        ),
      );
    return element;
  }

  clear(): void {
    for (const chart of this.#drawn) chart.destroy();
    this.#drawn = [];
  }
}

/** Gives the reader a file. */
export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** A number with four digits that tell something. */
export function digits(value: number | null | undefined, most = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && size < 1e-4) return value.toExponential(1);
  return new Intl.NumberFormat("en", {
    maximumSignificantDigits: size >= 1000 ? Math.max(most, Math.ceil(Math.log10(size))) : most,
  }).format(value);
}

/** A change in percent, with its sign. */
export const percent = (value: number | null | undefined) =>
  value === null || value === undefined || !Number.isFinite(value)
    ? "–"
    : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)} %`;
