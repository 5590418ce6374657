// The chart module by itself: every kind draws, follows the theme, and leaves as a file.

import type { Page } from "@playwright/test";
import type * as module from "../src/charts";
import type { Chart, ChartSpec } from "../src/charts";
import { expect, expectAccessible, test } from "./fixtures";

declare global {
  interface Window {
    chart: Chart;
    chosen: [number, number][];
  }
}

const line: ChartSpec = {
  kind: "line",
  title: "Cost of mprotect by VMAs <in> range",
  x: { title: "VMAs", scale: "log", base: 2 },
  y: { title: "time", unit: "ns", scale: "log" },
  series: [
    { name: "6.8", points: [1, 2, 4, 8, 16, 32].map((x) => ({ x, y: 900 * x })) },
    { name: "6.11", points: [1, 2, 4, 8, 16, 32].map((x) => ({ x, y: 980 * x })) },
    {
      name: "published",
      kind: "scatter",
      symbol: "ring",
      color: "--v3",
      points: [1, 4, 16].map((x) => ({ x, y: 950 * x, low: 800 * x, high: 1100 * x })),
    },
  ],
};

const bar: ChartSpec = {
  kind: "bar",
  title: "Walks per call",
  x: { title: "call", categories: ["munmap", "mremap", "mseal"] },
  y: { title: "walks" },
  series: [
    { name: "6.8", points: [0, 1, 2].map((x) => ({ x, y: 2 + x })) },
    { name: "6.11", points: [0, 1, 2].map((x) => ({ x, y: 3 + x, low: 2.5 + x, high: 3.5 + x })) },
  ],
};

const box: ChartSpec = {
  kind: "box",
  title: "mmap1, 14 runs a side",
  x: { title: "kernel", categories: ["6.11", "6.12"] },
  y: { title: "operations", unit: "/s" },
  series: [
    {
      name: "spread",
      boxes: [
        { x: 0, low: 90, q1: 95, median: 100, q3: 104, high: 110 },
        { x: 1, low: 98, q1: 104, median: 108, q3: 113, high: 121 },
      ],
    },
    {
      name: "runs",
      kind: "scatter",
      points: [0, 0, 1, 1].map((x, i) => ({ x, y: 95 + 6 * i })),
    },
  ],
};

async function open(page: Page, spec: ChartSpec, size = "640px"): Promise<void> {
  await page.goto("/bench.html");
  await page.evaluate(
    async ({ chart, width }) => {
      const { charts: files } = await (await fetch("assets.json")).json();
      const { createChart }: typeof module = await import(new URL(files[0], document.baseURI).href);
      const place = document.querySelector<HTMLElement>("#place");
      if (!place) throw new Error("no place");
      place.style.width = width;
      place.style.height = width === "0px" ? "0px" : "320px";
      window.chosen = [];
      window.chart = createChart(place, chart, {
        onSelect: (series, index) => window.chosen.push([series, index]),
      });
    },
    { chart: spec, width: size },
  );
}

const picture = (page: Page) => page.evaluate(() => window.chart.toSVGString());

for (const spec of [line, bar, box]) {
  test(`a ${spec.kind} chart draws its series and is named in words`, async ({ page }, info) => {
    await open(page, spec);
    const chart = page.getByRole("img", { name: spec.title });
    await expect(chart.locator("svg")).toBeVisible();
    for (const { name } of spec.series)
      await expect(chart.getByText(name, { exact: true })).toHaveCount(1);
    for (const theme of ["light", "dark"]) {
      await page.evaluate((name) => {
        document.documentElement.dataset.theme = name;
      }, theme);
      await expectAccessible(page);
      await page.screenshot({ path: info.outputPath(`${spec.kind}-${theme}.png`) });
    }
  });
}

test("a box stands where its quartiles are", async ({ page }) => {
  await open(page, {
    ...box,
    x: { ...box.x, categories: ["5.1", "6.11", "6.12"] },
    y: { ...box.y, min: 80, max: 130 },
    series: [
      {
        name: "spread",
        boxes: [
          { x: 1, low: 90, q1: 100, median: 105, q3: 110, high: 120 },
          { x: 2, low: 80, q1: 90, median: 100, q3: 120, high: 130 },
        ],
      },
    ],
  });
  const center = async (text: string, axis: "x" | "y") => {
    const box = await page.locator("#place").getByText(text, { exact: true }).boundingBox();
    return box ? box[axis] + box[axis === "x" ? "width" : "height"] / 2 : Number.NaN;
  };
  const bodies = await page.locator("#place svg path").evaluateAll((paths) =>
    paths
      .filter((path) => path.getAttribute("stroke-width") === "2")
      // The pattern is drawn as a second path over the first.
      .filter((path) => !path.getAttribute("fill")?.startsWith("url"))
      .map((path) => path.getBoundingClientRect())
      .map(({ x, y, width, height }) => ({ middle: x + width / 2, top: y, bottom: y + height })),
  );
  expect(bodies).toHaveLength(2);
  // Whiskers belong to the same shape: it reaches from low to high.
  const [first, second] = bodies;
  expect(Math.abs((first?.middle ?? 0) - (await center("6.11", "x")))).toBeLessThan(3);
  expect(Math.abs((first?.top ?? 0) - (await center("120", "y")))).toBeLessThan(4);
  expect(Math.abs((first?.bottom ?? 0) - (await center("90", "y")))).toBeLessThan(4);
  expect(Math.abs((second?.middle ?? 0) - (await center("6.12", "x")))).toBeLessThan(3);
  expect(Math.abs((second?.top ?? 0) - (await center("130", "y")))).toBeLessThan(4);
  expect(Math.abs((second?.bottom ?? 0) - (await center("80", "y")))).toBeLessThan(4);
});

test("colours follow the theme", async ({ page }) => {
  await open(page, line);
  const colours = () =>
    page
      .locator("#place svg")
      .evaluate((svg) =>
        [...svg.querySelectorAll("path, text")].map(
          (node) => node.getAttribute("stroke") ?? node.getAttribute("fill"),
        ),
      );
  await page.evaluate(() => {
    document.documentElement.dataset.theme = "light";
  });
  await expect.poll(colours).toContain("rgb(91, 107, 128)");
  await page.evaluate(() => {
    document.documentElement.dataset.theme = "dark";
  });
  await expect.poll(colours).toContain("rgb(165, 180, 198)");
  expect(await colours()).not.toContain("rgb(91, 107, 128)");
});

test("areas are told apart by patterns, lines by dashes", async ({ page }) => {
  await open(page, bar);
  await expect(page.locator("#place svg pattern").first()).toBeAttached();
  await page.evaluate((spec) => window.chart.update(spec), line);
  await expect(page.locator("#place svg path[stroke-dasharray]").first()).toBeAttached();
});

test("the picture is a file of its own, well-formed, with title and source", async ({ page }) => {
  await open(page, line);
  const svg = await page.evaluate(() =>
    window.chart.toSVGString({ width: 400, height: 300, source: "https://example.org/#v1/<&>" }),
  );
  const parsed = await page.evaluate((text) => {
    const file = new DOMParser().parseFromString(text, "image/svg+xml");
    return {
      error: file.querySelector("parsererror")?.textContent ?? null,
      title: file.querySelector("title")?.textContent,
      source: file.querySelector("metadata")?.textContent,
      width: file.documentElement.getAttribute("width"),
      scripts: file.querySelectorAll("script, foreignObject, [onload], image").length,
      text: file.documentElement.textContent,
    };
  }, svg);
  expect(parsed).toMatchObject({
    error: null,
    title: line.title,
    source: "https://example.org/#v1/<&>",
    width: "400",
    scripts: 0,
  });
  expect(parsed.text).toContain("published");
  // A file's own style sheet would depend on where it is shown.
  expect(svg).not.toMatch(/var\(--|<style|class=/);
});

test("names are text, never markup", async ({ page }) => {
  const hostile = '<img src=x onerror="alert(1)">\u0000\ud800';
  await open(page, {
    ...line,
    title: hostile,
    series: line.series.map((series) => ({ ...series, name: `${hostile} ${series.name}` })),
  });
  await page.locator("#place svg").hover({ position: { x: 320, y: 150 } });
  await expect(page.locator("#place img")).toHaveCount(0);
  const error = await page.evaluate(
    (text) => {
      const file = new DOMParser().parseFromString(text, "image/svg+xml");
      return file.querySelector("parsererror")?.textContent ?? null;
    },
    await picture(page),
  );
  expect(error).toBeNull();
});

test("a tooltip shows on hover, and a click names the point", async ({ page }) => {
  await open(page, bar);
  await page.locator("#place svg").hover({ position: { x: 320, y: 200 } });
  await expect(page.getByText("call: mremap")).toBeVisible();
  const bars = page.locator("#place svg path[fill^='url']");
  await bars.first().click();
  await expect.poll(() => page.evaluate(() => window.chosen.length)).toBe(1);
});

test("a chart waits for a size, follows it, and leaves nothing behind", async ({ page }) => {
  await open(page, line, "0px");
  await expect(page.locator("#place svg")).toHaveCount(0);
  const resize = (width: number) =>
    page.evaluate((px) => {
      const place = document.querySelector<HTMLElement>("#place");
      if (place) Object.assign(place.style, { width: `${px}px`, height: "300px" });
    }, width);
  await resize(500);
  await expect(page.locator("#place svg")).toHaveAttribute("width", "500");
  await resize(300);
  await expect(page.locator("#place svg")).toHaveAttribute("width", "300");
  await page.evaluate(() => window.chart.destroy());
  await expect(page.locator("#place svg")).toHaveCount(0);
  await expect(page.locator("#place")).not.toHaveAttribute("role");
});

test("a series switched off stays off when the data changes", async ({ page }) => {
  await open(page, line);
  const drawn = () => page.locator("#place svg path[stroke-dasharray]").count();
  await expect.poll(drawn).toBeGreaterThan(0);
  await page.locator("#place").getByText("6.11", { exact: true }).click();
  await page.evaluate((spec) => window.chart.update(spec), { ...line, title: "again" });
  await expect(page.getByRole("img", { name: "again" })).toBeVisible();
  await expect
    .poll(() => page.locator("#place").getByText("6.11", { exact: true }).getAttribute("fill"))
    .not.toBe(await page.locator("#place").getByText("6.8", { exact: true }).getAttribute("fill"));
});
