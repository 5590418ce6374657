// What the second worker answers (`crates/lab/src/bench/report.rs`, `crates/lab/src/stats`).

export interface Figures {
  ns?: number;
  cycles?: number;
  overhead_pct?: number;
  overhead_cycles_pct?: number;
  ops_per_s?: number;
  change_pct?: number;
  real_pct?: number;
  kern_pct?: number;
  user_pct?: number;
  memory_pct?: number;
  rate_pct?: number;
}

export type Figure = keyof Figures;

export interface Published extends Figures {
  source: string;
  citation: string;
  url: string;
  machine: string;
  against?: string;
  predicted_change_pct?: number;
  role: string;
}

export interface BenchRow {
  kernel: string;
  memory: string;
  syscall?: string;
  vmas?: number;
  predicted: Figures;
  published?: Published;
  also_published?: Published[];
  role: string;
  counts: Record<string, number>;
  explained?: string[];
  measured: Figures | null;
}

export interface BenchReport {
  benchmark: string;
  about: string;
  cpu: string;
  cpu_label: string;
  model: string;
  fit: string;
  rows: BenchRow[];
  errors: {
    figure: Figure;
    role: string;
    values: number;
    rms: number;
    worst: number;
    unit: string;
  }[];
  scenarios: { title: string; text: string }[];
  notes?: string[];
}

export interface BenchAnswer {
  report: BenchReport;
  csv: string;
  names: string[];
  verdicts: string[];
}

export interface Series {
  name: string;
  unit: string;
  values: number[];
  summary?: { n: number; mean: number; sd: number };
}

export interface Catalogue {
  benchmarks: { id: string; about: string; cpu: string; memories: boolean }[];
  cpus: { id: string; label: string }[];
  kernels: string[];
  memories: string[];
  samples: {
    id: string;
    title: string;
    citation: string;
    url: string;
    machine: string;
    series: Series[];
  }[];
}

export interface Description {
  n: number;
  mean: number;
  median: number | null;
  sd: number | null;
  sem: number | null;
  cv_pct: number | null;
  ci: [number, number] | null;
  range: [number, number, number, number] | null;
}

export interface StatsReport {
  series: { series: Series; description: Description }[];
  comparisons: {
    first: string;
    other: string;
    change_pct: number;
    median_change_pct: number | null;
    welch: { t: number; df: number; p: number } | null;
    mann_whitney: { u: number; z: number; p: number } | null;
    bootstrap: { low_pct: number; high_pct: number; resamplings: number; seed: number } | null;
  }[];
  faults: { line: number; column: number; message: string }[];
}

export interface PowerAnswer {
  power: { runs: number } | null;
  wrong: {
    runs: number;
    trials: number;
    seed: number;
    wrong_sign_pct: number;
    missed_pct: number;
    right_pct: number;
    significant_wrong_pct: number;
    false_alarm_pct: number;
  } | null;
}
