// A chart's specification as ECharts takes it. No document here, so that it is tested without one.

import type {
  CustomSeriesOption,
  CustomSeriesRenderItem,
  CustomSeriesRenderItemAPI,
} from "echarts";
import type { EChartsCoreOption } from "echarts/core";
import {
  type AxisSpec,
  type ChartSpec,
  clean,
  type Dash,
  drawable,
  formatPlace,
  formatValue,
  hasPlace,
  type Kind,
  type SeriesSpec,
  type Symbol as SymbolName,
  undrawn,
} from "./spec";

/** Colours and faces, as the page has them now. */
export interface Look {
  /** A custom property's colour, as the browser computes it. */
  color(name: `--${string}`): string;
  font: string;
  animate: boolean;
}

const COLORS = ["--v1", "--v2", "--v3", "--v4", "--v5", "--v6", "--v7", "--v8"] as const;
const DASHES: readonly Dash[] = ["solid", "dashed", "dotted", "dashdot"];
const SYMBOLS: readonly SymbolName[] = ["circle", "square", "diamond", "triangle"];

const DASH_LENGTHS: Record<Dash, "solid" | number[]> = {
  solid: "solid",
  dashed: [7, 4],
  dotted: [2, 3],
  dashdot: [8, 3, 2, 3],
};

const SYMBOL_NAMES: Record<SymbolName, string> = {
  circle: "circle",
  // ECharts stretches its own "rect" in a legend.
  square: "path://M0 0h10v10h-10z",
  diamond: "diamond",
  triangle: "triangle",
  ring: "circle",
  none: "none",
};

/** Colour, dash and symbol of a series: what it asks for, else the next of each. */
export function style(series: SeriesSpec, index: number) {
  return {
    color: series.color ?? COLORS[index % COLORS.length] ?? "--v1",
    dash: series.dash ?? DASHES[index % DASHES.length] ?? "solid",
    symbol: series.symbol ?? SYMBOLS[index % SYMBOLS.length] ?? "circle",
  };
}

/** `titled` draws the title too, for a picture that leaves the page. */
export function chartOption(spec: ChartSpec, look: Look, titled = false): EChartsCoreOption {
  const missing = undrawn(spec);
  const notes = [
    ...(titled ? [clean(spec.title)] : []),
    ...(missing > 0
      ? [
          missing === 1
            ? "1 value has no place on the axes"
            : `${missing} values have no place on the axes`,
        ]
      : []),
  ];
  const text = look.color("--ink");
  const mute = look.color("--mute");
  // The length of a bar is its value; a point needs no zero.
  const fromZero = spec.kind === "bar" || spec.kind === "line";
  return {
    animation: look.animate,
    animationDuration: 200,
    animationDurationUpdate: 200,
    textStyle: { fontFamily: look.font, color: text },
    // The label is ours (it stands on the element); patterns tell areas apart without their colour.
    aria: { enabled: true, label: { enabled: false }, decal: { show: true } },
    title: {
      show: notes.length > 0,
      text: titled ? (notes[0] ?? "") : "",
      subtext: (titled ? notes.slice(1) : notes).join("\n"),
      left: 8,
      top: 4,
      textStyle: { color: text, fontSize: 15, fontFamily: look.font },
      subtextStyle: { color: mute, fontSize: 12, fontFamily: look.font },
    },
    grid: {
      left: 12,
      right: 20,
      top: notes.length > 0 ? 52 : 16,
      bottom: spec.series.length > 1 ? 40 : 12,
      outerBoundsMode: "same",
      outerBoundsContain: "all",
    },
    legend: {
      show: spec.series.length > 1,
      bottom: 0,
      type: "scroll",
      data: spec.series.map(({ name }) => clean(name)),
      textStyle: { color: text, fontFamily: look.font },
      pageTextStyle: { color: text },
      itemWidth: 28,
    },
    tooltip: {
      trigger: spec.kind === "line" || spec.kind === "bar" ? "axis" : "item",
      confine: true,
      backgroundColor: look.color("--panel"),
      borderColor: look.color("--edge"),
      textStyle: { color: text, fontFamily: look.font, fontSize: 13 },
      axisPointer: { type: spec.kind === "bar" ? "shadow" : "line" },
      formatter: (hit: unknown) => tooltip(spec, Array.isArray(hit) ? hit : [hit]),
    },
    xAxis: axis(spec.x, look, "x", fromZero),
    yAxis: axis(spec.y, look, "y", fromZero),
    series: spec.series.flatMap((series, index) => drawn(spec, series, index, look)),
  };
}

function axis(spec: AxisSpec, look: Look, which: "x" | "y", fromZero: boolean) {
  const mute = look.color("--mute");
  const line = look.color("--line");
  const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 });
  return {
    type: spec.categories ? "category" : spec.scale === "log" ? "log" : "value",
    ...(spec.categories && { data: spec.categories.map(clean) }),
    ...(spec.scale === "log" && { logBase: spec.base ?? 10 }),
    scale: !fromZero,
    ...(spec.min !== undefined && { min: spec.min }),
    ...(spec.max !== undefined && { max: spec.max }),
    name: clean(spec.unit ? `${spec.title} (${spec.unit})` : spec.title),
    nameLocation: "middle",
    nameGap: which === "x" ? 26 : 44,
    nameTextStyle: { color: mute, fontFamily: look.font },
    axisLine: { show: true, lineStyle: { color: look.color("--edge") } },
    axisTick: { show: which === "x" },
    splitLine: { show: which === "y", lineStyle: { color: line } },
    axisLabel: {
      color: mute,
      fontFamily: look.font,
      hideOverlap: true,
      ...(!spec.categories && { formatter: (value: number) => compact.format(value) }),
    },
  };
}

function drawn(spec: ChartSpec, series: SeriesSpec, index: number, look: Look) {
  const kind = series.kind ?? spec.kind;
  const { color: name, dash, symbol } = style(series, index);
  const color = look.color(name);
  const common = {
    name: clean(series.name),
    id: `s${index}`,
    color,
  };
  const main =
    kind === "box"
      ? { ...common, type: "boxplot", data: boxes(spec, series), ...boxStyle(color, look) }
      : {
          ...common,
          type: kind,
          data: points(spec, series),
          symbol: SYMBOL_NAMES[symbol],
          symbolSize: 8,
          showAllSymbol: true,
          lineStyle: { color, width: 2, type: DASH_LENGTHS[dash] },
          itemStyle: pointStyle(kind, symbol, color, look),
          symbolKeepAspect: true,
          barMaxWidth: BAR_WIDTH,
          ...(kind === "scatter" && { z: 4 }),
        };
  const bars = errorBars(spec, series, index, kind, kind === "bar" ? look.color("--ink") : color);
  return bars ? [main, bars] : [main];
}

/** Bars are filled with a pattern, marks are not; a ring is a circle that shows what it covers. */
function pointStyle(kind: Kind, symbol: SymbolName, color: string, look: Look) {
  if (kind === "bar") return { color };
  const mark = { opacity: 1, decal: { symbol: "none" } };
  return symbol === "ring"
    ? { ...mark, color: look.color("--panel"), borderColor: color, borderWidth: 2 }
    : { ...mark, color };
}

function boxStyle(color: string, look: Look) {
  return {
    itemStyle: {
      color: look.color("--panel"),
      borderColor: color,
      borderWidth: 2,
      decal: { symbol: "none" },
    },
    boxWidth: [12, 46],
  };
}

function points(spec: ChartSpec, { points: all = [] }: SeriesSpec) {
  return all.map(({ x, y }) => (hasPlace({ x, low: y }, spec) ? [x, y] : [x, null]));
}

/** ECharts takes one box a category, by its place in the list. */
function boxes(spec: ChartSpec, series: SeriesSpec) {
  return (spec.x.categories ?? []).map((_, index) => {
    const box = boxAt(spec, series, index);
    return box ? [box.low, box.q1, box.median, box.q3, box.high] : [];
  });
}

function boxAt(spec: ChartSpec, { boxes: all = [] }: SeriesSpec, index: number) {
  return all.find((box) => box.x === index && hasPlace(box, spec));
}

const BAR_WIDTH = 40;
const CAP = 5;

function errorBars(
  spec: ChartSpec,
  { name, points: all = [] }: SeriesSpec,
  index: number,
  kind: Kind,
  color: string,
): CustomSeriesOption | null {
  const data = all
    .filter((point) => point.low !== undefined && point.high !== undefined)
    .filter((point) => drawable(point.low ?? Number.NaN, spec.y) && drawable(point.x, spec.x))
    .map((point) => [point.x, point.low ?? 0, point.high ?? 0]);
  if (data.length === 0) return null;
  const bars = spec.series.flatMap((series, i) =>
    (series.kind ?? spec.kind) === "bar" ? [i] : [],
  );
  const place = kind === "bar" ? bars.indexOf(index) : -1;
  return {
    type: "custom",
    // The same name: the legend switches both.
    name: clean(name),
    id: `e${index}`,
    silent: true,
    z: 5,
    data,
    encode: { x: 0, y: [1, 2] },
    renderItem: whisker(color, place, bars.length),
  };
}

function whisker(color: string, place: number, count: number): CustomSeriesRenderItem {
  return (_, api) => {
    const offset = place < 0 ? 0 : barOffset(api, place, count);
    const [x = 0, top = 0] = api.coord([api.value(0), api.value(2)]);
    const [, bottom = 0] = api.coord([api.value(0), api.value(1)]);
    const center = x + offset;
    const stroke = { stroke: color, lineWidth: 1.5, fill: "none" };
    const line = (x1: number, y1: number, x2: number, y2: number) => ({
      type: "line" as const,
      shape: { x1, y1, x2, y2 },
      style: stroke,
    });
    return {
      type: "group",
      children: [
        line(center, top, center, bottom),
        line(center - CAP, top, center + CAP, top),
        line(center - CAP, bottom, center + CAP, bottom),
      ],
    };
  };
}

/** Bars of one category stand side by side: where the middle of the `place`-th is. */
function barOffset(api: CustomSeriesRenderItemAPI, place: number, count: number): number {
  const layout = api.barLayout({ count, barMaxWidth: BAR_WIDTH });
  return layout?.[place]?.offsetCenter ?? 0;
}

/** A hit as ECharts reports it. */
interface Hit {
  seriesId?: string;
  dataIndex?: number;
}

/** The series and the index within it that a hit is on. */
export function located(spec: ChartSpec, hit: Hit): { series: number; index: number } | null {
  const series = /^s(\d+)$/.exec(hit.seriesId ?? "")?.[1];
  const index = hit.dataIndex;
  if (series === undefined || index === undefined || !spec.series[Number(series)]) return null;
  return { series: Number(series), index };
}

/** The lines of a tooltip, all of it text. */
export function tooltipLines(spec: ChartSpec, hits: readonly Hit[]): string[] {
  const lines: string[] = [];
  for (const hit of hits) {
    const at = located(spec, hit);
    const series = at && spec.series[at.series];
    if (!series) continue;
    const point = series.points?.[at.index];
    if (point) {
      if (point.y === null) continue;
      if (lines.length === 0) lines.push(`${spec.x.title}: ${formatPlace(point.x, spec.x)}`);
      lines.push(
        `${series.name}: ${formatValue(point.y, spec.y)}${spread(point.low, point.high, spec.y)}`,
      );
      if (point.label) lines.push(point.label);
    }
    const box = boxAt(spec, series, at.index);
    if (box) {
      lines.push(`${series.name}, ${formatPlace(box.x, spec.x)}`);
      lines.push(`median ${formatValue(box.median, spec.y)}`);
      lines.push(`quartiles ${formatValue(box.q1, spec.y)} to ${formatValue(box.q3, spec.y)}`);
      lines.push(`range ${formatValue(box.low, spec.y)} to ${formatValue(box.high, spec.y)}`);
    }
  }
  return lines;
}

function spread(low: number | undefined, high: number | undefined, axis: AxisSpec): string {
  if (low === undefined || high === undefined) return "";
  return ` (${formatValue(low, axis)} to ${formatValue(high, axis)})`;
}

function tooltip(spec: ChartSpec, hits: readonly unknown[]): HTMLElement {
  const box = document.createElement("div");
  for (const text of tooltipLines(spec, hits as Hit[])) {
    const line = document.createElement("div");
    line.textContent = text;
    box.append(line);
  }
  return box;
}
