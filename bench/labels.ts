import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRepository } from './corpus/repo-corpus.ts';
import { CLASSES, type HistoryCounts, readHits, type SecretHit, shuffled } from './noise/hits.ts';
import type { RunOptions } from './options.ts';
import type { Report } from './report.ts';

/** Drawn of a class when `--count` does not say, so that some may be left out as unsure. */
const SAMPLE = 220;
/** One project must not decide about a class. */
const PER_REPO_MAX = 15;
/** Classes with fewer hits are not worth a reader's time. */
const HITS_MIN = 60;
const REPO_MS_MAX = 300_000;

/** What was found in one history, as it is kept between runs in the folder of `--out`. */
interface Found {
  name: string;
  head: string;
  counts: HistoryCounts;
  hits: SecretHit[];
}

/**
 * Draws hits of the generic classes of secrets for people to label, from all commits of histories.
 * Values stand in clear in the files of `--out`, so that folder belongs outside of any repository.
 * With `--repo` histories are read, by several processes at a time if wished, and counted; without,
 * the samples are drawn from all that the folder holds.
 */
export async function run(options: RunOptions): Promise<Report> {
  const { out, seed, progress } = options;
  if (out === null) throw new TypeError('labels needs --out FOLDER, outside of any repository');
  mkdirSync(out, { recursive: true });
  for (const path of options.repos) {
    const { git, name, head } = await openRepository(path);
    const deadlineMs = performance.now() + REPO_MS_MAX;
    const { hits, counts } = await readHits(
      { git, name: nameOf(path) },
      { seed, deadlineMs, progress },
    );
    const found: Found = { name: nameOf(path), head, counts, hits };
    const file = join(out, `${nameOf(path)}${FOUND}`);
    writeFileSync(`${file}.new`, JSON.stringify(found));
    renameSync(`${file}.new`, file);
    progress(`labels: ${name} done, ${JSON.stringify(counts)}`);
  }
  const writes = options.repos.length === 0;
  return draw(out, seed, { count: options.count ?? SAMPLE, writes });
}

const FOUND = '.found.json';

/** `owner+name` of a folder that holds the repository of a host, else the folder's own name. */
function nameOf(path: string): string {
  const parts = path.replace(/\/+$/, '').split('/');
  return parts.findLast((part) => part !== 'repo' && part !== '.git') ?? 'repository';
}

function draw(
  out: string,
  seed: number,
  { count, writes }: { count: number; writes: boolean },
): Report {
  const files = readdirSync(out)
    .filter((name) => name.endsWith(FOUND))
    .sort();
  const found = files.map((name) => JSON.parse(readFileSync(join(out, name), 'utf8')) as Found);
  // Copies of a project share their values: each counts once.
  const byValue = new Map<string, SecretHit>();
  for (const hit of found.flatMap(({ hits }) => hits)) {
    const key = `${hit.rule} ${hit.value}`;
    if (!byValue.has(key)) byValue.set(key, hit);
  }
  const all = [...byValue.values()];
  const sum = (key: keyof HistoryCounts) =>
    found.reduce((total, { counts }) => total + counts[key], 0);
  const rows = [...CLASSES].map(([rule, description]) => {
    const hits = all.filter((hit) => hit.rule === rule);
    const byRepo = new Map<string, SecretHit[]>();
    for (const hit of shuffled(hits, seed)) {
      byRepo.set(hit.repo, [...(byRepo.get(hit.repo) ?? []), hit]);
    }
    const capped = [...byRepo.values()].flatMap((own) => own.slice(0, PER_REPO_MAX));
    const sample = capped.length < HITS_MIN ? [] : shuffled(capped, seed + 1).slice(0, count);
    if (writes && sample.length > 0) writeSample(join(out, rule), description, sample);
    const most = Math.max(0, ...[...byRepo.values()].map(({ length }) => length));
    return [rule, hits.length, byRepo.size, most / hits.length, capped.length, sample.length];
  });
  return {
    title: 'Hits of generic secrets to label',
    facts: [
      ...found.map(({ name, head, counts: { commits, left } }) => {
        return `${name} at ${head}: ${commits} commits${left > 0 ? `, ${left} left` : ''}`;
      }),
      `seed ${seed}; at most ${PER_REPO_MAX} hits of one history in a class`,
    ],
    tables: [
      {
        columns: ['commits', 'MB', 'too large', 'unreadable', 'left', 'hits elsewhere', 'unknown'],
        rows: [
          [
            ...[sum('commits'), sum('bytes') / 1e6, sum('large'), sum('unreadable'), sum('left')],
            ...[sum('elsewhere'), sum('unknown')],
          ],
        ],
      },
      {
        columns: ['class', 'hits', 'histories', 'most of one', 'after the cap', 'drawn'],
        rows: rows.sort((a, b) => Number(b[1]) - Number(a[1])),
      },
    ],
    notes: ['"elsewhere" is tests, examples and documents; a value counts once in a history'],
    holds: true,
  };
}

/** One file for readers, without severity; one that says where each line is from. */
function writeSample(path: string, description: string, sample: readonly SecretHit[]): void {
  const shown = sample.map(({ repo, path: file, lines, value }, index) => {
    return { n: index + 1, repo, path: file, lines, value, class: description };
  });
  const keys = sample.map(({ repo, sha, rule, path: file, line }, index) => {
    return { n: index + 1, repo, sha, rule, file, line };
  });
  writeFileSync(`${path}.jsonl`, toLines(shown));
  writeFileSync(`${path}.key.jsonl`, toLines(keys));
}

function toLines(values: readonly object[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
