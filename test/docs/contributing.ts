import { readFileSync } from 'node:fs';

/** The diffs that CONTRIBUTING shows. */
export function contributingDiffs(): string[] {
  const text = readFileSync('CONTRIBUTING.md', 'utf8');
  return [...text.matchAll(/^```diff\n([\s\S]*?)^```$/gm)].map(([, diff = '']) => diff);
}
