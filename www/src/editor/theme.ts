// The editor's look, in the page's own custom properties: light and dark follow without a rebuild.
// The rules live in the editor's shadow root as a constructed style sheet, which the page's policy
// allows where it refuses `<style>` elements.

import { EditorView } from "@codemirror/view";

const KINDS = [
  "comment",
  "call",
  "keyword",
  "number",
  "flag",
  "string",
  "name",
  "result",
  "punctuation",
];

const tokens = Object.fromEntries(
  KINDS.map((kind) => [`.tok-${kind}`, { color: `var(--tok-${kind}, inherit)` }]),
);

/** Wavy underline, and the same colour for the mark in the gutter and the message's edge. */
function severity(name: string, color: string) {
  return {
    [`.cm-lintRange-${name}`]: {
      backgroundImage: "none",
      textDecoration: `underline wavy ${color} 1px`,
      textUnderlineOffset: "3px",
      textDecorationSkipInk: "none",
    },
    [`.cm-lintPoint-${name}:after`]: { borderBottomColor: color },
    [`.cm-diagnostic-${name}`]: { borderLeftColor: color },
    [`.cm-lint-marker-${name}`]: { color },
  };
}

export const theme = EditorView.theme({
  "&": {
    height: "100%",
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
    fontSize: "var(--editor-size, 13.5px)",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 8px 0 6px" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "var(--editor-selection)" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": {
    backgroundColor: "color-mix(in srgb, var(--raise) 70%, transparent)",
  },
  ".cm-line.cm-step": {
    backgroundColor: "var(--editor-active)",
    boxShadow: "inset 3px 0 0 var(--accent)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--edge)",
    borderRadius: "2px",
  },
  ".cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket": {
    backgroundColor: "transparent",
    color: "var(--error)",
  },
  ".cm-searchMatch": {
    backgroundColor: "var(--warn-soft)",
    outline: "1px solid var(--warn-line)",
  },
  ".cm-searchMatch-selected": { backgroundColor: "var(--warn-line)" },
  ".cm-selectionMatch": { backgroundColor: "var(--raise)" },
  ".cm-specialChar": { color: "var(--warn)", fontWeight: "bold" },
  ".cm-placeholder": { color: "var(--mute)" },

  ".cm-gutters": {
    backgroundColor: "var(--panel)",
    color: "var(--mute)",
    border: "none",
    userSelect: "none",
  },
  ".cm-gutters-after": { paddingRight: "8px" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.4em", padding: "0 4px 0 8px" },
  ".cm-badge": { display: "flex", gap: "3px", height: "1.6em", alignItems: "center" },
  ".cm-badge span": { display: "flex", cursor: "pointer" },
  ".cm-badge svg": { width: "11px", height: "11px", fill: "currentColor", display: "block" },

  ".cm-gutter-lint": { width: "1em" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0" },
  ".cm-lint-marker": { content: "normal", width: "1em", textAlign: "center", fontWeight: "bold" },
  ".cm-lint-marker:before": { content: "'•'" },
  ".cm-lint-marker-error:before": { content: "'✕'" },
  ".cm-lint-marker-warning:before": { content: "'!'" },
  ".cm-lint-marker-error, .cm-lint-marker-warning, .cm-lint-marker-info": { content: "normal" },
  ...severity("error", "var(--error)"),
  ...severity("warning", "var(--warn)"),
  ...severity("info", "var(--info)"),
  ...severity("hint", "var(--mute)"),
  ".cm-lintRange-active": { backgroundColor: "var(--warn-soft)" },
  ".cm-diagnostic": {
    padding: "6px 10px",
    borderLeftStyle: "solid",
    borderLeftWidth: "4px",
    fontFamily: "var(--sans)",
  },
  ".cm-message": { fontWeight: "600" },
  ".cm-hint": { color: "var(--mute)" },
  ".cm-diagnosticAction": {
    margin: "4px 8px 0 0",
    padding: "2px 10px",
    font: "inherit",
    color: "var(--on-accent)",
    backgroundColor: "var(--accent)",
    borderRadius: "4px",
  },

  ".cm-tooltip": {
    maxWidth: "min(46ch, 90vw)",
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
    border: "1px solid var(--edge)",
    borderRadius: "6px",
    boxShadow: "var(--shadow)",
    fontSize: "13px",
    overflow: "hidden",
    zIndex: "60",
  },
  ".cm-hover, .cm-completionInfo": { padding: "8px 10px", fontFamily: "var(--sans)" },
  ".cm-hover-title": { fontFamily: "var(--mono)", fontWeight: "600", marginBottom: "4px" },
  ".cm-hover-source": { marginTop: "6px", color: "var(--mute)", fontSize: "12px" },
  ".cm-help + .cm-help": { marginTop: "4px" },
  ".cm-tooltip.cm-tooltip-autocomplete": { maxWidth: "min(60ch, 94vw)", overflow: "visible" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "16em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 10px 3px 6px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--accent)",
    color: "var(--on-accent)",
  },
  ".cm-completionDetail": { color: "var(--mute)", fontStyle: "normal" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },

  ".cm-panels": { backgroundColor: "var(--raise)", color: "var(--ink)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-panel.cm-search": { fontFamily: "var(--sans)" },
  ".cm-textfield": {
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
    border: "1px solid var(--edge)",
    borderRadius: "4px",
  },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--panel)",
    color: "var(--ink)",
    border: "1px solid var(--edge)",
    borderRadius: "4px",
  },
  ".cm-panel button:focus-visible, .cm-textfield:focus-visible, .cm-panel input:focus-visible": {
    outline: "2px solid var(--accent)",
  },
  ...tokens,
  ".tok-comment": { color: "var(--tok-comment)", fontStyle: "italic" },
});
