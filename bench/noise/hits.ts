import { createHmac, randomBytes } from 'node:crypto';
import { fileKind } from '../../src/analysis/worker/change-shape.ts';
import { createRulesCache } from '../../src/analysis/worker/rules-cache.ts';
import { createReasonReader, suppressFindings } from '../../src/analysis/worker/suppress.ts';
import { DIFF_OPTIONS, type Git, type Part, splitStream } from '../../src/cli/git.ts';
import { createCancelFlag } from '../../src/core/deadline.ts';
import { type DiffFile, LINE, LineCursor } from '../../src/diff/diff.ts';
import { parseDiff } from '../../src/diff/parse.ts';
import { compileRegexOnUse } from '../../src/gates/patterns/regex.ts';
import { runScan } from '../../src/gates/patterns/scan.ts';
import type { GateFinding } from '../../src/model/finding.ts';
import { defaultRules } from '../../src/rules/default.ts';
import { REHEARSAL } from '../../src/rules/risk/paths.ts';
import { addressPatterns } from '../../src/rules/secrets/generic-addresses.ts';
import { assignmentPatterns } from '../../src/rules/secrets/generic-assignments.ts';
import { filePatterns } from '../../src/rules/secrets/generic-files.ts';
import { keyPatterns } from '../../src/rules/secrets/generic-keys.ts';
import { schemePatterns } from '../../src/rules/secrets/generic-schemes.ts';
import { TESTS } from '../../src/rules/secrets/generic-values.ts';
import { wordPatterns } from '../../src/rules/secrets/generic-words.ts';
import { createRandom } from '../random.ts';

/** A hit of a generic class, with the lines around it: for readers, never for the project. */
export interface SecretHit {
  repo: string;
  sha: string;
  rule: string;
  path: string;
  line: number;
  value: string;
  lines: string[];
}

/** What was read of a history. */
export interface HistoryCounts {
  commits: number;
  bytes: number;
  /** Commits with a diff above COMMIT_BYTES_MAX, and such that need what the copy lacks. */
  large: number;
  unreadable: number;
  /** Commits left when the time was over; chunks are read in an order of chance. */
  left: number;
  /** Hits in tests, examples and documents. */
  elsewhere: number;
  /** Hits whose value could not be told from others of their file. */
  unknown: number;
}

/** Classes that go by the name or the place of a value, not by a format of a vendor. */
export const CLASSES: ReadonlyMap<string, string> = new Map(
  [
    ...[addressPatterns, assignmentPatterns, filePatterns],
    ...[keyPatterns, schemePatterns, wordPatterns],
  ]
    .flat()
    .filter(({ severity }) => severity === 'medium')
    .map(({ id, description }) => [id, description]),
);

const COMMIT_BYTES_MAX = 16_000_000;
const COMMITS_PER_GIT = 200;
const PROGRESS_CHUNKS = 10;
const FINGERPRINT_KEY = randomBytes(32);

/**
 * Tests, examples, documents and what nobody writes by hand, as pathspecs: git need not compare
 * what is not counted. What they miss is left out by `isRehearsal`.
 */
const LEFT_OUT = [
  ...['test', 'tests', '__tests__', '__mocks__', 'spec', 'specs', 'e2e', 'fixtures', 'testdata'],
  ...['mocks', 'example', 'examples', 'sample', 'samples', 'doc', 'docs', 'node_modules'],
]
  .map((folder) => `${folder}/**`)
  .concat(['*.md', '*.rst', '*.html', '*.po', '*.lock', '*.svg', '*.css', '*.map', '*.snap'])
  .concat(['package-lock.json', 'pnpm-lock.yaml', 'go.sum', '*_test.go', '*Test.java'])
  .map((glob) => `:(exclude,icase,glob)**/${glob}`);

const REHEARSALS = [REHEARSAL, ...(TESTS.paths ?? [])].map((one) => compileRegexOnUse(one));

/** Whether a path is one of tests, examples or documents, by any of the rules for these. */
function isRehearsal(path: string): boolean {
  const kind = fileKind(path);
  const name = Buffer.from(path);
  return kind === 'test' || kind === 'doc' || REHEARSALS.some((pattern) => pattern.test(name));
}

/**
 * The hits of CLASSES in all commits of HEAD that are no merges, each value once: gate 1 with all
 * of its rules and markers, commit by commit. Memory is bounded by a commit; what takes longer than
 * `deadlineMs` (on the clock of `performance.now`) is left.
 */
export async function readHits(
  { git, name }: { git: Git; name: string },
  {
    seed,
    deadlineMs,
    progress,
  }: { seed: number; deadlineMs: number; progress(text: string): void },
): Promise<{ hits: SecretHit[]; counts: HistoryCounts }> {
  const list = await git.run(['rev-list', '--no-merges', 'HEAD', '--'], REV_LIST_BYTES_MAX);
  const commits = list.toString('latin1').trim().split('\n');
  const starts = Array.from(commits, (_, index) => index).filter((i) => i % COMMITS_PER_GIT === 0);
  const hits = new Map<string, SecretHit>();
  const counts = {
    commits: 0,
    bytes: 0,
    large: 0,
    unreadable: 0,
    left: 0,
    elsewhere: 0,
    unknown: 0,
  };
  for (const [position, from] of shuffled(starts, seed).entries()) {
    const chunk = commits.slice(from, from + COMMITS_PER_GIT);
    if (performance.now() > deadlineMs) {
      counts.left += chunk.length;
      continue;
    }
    counts.commits += chunk.length;
    for await (const { sha, diff, bytes } of readDiffs(git, chunk)) {
      if (diff === null) counts.unreadable += 1;
      else if (bytes > COMMIT_BYTES_MAX) counts.large += 1;
      else {
        counts.bytes += diff.length;
        const found = hitsIn(diff, { repo: name, sha });
        counts.elsewhere += found.elsewhere;
        counts.unknown += found.unknown;
        for (const hit of found.hits) {
          const key = `${hit.rule} ${hit.value}`;
          if (!hits.has(key)) hits.set(key, hit);
        }
      }
    }
    if (position % PROGRESS_CHUNKS === 0) {
      progress(`labels: ${name} ${counts.commits}/${commits.length} commits, ${hits.size} hits`);
    }
  }
  return { hits: [...hits.values()], counts };
}

const REV_LIST_BYTES_MAX = 64_000_000;

/** The same values in an order that the seed decides (Fisher and Yates). */
export function shuffled<T>(values: readonly T[], seed: number): T[] {
  const random = createRandom(seed);
  const mixed = [...values];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = random.between(0, last + 1);
    [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
  }
  return mixed;
}

/** Diffs of the commits; null: the copy of the history lacks what it takes. */
async function* readDiffs(
  git: Git,
  commits: readonly string[],
): AsyncGenerator<{ sha: string; diff: Buffer | null; bytes: number }> {
  let rest = commits;
  while (rest.length > 0) {
    const delimiter = randomBytes(24).toString('hex');
    const { output, ended, stop } = git.stream(
      [
        ...['-c', 'core.deltaBaseCacheLimit=256m', 'log', '--no-walk=unsorted', '--stdin'],
        ...['--root', '--no-show-signature', `--format=tformat:${delimiter}%H`, '--patch'],
        ...[...DIFF_OPTIONS, '--find-renames=100%', '--unified=3', '--', '.', ...LEFT_OUT],
      ],
      Buffer.from(`${rest.join('\n')}\n`),
    );
    let part: Part | null = null;
    let isFirst = true;
    try {
      const parts = splitStream(output, Buffer.from(delimiter), () => COMMIT_BYTES_MAX);
      for await (const next of parts) {
        if (part !== null) yield commitOf(part);
        // Before the first delimiter there is nothing.
        if (!isFirst) part = next;
        isFirst = false;
      }
      await ended;
      if (part !== null) yield commitOf(part);
      return;
    } catch {
      // Git ends at the first object that is missing, after the commit it showed last or within it.
      const sha = part === null ? (rest[0] as string) : commitOf(part).sha;
      yield { sha, diff: null, bytes: 0 };
      rest = rest.slice(rest.indexOf(sha) + 1);
    } finally {
      stop();
    }
  }
}

const SHA_CHARS = 40;

/** A commit of what git printed: its id, an empty line, its diff. */
function commitOf({ bytes, size }: Part) {
  const sha = bytes.toString('latin1', 0, SHA_CHARS);
  return { sha, diff: bytes.subarray(SHA_CHARS + 2), bytes: size };
}

const rules = createRulesCache().get('built-in', defaultRules);

function hitsIn(diff: Buffer, { repo, sha }: { repo: string; sha: string }) {
  const { files } = parseDiff(diff);
  const found = { hits: [] as SecretHit[], elsewhere: 0, unknown: 0 };
  if (files.length === 0) return found;
  for (const { id, file: path, line, fingerprint } of openFindings(diff, files, repo)) {
    const file = files.find((one) => one.path === path);
    if (!CLASSES.has(id) || path === null || line === null || file === undefined) continue;
    if (isRehearsal(path)) {
      found.elsewhere += 1;
      continue;
    }
    const value = valueBehind(id, fingerprint, diff, file);
    if (value === null) found.unknown += 1;
    else
      found.hits.push({
        repo,
        sha,
        rule: id,
        path,
        line,
        value,
        lines: around(diff, file, line, value),
      });
  }
  return found;
}

/** Findings of gate 1 that no marker suppresses. */
function openFindings(bytes: Buffer, files: readonly DiffFile[], repoName: string): GateFinding[] {
  const { report, work } = scan(bytes, files);
  const findings = report.findings();
  if (!findings.some(({ id }) => CLASSES.has(id))) return [];
  const reasons = createReasonReader(bytes, rules.compiled, work, () => report.rangeRedactor());
  const about = { findings, bytes, files, rules, repoName, reasons, trees: null };
  const key = { fingerprintKey: FINGERPRINT_KEY, nowMs: Date.now() };
  return suppressFindings({ ...about, ...key }).filter(({ suppressed }) => suppressed === null);
}

function scan(bytes: Buffer, files: readonly DiffFile[]) {
  const cancel = createCancelFlag();
  const { compiled } = rules;
  return runScan({ bytes, files, rules: compiled, fingerprintKey: FINGERPRINT_KEY, cancel });
}

/** The value that a finding is about: of all secrets of its file, the one of its fingerprint. */
function valueBehind(
  id: string,
  fingerprint: string,
  bytes: Buffer,
  file: DiffFile,
): string | null {
  const values = scan(bytes, [file]).report.knownSecrets()?.values ?? [];
  const own = values.find((value) => {
    const hmac = createHmac('sha256', FINGERPRINT_KEY).update(`${id}\0`);
    return hmac.update(value).digest('hex') === fingerprint;
  });
  return own?.toString('utf8') ?? null;
}

const LINES_AROUND = 5;
const LINE_CHARS_MAX = 400;

/** Lines of the hunk around a hit, with the marks of the diff. */
function around(bytes: Buffer, file: DiffFile, line: number, value: string): string[] {
  const cursor = new LineCursor(bytes);
  for (const hunk of file.hunks) {
    const lines: string[] = [];
    let at = -1;
    cursor.open(hunk);
    while (cursor.next()) {
      if (at >= 0 && lines.length > at + LINES_AROUND) break;
      const { kind, start, end, newLine } = cursor;
      if (kind === LINE.ADDED && newLine === line) at = lines.length;
      const mark = kind === LINE.ADDED ? '+' : kind === LINE.REMOVED ? '-' : ' ';
      lines.push(mark + clipped(bytes.toString('utf8', start, end), value));
    }
    if (at >= 0) return lines.slice(Math.max(0, at - LINES_AROUND), at + LINES_AROUND + 1);
  }
  return [];
}

/** A long line, cut around the value. */
function clipped(text: string, value: string): string {
  if (text.length <= LINE_CHARS_MAX) return text;
  const from = Math.max(0, text.indexOf(value) - LINE_CHARS_MAX / 2);
  return `${from > 0 ? '…' : ''}${text.slice(from, from + LINE_CHARS_MAX)}…`;
}
