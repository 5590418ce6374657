/** What the functions throw. */
export interface SealabError extends Error {
  name: "SealabError";
  /** Stable: `run`, `link`, `message` or `internal`. */
  code: string;
}

/** Kernel, memory and CPU by their ids; what is left out is the default. */
export interface VariantIds {
  kernel?: string;
  memory?: string;
  cpu?: string;
}

export interface RunOptions extends VariantIds {
  /** The process's `/proc/PID/maps` before the first call. */
  maps?: string;
  /** The process of a trace to take. */
  pid?: number;
  /** With every page at the end, and what each call did to contiguous blocks. */
  pages?: boolean;
}

export interface CompareOptions {
  /** In order; 6.8, 6.11 and 6.12 when left out. */
  variants?: VariantIds[];
  maps?: string;
  pid?: number;
  pages?: boolean;
}

/** `sealab-report/1`. Addresses are hexadecimal strings. */
export interface Report {
  format: "sealab-report/1";
  diagnostics: Diagnostic[];
  /** Calls that do not touch memory, by name, and how often each was left out. */
  skipped: Record<string, number>;
  differences: Difference[];
  runs: Run[];
}

export interface Diagnostic {
  severity: "error" | "warning" | "note";
  code: string;
  line: number;
  column: number;
  end_line: number;
  end_column: number;
  message: string;
  hint?: string | null;
}

export interface Difference {
  kind: "result" | "partial" | "maps" | "counts" | "recorded";
  /** Index into each run's `calls`. */
  call?: number;
  line?: number;
  sentence: string;
  /** Stretches of `sentence` to set off, as byte offsets of its UTF-8 form. */
  emphasis: [number, number][];
}

/** The pages of a run at its end, and what its TLBs hold. */
export interface Pages {
  page_bytes: number;
  mappings: { process: number; start: string; end: string; pages: Page[] }[];
  /** Pages beyond the most that a report lists. */
  left_out: number;
  tlb_profile: string;
  /** First byte and number of bytes of each translation held. */
  tlb: { name: string; capacity: number; reach: number; entries: [string, number][] }[];
}

export interface Page {
  addr: string;
  present: boolean;
  writable: boolean;
  young: boolean;
  dirty: boolean;
  contiguous: boolean;
  executable: boolean;
  /** The shared zero page. */
  special: boolean;
  prot_none: boolean;
  guard: boolean;
  pmd: boolean;
  /** log2 of its folio's pages. */
  order: number;
  /** Position in the folio, in pages. */
  index: number;
  /** Number of the folio; 0: none. */
  folio: number;
  mapcount: number;
}

export interface Run {
  variant: Required<VariantIds>;
  label: string;
  calls: Call[];
  unlisted_calls: number;
  maps: MapsEntry[];
  totals: {
    calls: number;
    disagreements: number;
    inferred: number;
    counts: Record<string, number>;
    /** What the TLBs counted, where there was an access. */
    tlb?: Record<string, number>;
    /** At the end, over all processes, in bytes. */
    memory: { resident: number; page_tables: number; untouched: number };
    cost_ns: number;
  };
  /** When asked for. */
  pages?: Pages;
  measures: {
    name: string;
    samples: number;
    counts: Record<string, number>;
    cost_ns: { median: number; min: number; max: number };
  }[];
}

/** Exactly one field is there. */
export interface CallResult {
  value?: string;
  errno?: string;
  signal?: string;
}

export interface Call {
  line: number;
  text: string;
  process: number;
  result: CallResult;
  recorded?: CallResult;
  agrees: boolean;
  inferred: boolean;
  changed: { start: string; end: string }[];
  changes?: { start: string; end: string; kind: string }[];
  counts: Record<string, number>;
  /** Each tree walk's chain of kernel functions, innermost first. */
  walks?: string[][];
  cost_ns: number;
  remarks?: string[];
}

export interface MapsEntry {
  start: string;
  end: string;
  perms: string;
  offset: string;
  dev: string;
  inode: number;
  name: string;
  vm_flags: string[];
  rss_kb: number;
}

export interface ParsedTrace {
  /** Statements understood. */
  statements: number;
  dialect: "hand-written" | "trace";
  diagnostics: Diagnostic[];
  skipped: Record<string, number>;
  processes: { pid: number | null; calls: number; command: string | null; line: number }[];
}

export interface LinkState {
  text?: string;
  variants?: VariantIds[];
  maps?: string | null;
  view?: string | null;
  step?: number | null;
  theme?: string | null;
  pid?: number | null;
}
