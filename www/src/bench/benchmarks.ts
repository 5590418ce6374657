// The Benchmarks view: pick, run, and see predicted beside published.

import type { ChartSpec, Point } from "../charts";
import { Charts, digits, download, h, percent, source, table } from "./dom";
import * as door from "./door";
import type { BenchAnswer, BenchRow, Catalogue, Figure, Figures, Published } from "./types";

const TITLES: Record<Figure, string> = {
  ns: "time (ns)",
  cycles: "cycles",
  overhead_pct: "more time",
  overhead_cycles_pct: "more cycles",
  ops_per_s: "rounds/s",
  change_pct: "change of the rate",
  real_pct: "elapsed time",
  kern_pct: "kernel time",
  user_pct: "user time",
  memory_pct: "peak memory",
  rate_pct: "rate",
};
const FIGURES = Object.keys(TITLES) as Figure[];

/** The figure that a benchmark is about. */
const MAIN: Record<string, Figure> = {
  mmperf: "ns",
  mmap1: "change_pct",
  pagemove: "change_pct",
  "kernel-compile": "kern_pct",
  speedometer: "rate_pct",
};

const show = (figure: Figure, value: number | undefined) =>
  value === undefined ? "" : figure.endsWith("_pct") ? percent(value) : digits(value);

/** A profile imported from `sealab bench mmperf --measure --json`. */
interface Imported {
  profile: { id: string; label: string };
}

export function mountBenchmarks(root: HTMLElement, open: (text: string) => void): () => void {
  const charts = new Charts();
  let gone = false;
  let catalogue: Catalogue | undefined;
  let imported: Imported | undefined;
  let answer: BenchAnswer | undefined;
  let figure: Figure = "ns";

  const pick = h("select", { id: "bench-pick", onchange: () => offer() });
  const cpu = h("select", { id: "bench-cpu" });
  const kernel = h("select", { id: "bench-kernels" });
  const jobs = h("select", { id: "bench-jobs" });
  const about = h("p", { class: "note" });
  const run = h("button", { class: "btn", type: "button", onclick: () => void start() }, "Run");
  const stop = h(
    "button",
    { class: "btn", type: "button", hidden: true, onclick: () => door.cancel() },
    "Cancel",
  );
  const bar = h("progress", { "aria-label": "Running the benchmark", hidden: true });
  const status = h("p", { role: "status", class: "note" });
  const file = h("input", {
    type: "file",
    accept: "application/json,.json",
    id: "bench-import",
    onchange: () => void take(),
  });
  const result = h("div", { class: "bench-result" });
  root.replaceChildren(
    h(
      "div",
      { class: "bench" },
      h(
        "div",
        { class: "bench-form" },
        h("label", {}, "Experiment ", pick),
        h("label", {}, "CPU ", cpu),
        h("label", {}, "Kernels ", kernel),
        h("label", {}, "Jobs ", jobs),
        run,
        stop,
        bar,
      ),
      about,
      h(
        "details",
        {},
        h("summary", {}, "Your own machine"),
        h(
          "p",
          { class: "note" },
          "On Linux, ",
          h("code", {}, "sealab bench mmperf --measure --json > here.json"),
          " runs the real loops and fits a profile to them. ",
          h("label", {}, "Import that file: ", file),
        ),
      ),
      status,
      result,
    ),
  );

  async function load(): Promise<void> {
    try {
      catalogue = await door.catalogue();
    } catch (error) {
      if (!gone) status.textContent = (error as Error).message;
      return;
    }
    if (gone) return;
    for (const { id } of catalogue.benchmarks) pick.append(h("option", { value: id }, id));
    offer();
  }

  function chosen() {
    return catalogue?.benchmarks.find(({ id }) => id === pick.value);
  }

  function offer(): void {
    const one = chosen();
    if (!one || !catalogue) return;
    about.textContent = one.about;
    cpu.replaceChildren(
      ...catalogue.cpus
        .filter(({ id }) => !one.memories || id === one.cpu)
        .map(({ id, label }) => h("option", { value: id }, label)),
      ...(imported && !one.memories
        ? [h("option", { value: "this-machine" }, `this machine: ${imported.profile.label}`)]
        : []),
    );
    cpu.value = imported && !one.memories ? "this-machine" : one.cpu;
    kernel.replaceChildren(
      ...(one.memories
        ? []
        : [
            h("option", { value: "" }, "all"),
            h("option", { value: "6.8 6.11 6.12" }, "6.8, 6.11, 6.12"),
          ]),
      ...catalogue.kernels.map((id) =>
        h("option", { value: one.memories || id === "6.8" ? id : `6.8 ${id}` }, id),
      ),
    );
    kernel.value = one.memories ? "6.12" : one.id === "mmperf" ? "6.8 6.11 6.12" : "";
    jobs.replaceChildren(
      ...(one.id === "kernel-compile" ? ["8", "80"] : []).map((n) => h("option", { value: n }, n)),
    );
    (jobs.parentElement as HTMLElement).hidden = one.id !== "kernel-compile";
  }

  async function take(): Promise<void> {
    const given = file.files?.[0];
    if (!given) return;
    try {
      if (given.size > 4 << 20) throw new Error("the file has more than 4 MiB");
      const report = JSON.parse(await given.text()) as {
        format?: string;
        machine?: { profile?: Imported["profile"] };
      };
      if (report.format !== "sealab-bench/1" || !report.machine?.profile)
        throw new Error("it is no output of `sealab bench mmperf --measure --json`");
      imported = { profile: report.machine.profile };
      status.textContent = `Imported: ${imported.profile.label}.`;
      offer();
    } catch (error) {
      status.textContent = `${given.name} cannot be taken: ${(error as Error).message}`;
    }
  }

  async function start(): Promise<void> {
    const one = chosen();
    if (!one) return;
    run.disabled = true;
    stop.hidden = bar.hidden = false;
    bar.removeAttribute("value");
    status.textContent = "Running…";
    const request = {
      benchmark: one.id,
      kernels: kernel.value ? kernel.value.split(" ") : [],
      cpu: cpu.value === "this-machine" ? "" : cpu.value,
      ...(jobs.value && { jobs: Number(jobs.value) }),
      ...(cpu.value === "this-machine" && { profile: imported?.profile }),
    };
    try {
      const done = await door.bench(request, ({ done, total }) => {
        if (total > 0) {
          bar.max = total;
          bar.value = done;
          status.textContent = `Running: ${done} of ${total}`;
        }
      });
      if (gone) return;
      answer = done;
      figure = MAIN[one.id] ?? "ns";
      status.textContent = `Done: ${done.report.rows.length} rows.`;
      draw();
    } catch (error) {
      if (!gone) status.textContent = (error as Error).message;
    } finally {
      run.disabled = false;
      stop.hidden = bar.hidden = true;
    }
  }

  function draw(): void {
    if (!answer) return;
    charts.clear();
    const { report, csv, names, verdicts } = answer;
    const some = FIGURES.filter((name) =>
      report.rows.some((row) => row.predicted[name] !== undefined),
    );
    const which = h("select", {
      id: "bench-figure",
      onchange: () => {
        figure = which.value as Figure;
        draw();
      },
    });
    which.append(...some.map((name) => h("option", { value: name }, TITLES[name])));
    which.value = figure;
    const loops = h("select", { id: "bench-loop" });
    loops.append(
      ...report.scenarios.map(({ title }, at) => h("option", { value: String(at) }, title)),
    );
    result.replaceChildren(
      h(
        "div",
        { class: "bench-form" },
        h("label", {}, "Figure ", which),
        h(
          "button",
          {
            class: "btn small",
            type: "button",
            onclick: () => download(`${report.benchmark}.csv`, csv, "text/csv"),
          },
          "CSV",
        ),
        h("label", {}, "Loop ", loops),
        h(
          "button",
          {
            class: "btn small",
            type: "button",
            onclick: () => open(report.scenarios[Number(loops.value)]?.text ?? ""),
          },
          "Open in editor",
        ),
      ),
      h("h2", {}, `${report.benchmark}: ${TITLES[figure]}, predicted and published`),
      charts.place(comparison(report.rows, names, figure)),
      h("h2", {}, "Every row"),
      table(
        "Predicted and published figures",
        ["row", ...some.map((name) => TITLES[name]), "published by", "role", "why"],
        report.rows.map((row, at) => [
          names[at] ?? "",
          ...some.map((name) => cell(row, name)),
          sources(row),
          row.role.split(" ")[0],
          (row.explained ?? []).slice(0, 4).join(", "),
        ]),
      ),
      h("h2", {}, "How far off"),
      charts.place(residuals(report.rows, names, figure)),
      residualTable(report.rows, names, figure),
      table(
        "Errors by figure",
        ["figure", "rows", "values", "root mean square", "greatest"],
        report.errors.map((e) => [
          TITLES[e.figure],
          e.role,
          String(e.values),
          `${e.rms.toFixed(2)} ${e.unit}`,
          `${e.worst.toFixed(2)} ${e.unit}`,
        ]),
      ),
      ...verdicts.map((text) => h("p", { class: "note" }, text)),
      h("h2", {}, "The model"),
      h("p", { class: "note" }, `${report.cpu_label}. ${report.model}`),
      h("p", { class: "note" }, `Fit: ${report.fit}`),
      ...(report.notes ?? []).map((text) => h("p", { class: "note" }, text)),
    );
  }

  void load();
  return () => {
    gone = true;
    charts.clear();
    door.cancel();
  };
}

const all = (row: BenchRow): Published[] => [
  ...(row.published ? [row.published] : []),
  ...(row.also_published ?? []),
];

function cell(row: BenchRow, figure: Figure): HTMLElement {
  const was = all(row).find((one) => one[figure] !== undefined)?.[figure];
  return h(
    "span",
    {},
    show(figure, row.predicted[figure]),
    was === undefined ? undefined : h("small", {}, ` (${show(figure, was)})`),
  );
}

function sources(row: BenchRow): HTMLElement {
  const list = h("span", {});
  for (const [at, one] of all(row).entries()) {
    if (at > 0) list.append(", ");
    list.append(source(one.source, one.url, `${one.citation}\n${one.machine}`));
  }
  return list;
}

/** What is predicted for the figure that a source gives. */
const said = (row: BenchRow, one: Published, figure: Figure) =>
  figure === "change_pct" ? one.predicted_change_pct : row.predicted[figure];

function comparison(rows: BenchRow[], names: string[], figure: Figure): ChartSpec {
  const kept = rows
    .map((row, at) => ({ row, name: names[at] ?? "" }))
    .filter(({ row }) => row.predicted[figure] !== undefined);
  const points = (of: (row: BenchRow) => Figures | null | undefined): Point[] =>
    kept.flatMap(({ row }, x) => {
      const y = of(row)?.[figure];
      return y === undefined ? [] : [{ x, y }];
    });
  const published = kept.flatMap(({ row }, x) =>
    all(row).flatMap((one) => {
      const y = one[figure];
      return y === undefined ? [] : [{ x, y, label: one.source }];
    }),
  );
  return {
    kind: "bar",
    title: `${TITLES[figure]}, predicted and published`,
    x: { title: "row", categories: kept.map(({ name }) => name) },
    y: {
      title: TITLES[figure],
      ...(figure.endsWith("_pct") ? { unit: "%" } : { min: 0 }),
    },
    series: [
      { name: "predicted", color: "--v1", points: points((row) => row.predicted) },
      { name: "published", kind: "scatter", symbol: "diamond", color: "--v2", points: published },
    ],
  };
}

/** By how much each published value is missed: percent of it, or points. */
function offs(rows: BenchRow[], names: string[], figure: Figure) {
  return rows.flatMap((row, at) =>
    all(row).flatMap((one) => {
      const was = one[figure];
      const is = said(row, one, figure);
      if (was === undefined || is === undefined) return [];
      const off = figure.endsWith("_pct") ? is - was : (is / was - 1) * 100;
      const fitted =
        one.role === "fitted" || one.role.split(" ").slice(1).includes(figure)
          ? "fitted"
          : "held out";
      return [{ name: names[at] ?? "", one, was, is, off, fitted }];
    }),
  );
}

function residuals(rows: BenchRow[], names: string[], figure: Figure): ChartSpec {
  const found = offs(rows, names, figure);
  const series = ["held out", "fitted"].map((role) => ({
    name: role,
    points: found.flatMap(({ off, fitted, one }, x) =>
      fitted === role ? [{ x, y: off, label: one.source }] : [],
    ),
  }));
  return {
    kind: "scatter",
    title: `${TITLES[figure]}: predicted less published`,
    x: {
      title: "published value",
      categories: found.map(({ name, one }) => `${name}, ${one.source}`),
    },
    y: { title: "off", unit: figure.endsWith("_pct") ? "points" : "%" },
    series,
  };
}

function residualTable(rows: BenchRow[], names: string[], figure: Figure): HTMLElement {
  const unit = figure.endsWith("_pct") ? "points" : "%";
  return h(
    "details",
    {},
    h("summary", {}, "The same as a table"),
    table(
      `How far ${TITLES[figure]} is off`,
      ["row", "predicted", "published", "off", "role", "source"],
      offs(rows, names, figure).map(({ name, one, was, is, off, fitted }) => [
        name,
        show(figure, is),
        show(figure, was),
        `${off.toFixed(1)} ${unit}`,
        fitted,
        source(one.source, one.url, one.citation),
      ]),
    ),
  );
}
