import { readdirSync, readFileSync } from 'node:fs';
import type { AnalyzeAnswer } from '../model/answer.ts';
import type { Commit } from './git.ts';
import { CLI, type Paint, printable } from './terminal.ts';

const MB = 1_000_000;
const SECOND_MS = 1000;

/** What a replay showed; `--json` prints it as it is. MB are 10^6 bytes of diff. */
export interface ReplaySummary {
  repo: string;
  commits: number;
  megabytes: number;
  seconds: number;
  commits_per_second: number;
  megabytes_per_second: number;
  verdicts: Record<string, number>;
  /** Findings by rule, most frequent first. */
  rules: Record<string, number>;
  /** Until analyze answered, waiting after a 503 not included; null when nothing was answered. */
  latency_ms: { p50: number; p99: number; max: number } | null;
  /** CPU seconds of the server and its children; null when they are not known. */
  server_cpu_seconds: number | null;
  megabytes_per_cpu_second: number | null;
  /** Share of the senders' time in which they waited for git: near 1, git was the limit. */
  waited_for_git: number;
  drafts: number;
  retries_after_503: number;
  errors: Record<string, number>;
  failed: Tally['failed'];
  stuck: string[];
  interrupted: number;
  skipped: { empty: number; too_large: Tally['skippedLarge'] };
  /** Null when `--verify-stats` was not asked for. */
  stats_mismatches: Tally['mismatches'] | null;
}

interface SummaryOptions {
  repo: string;
  elapsedMs: number;
  cpuSeconds: number | null;
  isVerified: boolean;
}

/** Sums up a tally. */
export function summarise(tally: Tally, options: SummaryOptions): ReplaySummary {
  const { cpuSeconds, elapsedMs } = options;
  const megabytes = tally.bytes / MB;
  const seconds = elapsedMs / SECOND_MS;
  return {
    repo: options.repo,
    commits: tally.judged,
    megabytes: round(megabytes),
    seconds: round(seconds),
    commits_per_second: round(tally.judged / seconds),
    megabytes_per_second: round(megabytes / seconds),
    verdicts: sorted(tally.verdicts),
    rules: sorted(tally.rules),
    latency_ms: latency(tally.latenciesMs),
    server_cpu_seconds: cpuSeconds,
    megabytes_per_cpu_second: cpuSeconds ? round(megabytes / cpuSeconds) : null,
    waited_for_git: round(tally.waitedForGitMs / Math.max(1, tally.sendersMs)),
    drafts: tally.drafts,
    retries_after_503: tally.retries,
    errors: sorted(tally.errors),
    failed: tally.failed,
    stuck: tally.stuck,
    interrupted: tally.interrupted,
    skipped: { empty: tally.skippedEmpty, too_large: tally.skippedLarge },
    stats_mismatches: options.isVerified ? tally.mismatches : null,
  };
}

/** The summary for people. */
export function formatSummary(summary: ReplaySummary, paint: Paint): string {
  const { latency_ms: latency, skipped, stats_mismatches: mismatches } = summary;
  const bad = (text: string, isBad: boolean) => (isBad ? paint('red', text) : text);
  const row = (name: string, text: string) => `${paint('dim', name.padEnd(10))} ${text}`;
  const lines = [
    paint('bold', headline(summary)),
    row('verdicts', list(summary.verdicts) || 'none'),
    row('top rules', list(summary.rules) || 'no findings'),
    row('latency', latency === null ? 'nothing was answered' : latencyText(latency)),
    row('server', serverText(summary)),
    row('git', `senders waited for it ${Math.round(100 * summary.waited_for_git)} % of the time`),
    row(
      'drafts',
      `${summary.drafts}, ${bad(`${summary.stuck.length} stuck`, hasAny(summary.stuck))}`,
    ),
    row('skipped', `${skipped.empty} without changes, ${skipped.too_large.length} too large`),
    row('errors', bad(list(summary.errors) || 'none', hasAny(summary.failed))),
    row('503', `${summary.retries_after_503} requests sent again`),
  ];
  if (mismatches !== null) {
    const text = `${mismatches.length} numbers differ from git show --numstat`;
    lines.push(row('stats', bad(text, hasAny(mismatches))));
  }
  if (summary.interrupted > 0) lines.push(row('broken off', `${summary.interrupted} not answered`));
  return `${[...lines, ...details(summary)].join('\n')}\n`;
}

function headline(summary: ReplaySummary): string {
  const { repo, commits, megabytes, seconds } = summary;
  const rates = `${summary.commits_per_second} commits/s, ${summary.megabytes_per_second} MB/s`;
  return `${printable(repo)}: ${commits} commits, ${megabytes} MB in ${seconds} s: ${rates}`;
}

function latencyText({ p50, p99, max }: { p50: number; p99: number; max: number }): string {
  return `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms`;
}

function serverText(summary: ReplaySummary): string {
  const { server_cpu_seconds: cpu, megabytes_per_cpu_second: rate } = summary;
  if (cpu === null) return 'CPU unknown (give --pid)';
  return `${cpu} s of CPU${rate === null ? '' : `: ${rate} MB per CPU-second`}`;
}

/** The commits to look at, some of each kind. */
function details(summary: ReplaySummary): string[] {
  return [
    ...some(summary.skipped.too_large, ({ sha, bytes }) => `too large  ${sha} (${bytes} bytes)`),
    ...some(summary.failed, ({ sha, error }) => `failed     ${sha} ${error}`),
    ...some(summary.stuck, (sha) => `stuck      ${sha}`),
    ...some(
      summary.stats_mismatches ?? [],
      ({ sha, field, service, git }) => `stats      ${sha} ${field}: ${service}, git says ${git}`,
    ),
  ];
}

function some<T>(items: readonly T[], format: (item: T) => string): string[] {
  const lines = items.slice(0, CLI.LISTED_MAX).map((item) => printable(format(item)));
  const rest = items.length - CLI.LISTED_MAX;
  return rest > 0 ? [...lines, `... and ${rest} more`] : lines;
}

function hasAny(items: readonly unknown[]): boolean {
  return items.length > 0;
}

function list(counts: Record<string, number>): string {
  const shown = Object.entries(counts).slice(0, CLI.LISTED_MAX);
  return shown.map(([name, number]) => `${printable(name)} ${number}`).join(', ');
}

function sorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
}

/** Nearest rank. */
function latency(values: readonly number[]): ReplaySummary['latency_ms'] {
  if (values.length === 0) return null;
  const sortedMs = [...values].sort((a, b) => a - b);
  const at = (share: number) => round(sortedMs[Math.ceil(share * sortedMs.length) - 1] ?? 0);
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** What a replay has seen so far. */
export interface Tally {
  /** Commits that got a final verdict, and the bytes of their diffs. */
  judged: number;
  bytes: number;
  verdicts: Map<string, number>;
  /** Findings by rule. */
  rules: Map<string, number>;
  /** Milliseconds until analyze answered, one for each commit that was answered. */
  latenciesMs: number[];
  /** Answers that came as DRAFT first. */
  drafts: number;
  /** Requests sent again because of 503. */
  retries: number;
  /** Commits without a verdict, by HTTP status or by why there was no answer. */
  errors: Map<string, number>;
  failed: { sha: string; error: string }[];
  /** Commits that stayed DRAFT. */
  stuck: string[];
  /** Taken from git but not finished when the replay was interrupted. */
  interrupted: number;
  skippedEmpty: number;
  skippedLarge: { sha: string; bytes: number }[];
  mismatches: { sha: string; field: string; service: number; git: number }[];
  /** Milliseconds that senders waited: for git, and in all. */
  waitedForGitMs: number;
  sendersMs: number;
}

/** Creates an empty tally. */
export function createTally(): Tally {
  return {
    judged: 0,
    bytes: 0,
    verdicts: new Map(),
    rules: new Map(),
    latenciesMs: [],
    drafts: 0,
    retries: 0,
    errors: new Map(),
    failed: [],
    stuck: [],
    interrupted: 0,
    skippedEmpty: 0,
    skippedLarge: [],
    mismatches: [],
    waitedForGitMs: 0,
    sendersMs: 0,
  };
}

/** Adds one to the count of a key. */
export function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Takes a final answer. */
export function addAnswer(tally: Tally, commit: Commit, answer: AnalyzeAnswer): void {
  tally.judged += 1;
  tally.bytes += commit.bytes;
  count(tally.verdicts, answer.overall_status);
  const { risk, ast, llm } = answer.gates;
  for (const gate of [risk, ast, llm]) {
    for (const finding of gate.findings) count(tally.rules, finding.id);
  }
  if (commit.numstat === null) return;
  for (const field of ['files', 'additions', 'deletions'] as const) {
    const service = answer.stats[field];
    const git = commit.numstat[field];
    if (service !== git) tally.mismatches.push({ sha: commit.sha, field, service, git });
  }
}

/** Whether every commit got its verdict and, where it was compared, the right numbers. */
export function isClean(tally: Tally): boolean {
  const { errors, stuck, mismatches, interrupted } = tally;
  return errors.size === 0 && stuck.length === 0 && mismatches.length === 0 && interrupted === 0;
}

/** Clock ticks per second in /proc: USER_HZ, 100 on every Linux that Node runs on (proc(5)). */
const TICKS_PER_SECOND = 100;

/** Processes of one tree that are looked at. */
const PROCESSES_MAX = 10_000;

/**
 * CPU seconds (user and system) that a process and its children have used until now, all their
 * threads included; children that ended count once their parent has reaped them. Null when the
 * process cannot be seen: gone, or no Linux.
 */
export function treeCpuSeconds(pid: number): number | null {
  const own = cpuTicks(pid);
  if (own === null) return null;
  let ticks = own;
  const seen = new Set([pid]);
  // A set goes through what is added on the way.
  for (const parent of seen) {
    for (const child of childrenOf(parent)) {
      if (seen.has(child) || seen.size >= PROCESSES_MAX) continue;
      seen.add(child);
      ticks += cpuTicks(child) ?? 0;
    }
  }
  return ticks / TICKS_PER_SECOND;
}

/** utime, stime, cutime and cstime; the name before them may hold blanks and brackets. */
function cpuTicks(pid: number): number | null {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [utime, stime, cutime, cstime] = fields.slice(11, 15).map(Number);
  return (utime ?? 0) + (stime ?? 0) + (cutime ?? 0) + (cstime ?? 0);
}

function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) => {
    const children = readText(`/proc/${pid}/task/${thread}/children`) ?? '';
    return children.split(' ').filter(Boolean).map(Number);
  });
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
