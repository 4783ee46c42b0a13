import { SEARCH } from '../src/model/limits.ts';
import { parseSearch } from '../src/model/search.ts';
import { makeTemporary } from './disk.ts';
import { percentile } from './harness.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';
import { insertHistory } from './store/history.ts';
import { MONGO } from './store/mongo.ts';
import { SQLITE } from './store/sqlite.ts';
import type { OpenedDriver } from './store.ts';

const RFCS = 1_000_000;
const ROUNDS = 60;
/** Of a search or of facets, at the least of the rounds: ms, and beside a prod-check. */
const MS_MAX = 100;
const RATIO_MAX = 10;

/**
 * What the queue asks a store with the history of `bench dashboard`: lists, searches and facets, in
 * turn with a prod-check (`--count`: RFCs; `--only SQLite`).
 */
export async function run({ count, only, progress }: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const rows: Cell[][] = [];
  const facts: string[] = [];
  try {
    for (const driver of [SQLITE, MONGO]) {
      if (only.length > 0 && !only.includes(driver.name)) continue;
      const opened = await driver.open(temporary.path);
      try {
        await insertHistory(opened.store, count ?? RFCS, (inserted) =>
          progress(`facets: ${driver.name} holds ${inserted}`),
        );
        rows.push(...(await measureCalls(driver.name, opened)));
        const bytes = [...(await opened.bytesOf()).values()].reduce((sum, one) => sum + one, 0);
        facts.push(`${driver.name}: ${Math.round(bytes / 1e6)} MB`);
      } finally {
        await opened.close();
      }
    }
  } finally {
    temporary.remove();
  }
  return {
    title: `The queue over ${(count ?? RFCS).toLocaleString('en-US')} RFCs`,
    facts,
    tables: [{ columns: COLUMNS, rows }],
    notes: [
      `${ROUNDS} rounds in turn, from this process to the thread of the store and back; beside: ` +
        'the least of the call by the least of the prod-check',
      `goal of a page of a search: ${MS_MAX} ms or ${RATIO_MAX} prod-checks at the least`,
    ],
    holds: rows.every(
      ([name, least, , beside]) =>
        !String(name).includes('search') || Number(least) <= MS_MAX || Number(beside) <= RATIO_MAX,
    ),
  };
}

const COLUMNS = ['call', 'least, ms', 'median, ms', 'beside a prod-check'];

async function measureCalls(driver: string, { store, pushes }: OpenedDriver): Promise<Cell[][]> {
  const tenant_id = 'default';
  const search = (q: string) => {
    const { texts, until, since, without: _, ...by } = parseSearch(q, CONTEXT);
    return { tenant_id, ...by, search: { texts, until, since, examined: SEARCH.EXAMINED_MAX } };
  };
  const prod = { tenant_id, repo_name: 'acme/shop', branch: null, commit_sha: null };
  const calls: [string, () => Promise<unknown>][] = [
    ['prod-check', () => pushes.prodView(prod)],
    ...QUESTIONS.flatMap((q): [string, () => Promise<unknown>][] => [
      [`search: ${q}`, () => store.listRfcs({ ...search(q), limit: PAGE, cursor: null })],
      [`facets: ${q}`, () => store.countFacets({ ...search(q), without: [] })],
    ]),
  ];
  const times = new Map(calls.map(([name]) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, call] of calls) {
      const start = performance.now();
      await call();
      times.get(name)?.push(performance.now() - start);
    }
  }
  const leastOf = (name: string) => Math.min(...(times.get(name) ?? []));
  return calls.map(([name]) => [
    `${driver}: ${name}`,
    leastOf(name),
    percentile(times.get(name) ?? [], 0.5),
    leastOf(name) / leastOf('prod-check'),
  ]);
}

/** Rows of the queue. */
const PAGE = 100;
const CONTEXT = {
  principal: {
    id: 'ann.berg',
    name: 'Ann Berg',
    credential: 'oidc',
    role: 'admin',
    tenant_id: 'default',
  },
  nowMs: Date.now(),
} as const;

/** From what the queue asks by itself to words that an eighth of all changes have. */
const QUESTIONS = [
  'is:any',
  'is:blocked',
  'is:blocked repo:acme/shop rule:vuln-01',
  'severity:critical',
  'repo:acme/shop rule:vuln-01 payments',
  'refund',
  'component:web',
  'author:ann.berg is:blocked',
];
