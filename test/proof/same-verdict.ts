import { type ChildProcess, spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { openRepository, type Repository } from '../../bench/corpus/repo-corpus.ts';
import { keepInFlight } from '../../bench/harness.ts';
import { startJudge } from '../../bench/noise/judge.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Cell, Report } from '../../bench/report.ts';
import { readCommits } from '../../src/cli/git.ts';
import type { Finding } from '../../src/model/finding.ts';

const THREADS = 2;
const COMMITS = 1_000;
const BUSY_PROCESSES = 16;
/** A busy process ends by itself after this time, even when nobody ends it. */
const BUSY_SECONDS_MAX = 1_200;
const DIFFERENCES_SHOWN = 20;

/** The same commits on an idle machine and on a busy one: findings are equal to the byte. */
export async function run(options: RunOptions): Promise<Report> {
  if (options.repos.length === 0) throw new TypeError('same-verdict needs --repo PATH');
  const count = options.count ?? COMMITS;
  const rows: Cell[][] = [];
  const differences: string[] = [];
  for (const path of options.repos) {
    const repository = await openRepository(path);
    const judge = startJudge(THREADS);
    try {
      const quiet = await judgeAll(repository, judge, count);
      options.progress(`same-verdict: ${repository.name} ${quiet.findings.size}`);
      const busy = Array.from({ length: BUSY_PROCESSES }, startBusy);
      const loaded = await judgeAll(repository, judge, count).finally(() => {
        for (const child of busy) child.kill();
      });
      const different = [...quiet.findings].filter(([sha, text]) => {
        return loaded.findings.get(sha) !== text;
      });
      differences.push(...different.map(([sha]) => `${repository.name} ${sha}`));
      const cells = [quiet.findings.size, quiet.listed, quiet.unparsed, different.length];
      const loads = [quiet.load, quiet.seconds, loaded.load, loaded.seconds];
      rows.push([`${repository.name} at ${repository.head}`, ...cells, ...loads]);
    } finally {
      await judge.close();
    }
  }
  return {
    title: 'The same diff, the same verdict',
    facts: [
      `the newest ${count} commits without merges of each history, each analysed twice by the ` +
        `same ${THREADS} scan threads: as the machine was, and beside ${BUSY_PROCESSES} processes ` +
        'that use all the CPU time they get',
    ],
    tables: [{ columns: COLUMNS, rows }],
    notes: [
      'compared: the findings as JSON, in their order, without their random ids',
      ...differences.slice(0, DIFFERENCES_SHOWN).map((which) => `DIFFERENT: ${which}`),
    ],
    holds: differences.length === 0,
  };
}

type Judge = ReturnType<typeof startJudge>;

async function judgeAll({ git, name }: Repository, judge: Judge, count: number) {
  const start = performance.now();
  const source = readCommits(git, { count, numstat: false });
  const findings = new Map<string, string>();
  let listed = 0;
  let unparsed = 0;
  let isDone = false;
  await keepInFlight(
    THREADS,
    () => isDone,
    async () => {
      const next = await source.next();
      if (next.done) {
        isDone = true;
        return;
      }
      if (next.value.bytes === 0) return;
      const { sha, result } = await judge.judge(next.value, name, git);
      const found = result?.findings ?? [];
      listed += found.length;
      unparsed += found.filter(isLost).length;
      findings.set(sha, JSON.stringify(result === null ? null : found.map(comparable)));
    },
  );
  const [load = 0] = loadavg();
  return { findings, listed, unparsed, load, seconds: (performance.now() - start) / 1000 };
}

const COLUMNS = [
  'history',
  'commits',
  'findings',
  'ast-unparsed high',
  '**commits with other findings**',
  'load at the end of the first run',
  'its seconds',
  'of the second',
  'its seconds',
];

function isLost({ id, severity }: Finding): boolean {
  return id === 'ast-unparsed' && severity === 'high';
}

/** A finding without what is drawn for each analysis. */
function comparable({ finding_id: _, ...rest }: Finding): unknown {
  return rest;
}

function startBusy(): ChildProcess {
  const script = `const end = Date.now() + ${BUSY_SECONDS_MAX * 1000}; while (Date.now() < end);`;
  return spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
}
