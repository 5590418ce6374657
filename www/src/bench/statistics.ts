// The Statistics view: what samples say, and what they cannot.

import type { ChartSpec } from "../charts";
import { Charts, digits, h, percent, source, table } from "./dom";
import * as door from "./door";
import type { Catalogue, StatsReport } from "./types";

export function mountStatistics(root: HTMLElement): () => void {
  const charts = new Charts();
  let gone = false;
  let catalogue: Catalogue | undefined;
  let asked = 0;

  const pick = h("select", { id: "stats-pick", onchange: () => void published() });
  const cite = h("p", { class: "note" });
  const text = h("textarea", {
    id: "stats-text",
    rows: "6",
    spellcheck: "false",
    placeholder: "min:269143 max:269143 total:269143\n…",
    oninput: () => void pasted(),
  });
  const status = h("p", { role: "status", class: "note" });
  const faults = h("ul", { class: "stats-faults" });
  const result = h("div", { class: "bench-result" });
  const number = (id: string, value: string, step: string) =>
    h("input", { id, type: "number", value, step, onchange: () => void reckon() });
  const cv = number("power-cv", "60", "any");
  const effect = number("power-effect", "4.4", "any");
  const runs = number("power-runs", "10", "1");
  const seed = number("power-seed", "1", "1");
  const power = h("div", { class: "bench-result", "aria-live": "polite" });
  root.replaceChildren(
    h(
      "div",
      { class: "bench" },
      h("h2", {}, "Samples"),
      h("div", { class: "bench-form" }, h("label", {}, "Published ", pick)),
      cite,
      h(
        "label",
        { class: "stats-paste" },
        "or paste or drop your own: will-it-scale, stress-ng metrics, perf stat -x, or -r, hyperfine's JSON, columns of numbers",
        text,
      ),
      status,
      faults,
      result,
      h("h2", {}, "How many runs?"),
      h(
        "div",
        { class: "bench-form" },
        h("label", {}, "Spread of a run (CV, %) ", cv),
        h("label", {}, "Difference to see (%) ", effect),
        h("label", {}, "Runs a side ", runs),
        h("label", {}, "Seed ", seed),
      ),
      power,
    ),
  );
  const drop = (event: DragEvent) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    void file.text().then((content) => {
      text.value = content.slice(0, 16 << 20);
      void pasted();
    });
  };
  root.addEventListener("dragover", (event) => event.preventDefault());
  root.addEventListener("drop", drop);

  async function load(): Promise<void> {
    try {
      catalogue = await door.catalogue();
    } catch (error) {
      if (!gone) status.textContent = (error as Error).message;
      return;
    }
    if (gone) return;
    pick.append(...catalogue.samples.map(({ id, title }) => h("option", { value: id }, title)));
    await Promise.all([published(), reckon()]);
  }

  async function published(): Promise<void> {
    const set = catalogue?.samples.find(({ id }) => id === pick.value);
    if (!set) return;
    text.value = "";
    cite.replaceChildren(source(set.citation, set.url, set.machine), ` Machine: ${set.machine}`);
    await show(() => door.statsOfSeries(set.series));
  }

  async function pasted(): Promise<void> {
    if (text.value.trim() === "") return published();
    cite.textContent = "";
    await show(() => door.statsOf(text.value));
  }

  async function show(ask: () => Promise<StatsReport>): Promise<void> {
    asked += 1;
    const mine = asked;
    try {
      const report = await ask();
      if (!gone && mine === asked) draw(report);
    } catch (error) {
      if (!gone && mine === asked) status.textContent = (error as Error).message;
    }
  }

  function draw(report: StatsReport): void {
    charts.clear();
    faults.replaceChildren(
      ...report.faults.map(({ line, column, message }) =>
        h("li", {}, `Line ${line}, column ${column}: ${message}`),
      ),
    );
    const { series, comparisons } = report;
    status.textContent = `${series.length} ${series.length === 1 ? "sample" : "samples"}.`;
    if (series.length === 0) {
      result.replaceChildren();
      return;
    }
    const chart = distribution(report);
    result.replaceChildren(
      table(
        "What each sample says",
        [
          "sample",
          "n",
          "mean",
          "median",
          "standard deviation",
          "standard error",
          "CV",
          "95 % interval of the mean",
        ],
        series.map(({ series: { name, unit }, description: d }) => [
          unit ? `${name} (${unit})` : name,
          digits(d.n, 6),
          digits(d.mean, 6),
          digits(d.median, 6),
          digits(d.sd),
          digits(d.sem),
          d.cv_pct === null ? "–" : `${digits(d.cv_pct, 3)} %`,
          d.ci ? `${digits(d.ci[0], 6)} to ${digits(d.ci[1], 6)}` : "–",
        ]),
      ),
      ...(comparisons.length > 0
        ? [
            table(
              "Each sample against the first",
              ["against the first", "mean", "median", "Welch", "Mann-Whitney", "bootstrap, 95 %"],
              comparisons.map((c) => [
                c.other,
                percent(c.change_pct),
                percent(c.median_change_pct),
                c.welch ? `t ${digits(c.welch.t, 3)}, p ${digits(c.welch.p, 2)}` : "–",
                c.mann_whitney
                  ? `U ${digits(c.mann_whitney.u)}, p ${digits(c.mann_whitney.p, 2)}`
                  : "–",
                c.bootstrap
                  ? `${percent(c.bootstrap.low_pct)} to ${percent(c.bootstrap.high_pct)}`
                  : "–",
              ]),
            ),
          ]
        : []),
      ...(chart ? [h("h2", {}, "Distribution"), charts.place(chart), values(report)] : []),
    );
  }

  async function reckon(): Promise<void> {
    const request = {
      cv_pct: Number(cv.value),
      effect_pct: Number(effect.value),
      runs: Math.max(0, Math.min(100_000, Math.round(Number(runs.value)))),
      trials: 4000,
      seed: Math.max(0, Math.round(Number(seed.value))),
    };
    try {
      const { power: needed, wrong } = await door.power(request);
      if (gone) return;
      if (!needed || !wrong) {
        power.replaceChildren(
          h(
            "p",
            { class: "note" },
            "Give a spread above 0, a difference other than 0, and at least 2 runs.",
          ),
        );
        return;
      }
      power.replaceChildren(
        h(
          "p",
          {},
          `To see ${request.effect_pct} % with a chance of 80 %, `,
          h("strong", {}, `${digits(needed.runs, 6)} runs a side`),
          " are needed.",
        ),
        table(
          "How benchmarks with so many runs would have ended",
          [`${wrong.trials} benchmarks of ${wrong.runs} runs a side, seed ${wrong.seed}`, "share"],
          [
            ["the means point the wrong way", `${wrong.wrong_sign_pct.toFixed(1)} %`],
            ["nothing significant is found", `${wrong.missed_pct.toFixed(1)} %`],
            ["the difference is found", `${wrong.right_pct.toFixed(1)} %`],
            ["the opposite is found, significantly", `${wrong.significant_wrong_pct.toFixed(1)} %`],
            ["were there none: one is found all the same", `${wrong.false_alarm_pct.toFixed(1)} %`],
          ],
        ),
      );
    } catch (error) {
      if (!gone) power.replaceChildren(h("p", { class: "note" }, (error as Error).message));
    }
  }

  void load();
  return () => {
    gone = true;
    charts.clear();
    root.removeEventListener("drop", drop);
    door.cancel();
  };
}

/** Strip and box: every value a point, over the box of its sample. */
function distribution({ series }: StatsReport): ChartSpec | undefined {
  const kept = series.filter(({ series: one }) => one.values.length > 1);
  if (kept.length === 0) return undefined;
  return {
    kind: "box",
    title: "Distribution of the samples",
    x: { title: "sample", categories: kept.map(({ series: one }) => one.name) },
    y: { title: kept[0]?.series.unit || "value" },
    series: [
      {
        name: "quartiles",
        color: "--v1",
        boxes: kept.flatMap(({ description: { range, median } }, x) =>
          range && median !== null
            ? [{ x, low: range[0], q1: range[1], median, q3: range[2], high: range[3] }]
            : [],
        ),
      },
      {
        name: "values",
        kind: "scatter",
        color: "--v2",
        points: kept.flatMap(({ series: { values: all } }, x) =>
          all.slice(0, 500).map((y) => ({ x, y })),
        ),
      },
    ],
  };
}

function values({ series }: StatsReport): HTMLElement {
  const longest = Math.min(500, Math.max(...series.map(({ series: one }) => one.values.length)));
  return h(
    "details",
    {},
    h("summary", {}, "The same as a table"),
    table(
      "The values",
      ["run", ...series.map(({ series: one }) => one.name)],
      Array.from({ length: longest }, (_, at) => [
        String(at + 1),
        ...series.map(({ series: one }) => digits(one.values[at], 7)),
      ]),
    ),
  );
}
