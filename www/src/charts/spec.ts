// What a chart shows, without a word on how it is drawn.

/** Kinds of series. */
export type Kind = "line" | "bar" | "scatter" | "box";
export type Dash = "solid" | "dashed" | "dotted" | "dashdot";
export type Symbol = "circle" | "square" | "diamond" | "triangle" | "ring" | "none";

export interface AxisSpec {
  title: string;
  scale?: "linear" | "log";
  /** Of a logarithmic axis; 10 when left out. */
  base?: number;
  /** Names of places on the axis: points then give an index as `x`. */
  categories?: readonly string[];
  min?: number;
  max?: number;
  /** Written after values, for example "ns". */
  unit?: string;
}

export interface Point {
  x: number;
  /** `null` leaves a gap. */
  y: number | null;
  /** Ends of the error bar. */
  low?: number;
  high?: number;
  /** Said with the point. */
  label?: string;
}

/** A box stands on a category: the x axis must have them. */
export interface Box {
  /** Index of the category. */
  x: number;
  low: number;
  q1: number;
  median: number;
  q3: number;
  high: number;
}

export interface SeriesSpec {
  name: string;
  /** The chart's own kind when left out. */
  kind?: Kind;
  /** A custom property of the page, for example `--v2`; the next variant's colour when left out. */
  color?: `--${string}`;
  dash?: Dash;
  symbol?: Symbol;
  points?: readonly Point[];
  boxes?: readonly Box[];
}

export interface ChartSpec {
  kind: Kind;
  title: string;
  /** A sentence for those who cannot see the chart; made from the data when left out. */
  description?: string;
  x: AxisSpec;
  y: AxisSpec;
  series: readonly SeriesSpec[];
}

/** How a value is written: four significant digits, with the axis's unit. */
export function formatValue(value: number, axis: AxisSpec): string {
  const text = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 }).format(value);
  return axis.unit ? `${text} ${axis.unit}` : text;
}

/** How a place on the x axis is written. */
export function formatPlace(x: number, axis: AxisSpec): string {
  return axis.categories?.[x] ?? formatValue(x, axis);
}

/** Whether a value has a place on the axis: a logarithm needs a positive number. */
export function drawable(value: number, axis: AxisSpec): boolean {
  return Number.isFinite(value) && (axis.scale !== "log" || value > 0);
}

/** Whether a point (with its `y` as `low`) or a box has a place on both axes. */
export function hasPlace(
  { x, low }: { x: number; low: number | null },
  spec: Pick<ChartSpec, "x" | "y">,
): boolean {
  const { categories } = spec.x;
  const across = categories ? categories[x] !== undefined : drawable(x, spec.x);
  return across && low !== null && drawable(low, spec.y);
}

/** How many values the chart cannot show, which it has to say. */
export function undrawn(spec: ChartSpec): number {
  let count = 0;
  for (const { points = [], boxes = [] } of spec.series) {
    for (const { x, y } of points) if (y !== null && !hasPlace({ x, low: y }, spec)) count += 1;
    for (const box of boxes) if (!(spec.x.categories && hasPlace(box, spec))) count += 1;
  }
  return count;
}

const NAMES: Record<Kind, string> = {
  line: "Line chart",
  bar: "Bar chart",
  scatter: "Scatter chart",
  box: "Box plot",
};

/** The chart in words. */
export function inWords(spec: ChartSpec): string {
  if (spec.description) return spec.description;
  const series = spec.series.map((one) => `${one.name}, ${range(one, spec)}`);
  const axes = `${spec.y.title} by ${spec.x.title}`;
  return `${NAMES[spec.kind]}: ${spec.title}. ${axes}. ${series.join("; ")}.`;
}

function range({ points = [], boxes = [] }: SeriesSpec, { y }: ChartSpec): string {
  const values = [
    ...points.flatMap((point) => (point.y === null ? [] : [point.y])),
    ...boxes.map((box) => box.median),
  ];
  if (values.length === 0) return "no values";
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const count = `${values.length} ${values.length === 1 ? "value" : "values"}`;
  return low === high
    ? `${count}, ${formatValue(low, y)}`
    : `${count} from ${formatValue(low, y)} to ${formatValue(high, y)}`;
}

/** Text that may stand in an SVG file: no control characters, no half of a surrogate pair. */
export function clean(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, "\ufffd");
}
