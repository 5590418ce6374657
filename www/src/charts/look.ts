// The page's colours as a drawing library needs them: computed, and again when the theme changes.

import type { Look } from "./option";

const QUERIES = [
  "(prefers-color-scheme: dark)",
  "(prefers-contrast: more)",
  "(prefers-reduced-motion: reduce)",
  "(forced-colors: active)",
];

/** The look at this moment, as `element` inherits it. */
export function currentLook(element: HTMLElement): Look {
  // A custom property is handed out as it was written (`light-dark(…)`, `var(…)`); only a real
  // property shows the colour that comes of it.
  const probe = document.createElement("span");
  probe.hidden = true;
  element.append(probe);
  // ECharts writes it into an SVG attribute without escaping its quotes.
  const font = getComputedStyle(element).fontFamily.replaceAll('"', "'");
  const known = new Map<string, string>();
  const names = [
    "--ink",
    "--mute",
    "--line",
    "--edge",
    "--panel",
    "--v1",
    "--v2",
    "--v3",
    "--v4",
    "--v5",
    "--v6",
    "--v7",
    "--v8",
  ] as const;
  const compute = (name: string) => {
    probe.style.color = "";
    probe.style.color = `var(${name}, currentcolor)`;
    return getComputedStyle(probe).color;
  };
  for (const name of names) known.set(name, compute(name));
  probe.remove();
  return {
    color(name) {
      const found = known.get(name);
      if (found) return found;
      if (!/^--[\w-]+$/.test(name)) return known.get("--ink") ?? "currentcolor";
      element.append(probe);
      const color = compute(name);
      probe.remove();
      known.set(name, color);
      return color;
    },
    font,
    animate: !matchMedia("(prefers-reduced-motion: reduce)").matches,
  };
}

/** Calls `changed` whenever the look may have changed, until the returned function is called. */
export function watchLook(changed: () => void): () => void {
  const lists = QUERIES.map((query) => matchMedia(query));
  for (const list of lists) list.addEventListener("change", changed);
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, {
    attributes: true,
    attributeFilter: ["data-theme", "class", "style"],
  });
  return () => {
    for (const list of lists) list.removeEventListener("change", changed);
    observer.disconnect();
  };
}
