// The marks at the end of a line: how each variant answered the call there.

import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { type EditorView, GutterMarker, gutter } from "@codemirror/view";
import { type Mark, SHAPES } from "./types";

const SVG = "http://www.w3.org/2000/svg";

class Marks extends GutterMarker {
  constructor(readonly marks: readonly Mark[]) {
    super();
  }

  override eq(other: GutterMarker): boolean {
    return (
      other instanceof Marks &&
      other.marks.length === this.marks.length &&
      other.marks.every((mark, i) => {
        const mine = this.marks[i];
        return mark.shape === mine?.shape && mark.color === mine.color && mark.title === mine.title;
      })
    );
  }

  override toDOM(): Node {
    const row = document.createElement("div");
    row.className = "cm-badge";
    this.marks.forEach((mark, index) => {
      const item = document.createElement("span");
      item.title = mark.title;
      item.dataset.mark = String(index);
      item.append(draw(mark));
      row.append(item);
    });
    return row;
  }
}

function draw({ shape, color }: Mark): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 10 10");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", SHAPES[shape] ?? SHAPES.square);
  path.setAttribute("fill-rule", "evenodd");
  if (/^--[\w-]+$/.test(color)) svg.style.color = `var(${color})`;
  svg.append(path);
  return svg;
}

/** Marks by the position of their line's start. */
export const setBadges = StateEffect.define<{ at: number; marks: readonly Mark[] }[]>();

const field = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(set, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setBadges)) continue;
      const ranges = effect.value.map(({ at, marks }) => new Marks(marks).range(at));
      return RangeSet.of(ranges, true);
    }
    return transaction.docChanged ? set.map(transaction.changes) : set;
  },
});

export function badgeGutter(onBadge?: (line: number, mark: number) => void) {
  return [
    field,
    gutter({
      class: "cm-badges",
      side: "after",
      markers: (view) => view.state.field(field),
      domEventHandlers: {
        click(view: EditorView, block, event) {
          const item = event.target instanceof Element && event.target.closest("[data-mark]");
          if (!onBadge || !(item instanceof HTMLElement)) return false;
          onBadge(view.state.doc.lineAt(block.from).number, Number(item.dataset.mark));
          return true;
        },
      },
    }),
  ];
}
