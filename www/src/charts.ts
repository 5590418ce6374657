// Charts: a small specification of our own, drawn by Apache ECharts as SVG.

import { BarChart, BoxplotChart, CustomChart, LineChart, ScatterChart } from "echarts/charts";
import {
  AriaComponent,
  GridComponent,
  LegendComponent,
  LegendScrollComponent,
  TitleComponent,
  TooltipComponent,
} from "echarts/components";
import { type EChartsType, init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { currentLook, watchLook } from "./charts/look";
import { chartOption, located } from "./charts/option";
import { type ChartSpec, clean, inWords } from "./charts/spec";

export type * from "./charts/spec";

use([
  BarChart,
  BoxplotChart,
  CustomChart,
  LineChart,
  ScatterChart,
  AriaComponent,
  GridComponent,
  LegendComponent,
  LegendScrollComponent,
  TitleComponent,
  TooltipComponent,
  SVGRenderer,
]);

export interface ChartOptions {
  /** The reader chose a point: its series and its index there. */
  onSelect?: (series: number, index: number) => void;
}

export interface PictureOptions {
  width?: number;
  height?: number;
  /** Kept in the file's metadata, for example the link that reproduces it. */
  source?: string;
}

/** A chart on the page. */
export interface Chart {
  update(spec: ChartSpec): void;
  /** The chart as a file: with its title, colours and faces inlined. */
  toSVGString(options?: PictureOptions): string;
  destroy(): void;
}

/** Draws a chart into `element`, which gives it its size. */
export function createChart(
  element: HTMLElement,
  spec: ChartSpec,
  options: ChartOptions = {},
): Chart {
  let current = spec;
  let chart: EChartsType | undefined;
  element.setAttribute("role", "img");

  const draw = () => {
    element.setAttribute("aria-label", clean(inWords(current)));
    if (!chart) {
      // Without a size there is nothing to draw into yet; the observer calls again.
      if (element.clientWidth === 0 || element.clientHeight === 0) return;
      chart = init(element, null, { renderer: "svg" });
      chart.on("click", (hit) => {
        const at = located(current, hit);
        if (at) options.onSelect?.(at.series, at.index);
      });
    }
    const legend = hidden(chart);
    chart.setOption(chartOption(current, currentLook(element)), { notMerge: true });
    for (const name of legend) chart.dispatchAction({ type: "legendUnSelect", name });
  };

  let frame = 0;
  const observer = new ResizeObserver(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      if (chart) chart.resize();
      else draw();
    });
  });
  observer.observe(element);
  const unwatch = watchLook(draw);
  draw();

  return {
    update(next) {
      current = next;
      draw();
    },
    toSVGString: (picture) => toPicture(current, element, picture),
    destroy() {
      cancelAnimationFrame(frame);
      observer.disconnect();
      unwatch();
      chart?.dispose();
      element.removeAttribute("role");
      element.removeAttribute("aria-label");
    },
  };
}

/** The series that the reader switched off in the legend. */
function hidden(chart: EChartsType): string[] {
  const option = chart.getOption() as
    | { legend?: { selected?: Record<string, boolean> }[] }
    | undefined;
  const selected = option?.legend?.[0]?.selected ?? {};
  return Object.keys(selected).filter((name) => selected[name] === false);
}

function toPicture(spec: ChartSpec, element: HTMLElement, options: PictureOptions = {}): string {
  const { width = 960, height = 540, source } = options;
  const look = { ...currentLook(element), animate: false };
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({ ...chartOption(spec, look, true), backgroundColor: look.color("--panel") });
    const svg = still(chart.renderToSVGString());
    const head = [
      `<title>${escapeXml(spec.title)}</title>`,
      `<desc>${escapeXml(inWords(spec))}</desc>`,
      ...(source ? [`<metadata>${escapeXml(source)}</metadata>`] : []),
    ];
    return svg.replace(/^<svg[^>]*>/, (open) => `${open}\n${head.join("\n")}`);
  } finally {
    chart.dispose();
  }
}

/** Leaves out what ECharts adds for a picture that would be made live again: hover and metadata. */
function still(svg: string): string {
  return svg
    .replace(/<style[^>]*>[\s\S]*?<\/style>/g, "")
    .replace(/<[a-z][^>]*>/gi, (tag) =>
      tag.replace(/ (class|ecmeta_\w+|pointer-events)="[^"]*"/g, ""),
    );
}

function escapeXml(text: string): string {
  return clean(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
