import { parseArgs } from 'node:util';
import type { Report } from './report.ts';

/** Options of all benchmarks and proofs; each uses those that mean something to it. */
export interface RunOptions {
  /** Git repositories; empty: the package folders. */
  repos: readonly string[];
  /** Newest commits of a repository. */
  commits: number;
  seconds: number;
  seed: number;
  /** Repetitions of a proof; null: its own number. */
  count: number | null;
  /** Connections or requests at a time; null: the benchmark's own. */
  connections: number | null;
  /** Names of what a proof shall use, of all that it has; empty: all. */
  only: readonly string[];
  /** A file or folder to work on, and one to write; null: none. */
  data: string | null;
  out: string | null;
  /** Whether to profile the daemon's threads. */
  profile: boolean;
  /** Whether to list what was found one by one. */
  list: boolean;
  json: boolean;
  /** Told what goes on. */
  progress(text: string): void;
}

/** A benchmark or a proof. Its module is loaded when it is run. */
export interface Runnable {
  summary: string;
  load(): Promise<{ run(options: RunOptions): Promise<Report> }>;
}

const OPTIONS = {
  repo: { type: 'string', multiple: true },
  commits: { type: 'string' },
  seconds: { type: 'string' },
  seed: { type: 'string' },
  count: { type: 'string' },
  connections: { type: 'string' },
  only: { type: 'string', multiple: true },
  data: { type: 'string' },
  out: { type: 'string' },
  profile: { type: 'boolean' },
  list: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export const OPTIONS_HELP = `
  --repo PATH       take the diffs from this repository's commits (fidelity, noise, histories:
                    several);
                    without it they are made from the package folders of npm ci
  --commits N       its newest N commits (default 1000)
  --seconds N       duration of each load (default 10)
  --seed N          of whatever is drawn (default 1)
  --count N         how often a proof kills, posts or replaces; lines a class of labels
  --connections N   instead of the benchmark's own
  --only NAME       of the forms of crash-forms; may be given several times
  --data PATH       what train-risk trains on, risk-parity compares with, diff-text reads;
                    of million: the URL of a MongoDB that runs already;
                    of budget and syntax-files: the dist folder of another tree to run beside
                    this one;
                    of noise: a folder with the answers of two readers (CLASS.A.jsonl, .B.jsonl)
  --out PATH        where train-risk writes the model: src/verdict/score-trees.ts; the folder for
                    samples of labels, which hold secrets: outside of any repository
  --profile         CPU profile of every thread of the daemon; the top is in the report
  --list            what noise finds blocked, and secrets that block nothing, one by one
  --json            the report as JSON
`;

/** Reads the command line; null when it asks for help. Throws a TypeError on one it can't read. */
export function readOptions(
  args: readonly string[],
): { names: readonly string[]; options: RunOptions } | null {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
  });
  if (values.help || positionals.length === 0) return null;
  return {
    names: positionals,
    options: {
      repos: values.repo ?? [],
      commits: wholeNumber('commits', values.commits) ?? 1000,
      seconds: wholeNumber('seconds', values.seconds) ?? 10,
      seed: wholeNumber('seed', values.seed) ?? 1,
      count: wholeNumber('count', values.count),
      connections: wholeNumber('connections', values.connections),
      only: values.only ?? [],
      data: values.data ?? null,
      out: values.out ?? null,
      profile: values.profile ?? false,
      list: values.list ?? false,
      json: values.json ?? false,
      progress: (text) => process.stderr.write(`${text}\n`),
    },
  };
}

function wholeNumber(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new TypeError(`--${name} must be a whole number from 1`);
}
