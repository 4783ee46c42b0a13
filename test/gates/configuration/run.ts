import type { GateFinding } from '../../../src/model/finding.ts';
import type { Pattern } from '../../../src/model/rules.ts';
import { riskPatterns } from '../../../src/rules/risk.ts';
import { findingsOf } from '../../analysis/worker/gates-run.ts';
import { newFile } from '../patterns/scan-text.ts';

/** What gate 1 says of a new file under the built-in risk rules. */
export function inNewFile(
  path: string,
  text: string,
  patterns: readonly Pattern[] = riskPatterns,
): Promise<GateFinding[]> {
  return findingsOf(newFile(text, path), { patterns });
}

/**
 * What gate 1 says of a change of which both versions are at hand. The diff shows `context` lines
 * around the first and last line that differ.
 */
export function inChange(
  path: string,
  before: string,
  after: string,
  context = 0,
  patterns: readonly Pattern[] = riskPatterns,
): Promise<GateFinding[]> {
  const files = (['base', 'head'] as const).map((side) => {
    const bytes = Buffer.from(side === 'base' ? before : after);
    return { side, path, state: 'read', bytes } as const;
  });
  return findingsOf(diffOf(path, before, after, context), { patterns, files });
}

/** The same of a posted diff, without a repository. */
export function inHunk(
  path: string,
  before: string,
  after: string,
  context = 3,
  patterns: readonly Pattern[] = riskPatterns,
): Promise<GateFinding[]> {
  return findingsOf(diffOf(path, before, after, context), { patterns });
}

export function diffOf(path: string, before: string, after: string, context: number): string {
  const [old, now] = [before, after].map((text) => text.replace(/\n$/, '').split('\n'));
  if (old === undefined || now === undefined) throw new Error('no text');
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head += 1;
  let tail = 0;
  while (
    tail < Math.min(old.length, now.length) - head &&
    old.at(-1 - tail) === now.at(-1 - tail)
  ) {
    tail += 1;
  }
  const from = Math.max(0, head - context);
  const lines = [
    ...now.slice(from, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...now.slice(now.length - tail, now.length - tail + context).map((line) => ` ${line}`),
  ];
  const count = (sign: string) =>
    lines.filter((line) => line[0] === ' ' || line[0] === sign).length;
  const range = (sign: string) => `${sign}${from + 1},${count(sign)}`;
  return (
    `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n` +
    `@@ ${range('-')} ${range('+')} @@\n${lines.join('\n')}\n`
  );
}

/** CPU time that a call takes, ms: that of the clock is others' on a busy machine. */
export function cpuOf(call: () => unknown): number {
  const before = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
