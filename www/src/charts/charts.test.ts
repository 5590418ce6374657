import assert from "node:assert/strict";
import { test } from "node:test";
import { chartOption, located, style, tooltipLines } from "./option";
import { type ChartSpec, clean, inWords, undrawn } from "./spec";

const look = { color: (name: string) => `[${name}]`, font: "sans", animate: false };

const spec: ChartSpec = {
  kind: "line",
  title: "Cost of mprotect",
  x: { title: "VMAs in range", scale: "log", base: 2 },
  y: { title: "cost", scale: "log", unit: "ns" },
  series: [
    {
      name: "6.11",
      points: [
        { x: 1, y: 900 },
        { x: 2, y: 1800, low: 1700, high: 1900, label: "published" },
        { x: 4, y: null },
        { x: 8, y: 0 },
      ],
    },
    { name: "6.12", color: "--v5", dash: "dotted", symbol: "ring", points: [{ x: 1, y: 5 }] },
  ],
};

const box: ChartSpec = {
  kind: "box",
  title: "Spread",
  x: { title: "kernel", categories: ["6.11", "6.12"] },
  y: { title: "ops", unit: "/s" },
  series: [{ name: "runs", boxes: [{ x: 1, low: 1, q1: 2, median: 3, q3: 4, high: 9 }] }],
};

// biome-ignore lint/suspicious/noExplicitAny: the option is a free-form tree
const option = (of: ChartSpec, titled?: boolean): any => chartOption(of, look, titled);

test("series differ in more than colour", () => {
  const styles = spec.series.map(() => ({ name: "x" })).map((series, i) => style(series, i));
  assert.equal(new Set(styles.map(({ dash }) => dash)).size, styles.length);
  assert.equal(new Set(styles.map(({ symbol }) => symbol)).size, styles.length);
  assert.equal(option(spec).aria.decal.show, true);
  assert.deepEqual(style(spec.series[1] ?? { name: "" }, 1), {
    color: "--v5",
    dash: "dotted",
    symbol: "ring",
  });
});

test("values without a place on a logarithmic axis are left out and said so", () => {
  assert.equal(undrawn(spec), 1);
  assert.equal(undrawn({ ...spec, y: { title: "cost" } }), 0);
  const built = option(spec);
  assert.deepEqual(built.series[0].data, [
    [1, 900],
    [2, 1800],
    [4, null],
    [8, null],
  ]);
  assert.equal(built.title.subtext, "1 value has no place on the axes");
  assert.equal(built.xAxis.logBase, 2);
  assert.equal(option({ ...spec, y: { title: "cost" } }).title.show, false);
});

test("boxes are listed by category, with a gap where there is none", () => {
  assert.deepEqual(option(box).series[0].data, [[], [1, 2, 3, 4, 9]]);
  assert.equal(undrawn(box), 0);
  assert.equal(undrawn({ ...box, x: { title: "kernel" } }), 1);
  assert.equal(undrawn({ ...box, x: { title: "kernel", categories: ["6.11"] } }), 1);
});

test("error bars come with the points that have them", () => {
  const built = option(spec);
  assert.deepEqual(
    built.series.map((one: { id: string }) => one.id),
    ["s0", "e0", "s1"],
  );
  assert.deepEqual(built.series[1].data, [[2, 1700, 1900]]);
  assert.equal(built.series[1].name, "6.11");
});

test("colours are asked of the page, never fixed", () => {
  const text = JSON.stringify(option(spec));
  assert.match(text, /\[--v5\]/);
  assert.doesNotMatch(text, /#[0-9a-f]{3,6}\b|rgb/i);
});

test("a hit is traced to its point", () => {
  assert.deepEqual(located(spec, { seriesId: "s1", dataIndex: 0 }), { series: 1, index: 0 });
  assert.equal(located(spec, { seriesId: "e0", dataIndex: 0 }), null);
  assert.equal(located(spec, { seriesId: "s9", dataIndex: 0 }), null);
  assert.equal(located(spec, {}), null);
});

test("a tooltip says place, values, spread and label", () => {
  const hits = [
    { seriesId: "s0", dataIndex: 1 },
    { seriesId: "s1", dataIndex: 0 },
  ];
  assert.deepEqual(tooltipLines(spec, hits), [
    "VMAs in range: 2",
    "6.11: 1,800 ns (1,700 ns to 1,900 ns)",
    "published",
    "6.12: 5 ns",
  ]);
  assert.deepEqual(tooltipLines(box, [{ seriesId: "s0", dataIndex: 0 }]), []);
  assert.deepEqual(tooltipLines(box, [{ seriesId: "s0", dataIndex: 1 }]), [
    "runs, 6.12",
    "median 3 /s",
    "quartiles 2 /s to 4 /s",
    "range 1 /s to 9 /s",
  ]);
});

test("the chart is put into words", () => {
  assert.equal(
    inWords(spec),
    "Line chart: Cost of mprotect. cost by VMAs in range. 6.11, 3 values from 0 ns to 1,800 ns; 6.12, 1 value, 5 ns.",
  );
  assert.equal(inWords({ ...spec, description: "Flat." }), "Flat.");
  assert.match(inWords({ ...spec, series: [{ name: "none" }] }), /none, no values/);
});

test("text is made fit for a file", () => {
  assert.equal(clean("a\u0000b\ud800c\u{1F600}"), "a\ufffdb\ufffdc\u{1F600}");
});

test("a picture that leaves the page carries its title", () => {
  assert.equal(option(box, true).title.text, "Spread");
  assert.equal(option(box).title.show, false);
});
