import { randomBytes } from 'node:crypto';
import { createCancelFlag } from '../src/core/deadline.ts';
import { parseDiff } from '../src/diff/parse.ts';
import { compileRules } from '../src/gates/patterns/compile.ts';
import type { CompiledRules } from '../src/gates/patterns/compiled-rules.ts';
import { runScan } from '../src/gates/patterns/scan.ts';
import type { Pattern, RuleSet } from '../src/model/rules.ts';
import { defaultRules } from '../src/rules/default.ts';
import { bytesOf, type Corpus, sectionsOf } from './corpus/corpus.ts';
import { newFileDiff } from './corpus/package-corpus.ts';
import { cutSections, repeatSections } from './corpus/section.ts';
import { best, mbPerCpuSecond, type Timing } from './harness.ts';
import { createRandom, type Random } from './random.ts';
import type { Cell, Table } from './report.ts';

const LARGE_BYTES = 25_000_000;
const SMALL_BYTES = 100_000;
const FINGERPRINT_KEY = randomBytes(32);

/** Gate 1 with its parse over a corpus, and what size and number of rules do to it. */
export async function measureRiskGate(corpus: Corpus, seed: number): Promise<Table[]> {
  const own = compileRules(defaultRules);
  const speed = await measure(
    `${own.rules.length} built-in rules, diff by diff`,
    corpus.diffs,
    own,
  );
  return [
    { columns: COLUMNS, rows: [speed.cells] },
    await measureSizes(corpus, own),
    await measureRuleCounts(corpus, speed, seed),
  ];
}

const COLUMNS = ['gate 1', 'MB', 'with parse, MB/CPU-s', 'expressions run per KB', 'findings'];

async function measureSizes(corpus: Corpus, rules: CompiledRules): Promise<Table> {
  const sections = sectionsOf(corpus);
  const lines = sections.map(({ text }) => text.toString('latin1').replaceAll('\n', ' '));
  const small = await measure('diffs of 100 KB', cutSections(sections, SMALL_BYTES), rules);
  const large = await measure('one of 25 MB', [repeatSections(sections, LARGE_BYTES)], rules);
  // Of the same text: what a line costs depends on the keywords in it more than on its length.
  const line = repeatText(lines, LARGE_BYTES);
  const smallLines = Array.from({ length: LARGE_BYTES / SMALL_BYTES }, (_, index) =>
    line.slice(index * SMALL_BYTES, (index + 1) * SMALL_BYTES),
  );
  const smallLine = await measure('lines of 100 KB', [asNewFile(smallLines)], rules);
  const largeLine = await measure('a line of 25 MB', [asNewFile([line])], rules);
  return {
    columns: [...COLUMNS, 'time per MB, against the row above'],
    rows: [
      [...small.cells, ''],
      [...large.cells, large.msPerMb / small.msPerMb],
      [...smallLine.cells, ''],
      [...largeLine.cells, largeLine.msPerMb / smallLine.msPerMb],
    ],
  };
}

/**
 * Some rules cost far more than others, so that one hundred says little of another: the smaller
 * set is every n-th rule of all, measured from each of SAMPLES starts.
 */
async function measureRuleCounts(corpus: Corpus, all: Measured, seed: number): Promise<Table> {
  const samples: Measured[] = [];
  for (let start = 0; start < SAMPLES; start += 1) {
    const rules = sampleRules(FEW_RULES, start);
    const name = `every ${ALL_RULES / FEW_RULES}th rule from number ${start + 1}`;
    samples.push(await measure(name, corpus.diffs, compileRules(rules)));
  }
  const few = meanOf(`${FEW_RULES} rules: mean of these samples`, samples);
  const name = `1,000 rules: all ${ALL_RULES}, and ${MANY_RULES - ALL_RULES} with other keywords`;
  const many = await measure(name, corpus.diffs, compileRules(extendRules(MANY_RULES, seed)));
  return {
    columns: [
      ...COLUMNS,
      'time, against the mean of 100 rules',
      `against the ${ALL_RULES} built-in rules`,
    ],
    rows: [...samples, few, all, many].map(({ cells, msPerMb }) => [
      ...cells,
      msPerMb / few.msPerMb,
      msPerMb / all.msPerMb,
    ]),
  };
}

const KINDS = ['secret_patterns', 'risk_patterns', 'vulnerability_patterns'] as const;
const ALL_RULES = KINDS.reduce((sum, kind) => sum + defaultRules[kind].length, 0);
const FEW_RULES = 100;
const MANY_RULES = 1000;
const SAMPLES = 7;

function meanOf(name: string, samples: readonly Measured[]): Measured {
  const mean = (of: (sample: Measured) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const msPerMb = mean((sample) => sample.msPerMb);
  const [mb, , ...counts] = [1, 2, 3, 4].map((column) =>
    mean(({ cells }) => Number(cells[column])),
  );
  return { cells: [name, mb ?? 0, 1000 / msPerMb, ...counts], msPerMb };
}

interface Measured {
  cells: Cell[];
  msPerMb: number;
}

async function measure(
  name: string,
  diffs: readonly Buffer[],
  rules: CompiledRules,
): Promise<Measured> {
  // A short text is scanned often enough to be measured at all.
  const rounds = Math.max(1, Math.ceil(5_000_000 / bytesOf(diffs)));
  const bytes = bytesOf(diffs) * rounds;
  let work = { runs: 0, findings: 0 };
  const timing: Timing = await best(() => {
    work = { runs: 0, findings: 0 };
    for (let round = 0; round < rounds; round += 1) {
      for (const diff of diffs) {
        const { report, work: done } = scan(diff, rules);
        work.runs += done.regexRuns;
        work.findings += report.findings().length;
      }
    }
  });
  const speed = mbPerCpuSecond(bytes, timing);
  const cells = [
    name,
    bytes / rounds / 1e6,
    speed,
    work.runs / (bytes / 1000),
    work.findings / rounds,
  ];
  return { cells, msPerMb: 1000 / speed };
}

function scan(bytes: Buffer, rules: CompiledRules) {
  const { files } = parseDiff(bytes);
  const cancel = createCancelFlag();
  return runScan({ bytes, files, rules, fingerprintKey: FINGERPRINT_KEY, cancel });
}

function asNewFile(lines: readonly string[]): Buffer {
  return Buffer.from(newFileDiff('lines.txt', lines), 'latin1');
}

function repeatText(texts: readonly string[], length: number): string {
  const parts: string[] = [];
  let size = 0;
  for (let index = 0; size < length; index += 1) {
    const text = texts[index % texts.length] ?? '';
    parts.push(text);
    size += text.length;
  }
  return parts.join(' ').slice(0, length);
}

/** `count` of the built-in rules at equal distances, in their order, from number `start` on. */
function sampleRules(count: number, start: number): RuleSet {
  const chosen = new Set(
    Array.from({ length: count }, (_, index) => Math.floor((index * ALL_RULES) / count) + start),
  );
  const rules = { ...defaultRules };
  let position = 0;
  for (const kind of KINDS) {
    rules[kind] = defaultRules[kind].filter(() => chosen.has(position++));
  }
  return rules;
}

/**
 * The built-in rules and copies of those that have keywords, `count` together. The letters of a
 * copy's keywords are drawn anew: as long, and about as rare as the names of services that
 * keywords of large rule sets mostly are.
 */
function extendRules(count: number, seed: number): RuleSet {
  const random = createRandom(seed);
  const rules = { ...defaultRules };
  const originals = KINDS.flatMap((kind) =>
    defaultRules[kind].filter(hasKeywords).map((pattern) => ({ kind, pattern })),
  );
  for (let index = 0; index < count - ALL_RULES; index += 1) {
    const original = originals[index % originals.length];
    if (original === undefined) break;
    const { kind, pattern } = original;
    rules[kind] = [...rules[kind], cloneRule(pattern, index, random)];
  }
  return rules;
}

function hasKeywords(pattern: Pattern): boolean {
  return pattern.keywords !== undefined && pattern.keywords.length > 0;
}

function cloneRule(pattern: Pattern, index: number, random: Random): Pattern {
  const isVuln = pattern.id.startsWith('vuln-');
  return {
    ...pattern,
    id: `${pattern.id}-copy-${index}`,
    ...(isVuln && { report_as: pattern.report_as ?? pattern.id }),
    keywords: pattern.keywords?.map((keyword) => otherLetters(keyword, random)) ?? [],
  };
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.split('');

function otherLetters(keyword: string, random: Random): string {
  return keyword.replaceAll(/[a-z]/g, () => random.pick(LETTERS));
}
