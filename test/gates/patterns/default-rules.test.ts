import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import { parse } from 'yaml';
import { prepareRules } from '../../../src/gates/patterns/compile.ts';
import { checkRuleSet } from '../../../src/gates/patterns/rules-text.ts';
import type { Pattern } from '../../../src/model/rules.ts';
import { readBuiltInKeywords, readBuiltInRules } from '../../../src/rulebook/active-rules.ts';
import { defaultRules } from '../../../src/rules/default.ts';

test('the check of a rule set finds nothing wrong with the built-in rules', (t) => {
  t.deepEqual(
    checkRuleSet(defaultRules, defaultRules, () => 0),
    { problems: [], failed: [], slow: [] },
  );
});

test('the keywords that the build has prepared belong to the built-in rules', (t) => {
  const { revision, rules } = readBuiltInRules();
  const prepared = readBuiltInKeywords();
  t.is(prepared.revision, revision);
  const { automaton, ...tables } = prepareRules(rules).textKeywords;
  const { automaton: stored, ...storedTables } = prepared.index;
  t.deepEqual(storedTables, tables);
  t.is(Buffer.compare(Buffer.from(stored.next.buffer), Buffer.from(automaton.next.buffer)), 0);
  t.deepEqual({ ...stored, next: null }, { ...automaton, next: null });
});

test('the facts that the build has parsed are the facts of the files', (t) => {
  const folder = new URL('../../../../src/rules/configuration/', import.meta.url);
  const files = readdirSync(folder).sort();
  const facts = files.flatMap((file) => parse(readFileSync(new URL(file, folder), 'utf8')));
  const parsed = new URL('../../../src/rules/configuration.json', import.meta.url);
  t.deepEqual(JSON.parse(readFileSync(parsed, 'utf8')).facts, facts);
});

test('other work of the process makes no rule slow, and a slow rule is found beside it', (t) => {
  const own = {
    ...defaultRules.risk_patterns.find(({ regex }) => regex !== undefined),
    id: 'risk-own',
    regex: 'KILL_SWITCH',
    keywords: ['kill_switch'],
    examples: { match: ['KILL_SWITCH = 1'], noMatch: ['kill'] },
  } as Pattern;
  /** Readings of the clock so far; a scan takes 10 us, or 4 ms beside other work. */
  const slowOf = (patterns: readonly Pattern[], isDisturbed: (reading: number) => boolean) => {
    let readings = 0;
    let now = 0;
    const rules = { ...defaultRules, risk_patterns: patterns };
    const { slow } = checkRuleSet(rules, defaultRules, () => {
      readings += 1;
      now += isDisturbed(readings) ? 4000 : 10;
      return now;
    });
    return { readings, slow };
  };
  const { readings: before } = slowOf([], () => false);
  const { slow } = slowOf([own], (reading) => reading > before && reading <= before + 40);
  t.deepEqual(slow, []);
  const always = slowOf([own], (reading) => reading > before);
  t.regex(always.slow.join(), /^rule risk-own: the regex takes 400 times/);
});
