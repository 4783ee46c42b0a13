import { openCorpus, sectionsOf } from '../../bench/corpus/corpus.ts';
import { newFileDiff } from '../../bench/corpus/package-corpus.ts';
import { packSections, repeatSections } from '../../bench/corpus/section.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Random } from '../../bench/random.ts';
import { analyzeBody } from '../../bench/request-body.ts';

/** Bodies of all kinds that a load draws from. */
export interface Bodies {
  /** 10 KB without JS/TS. */
  plain: readonly Buffer[];
  /** 10 KB of JS/TS, each with a sink word, so that the parser is asked. */
  script: readonly Buffer[];
  /** 300 KB of everything. */
  large: readonly Buffer[];
  /** One with a credential. */
  secret: readonly Buffer[];
}

const DIFF_BYTES = 10_000;
const LARGE_BYTES = 300_000;
const EACH = 100;

/** Looks like a key of AWS; in two parts, so that no scanner takes this file for a leak. */
const KEY = ['AKIA', 'Z7QXN4M2LPKD3WVT'].join('');
const SINK_LINES = ['', 'export function run(req, cp) {', '  return cp.exec(req.query.x);', '}'];

/** Makes the bodies of the package folders (or of `--repo`). */
export async function makeBodies(options: RunOptions): Promise<Bodies> {
  const plain = sectionsOf(await openCorpus(options, 'plain'));
  const script = sectionsOf(await openCorpus(options, 'script'));
  const sink = { path: 'run.js', text: Buffer.from(newFileDiff('run.js', SINK_LINES)) };
  const toBodies = (diffs: readonly Buffer[]) => diffs.map((diff) => analyzeBody(diff));
  const scripts = packSections(script, DIFF_BYTES).slice(0, EACH);
  const secret = newFileDiff('deploy/env.sh', ['#!/bin/sh', `export AWS_ACCESS_KEY_ID=${KEY}`]);
  return {
    plain: toBodies(packSections(plain, DIFF_BYTES).slice(0, EACH)),
    script: toBodies(scripts.map((diff) => Buffer.concat([diff, sink.text]))),
    large: toBodies([repeatSections([...plain.slice(0, EACH), ...script], LARGE_BYTES)]),
    secret: [analyzeBody(secret)],
  };
}

/** A body drawn as a mixed load sends them: mostly small and plain. */
export function drawBody(bodies: Bodies, random: Random): Buffer {
  const draw = random.next();
  if (draw < 0.6) return random.pick(bodies.plain);
  if (draw < 0.85) return random.pick(bodies.script);
  return random.pick(draw < 0.95 ? bodies.large : bodies.secret);
}
