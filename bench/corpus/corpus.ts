import { createHash } from 'node:crypto';
import type { RunOptions } from '../options.ts';
import { readPackages } from './package-corpus.ts';
import { readCommitDiffs } from './repo-corpus.ts';
import { isScript, packSections, type Section, splitSections } from './section.ts';

/** Diffs to measure with. */
export interface Corpus {
  /** Where they come from. */
  source: string;
  /** As a commit or a request would bring them. */
  diffs: readonly Buffer[];
}

/** `script`: files of JS and TS alone; `plain`: all but those. */
export type Content = 'all' | 'script' | 'plain';

/** The newest commits of `--repo`, or diffs made from the package folders. */
export async function openCorpus(options: RunOptions, content: Content): Promise<Corpus> {
  const [repo] = options.repos;
  if (repo === undefined) return readPackages(options.seed, content);
  const { source, diffs } = await readCommitDiffs(repo, options.commits);
  if (content === 'all') return { source, diffs };
  const isWanted = content === 'script';
  const chosen = diffs.flatMap((diff) => {
    const sections = splitSections(diff).filter(({ path }) => isScript(path) === isWanted);
    return sections.length === 0 ? [] : [Buffer.concat(sections.map(({ text }) => text))];
  });
  return { source: `${source}, ${CONTENT_TEXT[content]}`, diffs: chosen };
}

const CONTENT_TEXT = { script: 'JS/TS only', plain: 'without JS/TS' } as const;

/** The same in diffs of about `bytes` each. Throws when there is too little. */
export function sized(corpus: Corpus, bytes: number): Corpus {
  const diffs = packSections(sectionsOf(corpus), bytes);
  if (diffs.length === 0) throw new Error(`${corpus.source} has too little for ${bytes} bytes`);
  return { source: `${corpus.source}, packed to ${bytes / 1000} KB`, diffs };
}

export function sectionsOf(corpus: Corpus): Section[] {
  return corpus.diffs.flatMap(splitSections);
}

export function bytesOf(diffs: readonly Buffer[]): number {
  return diffs.reduce((sum, diff) => sum + diff.length, 0);
}

/** A line that tells a corpus from every other. */
export function describeCorpus({ source, diffs }: Corpus): string {
  const hash = createHash('sha256');
  for (const diff of diffs) hash.update(diff);
  const megabytes = (bytesOf(diffs) / 1e6).toFixed(1);
  const digest = hash.digest('hex').slice(0, 12);
  return `corpus: ${source}: ${diffs.length} diffs, ${megabytes} MB, SHA-256 ${digest}`;
}
