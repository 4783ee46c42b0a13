import test from 'ava';
import { compileRules } from '../../../src/gates/patterns/compile.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { GENERIC_CASES } from './generic-cases.ts';
import { scanText } from './scan-text.ts';

const ALPHABETS = {
  mix: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  low: 'abcdefghijklmnopqrstuvwxyz',
  hex: '0123456789abcdef',
  sign: 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789!@#%^*+=',
} as const;

/** Puts made-up values for `{mix12}` and the like; the same seed makes the same values. */
function fill(text: string, seed: number): string {
  let state = seed * 7_919 + 17;
  const random = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const values = text.replace(/\{(mix|low|hex|sign)(\d+)\}/g, (_, kind, length) => {
    const alphabet = ALPHABETS[kind as keyof typeof ALPHABETS];
    const letters = Array.from({ length: Number(length) }, () => alphabet[random(alphabet.length)]);
    return letters.join('');
  });
  const encode = (form: 'base64' | 'base64url') => (_: string, inner: string) =>
    Buffer.from(inner).toString(form);
  return values
    .replace(/\{b64url:(\{[^{}]*\})\}/g, encode('base64url'))
    .replace(/\{b64:([^{}]*)\}/g, encode('base64'));
}

const SEEDS = [1, 2, 3, 4, 5];
const rules = compileRules(defaultRules);

function isFound(text: string, path: string, seed: number): boolean {
  return scanText(rules, fill(text, seed), path).some(({ id }) => id.startsWith('secret-'));
}

test('the general secret rules find and leave what the labelled cases say', (t) => {
  const sums = { found: 0, missed: 0, wrong: 0, quiet: 0 };
  for (const { about, path, leaks, clean } of GENERIC_CASES) {
    t.true(leaks.length >= 5 && clean.length >= 5, about);
    for (const seed of SEEDS) {
      for (const text of leaks) {
        if (isFound(text, path, seed)) sums.found += 1;
        else {
          sums.missed += 1;
          t.log(`missed (${about}): ${text}`);
        }
      }
      for (const text of clean) {
        if (!isFound(text, path, seed)) sums.quiet += 1;
        else {
          sums.wrong += 1;
          t.log(`wrong (${about}): ${text}`);
        }
      }
    }
  }
  const recall = sums.found / (sums.found + sums.missed);
  const precision = sums.found / (sums.found + sums.wrong);
  t.log(`recall ${recall.toFixed(3)}, precision ${precision.toFixed(3)} on`, sums);
  t.true(recall >= 0.95, `recall ${recall}`);
  t.true(precision >= 0.98, `precision ${precision}`);
});
