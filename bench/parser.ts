import { LineCursor, type ParsedDiff } from '../src/diff/diff.ts';
import { parseDiff } from '../src/diff/parse.ts';
import { bytesOf, describeCorpus, openCorpus, sectionsOf } from './corpus/corpus.ts';
import { newFileDiff } from './corpus/package-corpus.ts';
import { cutSections, repeatSections } from './corpus/section.ts';
import { best, mbPerCpuSecond } from './harness.ts';
import type { RunOptions } from './options.ts';
import type { Report } from './report.ts';

const SMALL_BYTES = 100_000;
const LARGE_BYTES = 25_000_000;
const LINE_BYTES = 20_000_000;

/** How many MB of diff the parser reads in a CPU-second, and whether size matters. */
export async function run(options: RunOptions): Promise<Report> {
  const corpus = await openCorpus(options, 'all');
  const large = repeatSections(sectionsOf(corpus), LARGE_BYTES);
  const small = cutSections(sectionsOf(corpus), SMALL_BYTES);
  const oneLine = Buffer.from(newFileDiff('one-line.txt', ['x'.repeat(LINE_BYTES)]));
  const shortLines = Buffer.from(newFileDiff('short.txt', new Array(5_000_000).fill('ab')));
  const cases: [string, readonly Buffer[]][] = [
    ['corpus, diff by diff', corpus.diffs],
    ['100 KB diffs of the same', small],
    ['one diff of 25 MB of the same', [large]],
    ['one line of 20 MB', [oneLine]],
    ['5,000,000 lines of 2 bytes', [shortLines]],
  ];
  const rows = [];
  for (const [name, diffs] of cases) {
    const bytes = bytesOf(diffs);
    const parse = await best(() => diffs.map(parseDiff));
    const walk = await best(() => diffs.map((diff) => walkLines(diff, parseDiff(diff))));
    rows.push([name, bytes / 1e6, mbPerCpuSecond(bytes, parse), mbPerCpuSecond(bytes, walk)]);
    options.progress(`parser: ${name} done`);
  }
  const splitting = await best(() => corpus.diffs.map(countLines));
  const megabytes = bytesOf(corpus.diffs) / 1e6;
  rows.push([
    'finding the ends of lines alone',
    megabytes,
    mbPerCpuSecond(megabytes * 1e6, splitting),
    '',
  ]);
  return {
    title: 'Diff parser',
    facts: [describeCorpus(corpus)],
    tables: [{ columns: ['what', 'MB', 'parse, MB/CPU-s', 'parse and walk, MB/CPU-s'], rows }],
    notes: ['walk: `LineCursor` over every line of every hunk, as gates use it'],
    holds: true,
  };
}

function walkLines(bytes: Buffer, diff: ParsedDiff): number {
  const cursor = new LineCursor(bytes);
  let seen = 0;
  for (const file of diff.files) {
    for (const hunk of file.hunks) {
      cursor.open(hunk);
      while (cursor.next()) seen += cursor.end - cursor.start;
    }
  }
  return seen;
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines += 1;
  return lines;
}

const LF = 0x0a;
