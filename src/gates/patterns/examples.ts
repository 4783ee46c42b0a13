import { createCancelFlag } from '../../core/cancel-flag.ts';
import { parseDiff } from '../../diff/parse.ts';
import type { CompiledRule, CompiledRules } from './compile.ts';
import { runScan } from './scan.ts';

/** Path of examples that name none. */
const EXAMPLE_PATH = 'src/example.txt';

/** Fingerprints of examples are never seen. */
const NO_KEY = new Uint8Array(32);

/**
 * Runs the true and false examples of every rule the way a diff is scanned: as added lines of a
 * new file, as header lines (target `header`) or, for rules on the path alone, as paths. Returns
 * what is wrong, in sentences that name the rule and the number of the example.
 */
export function checkExamples(rules: CompiledRules): string[] {
  return rules.rules.flatMap((rule) => checkRule(rule, rules));
}

function checkRule(rule: CompiledRule, rules: CompiledRules): string[] {
  const { id, examples } = rule.pattern;
  const problems: string[] = [];
  if (rule.pattern.imported_from === undefined) {
    if (examples.match.length === 0) problems.push('has no example that it must match');
    if (examples.noMatch.length === 0) problems.push('has no example that it must not match');
  } else if (examples.match.length + examples.noMatch.length === 0) return [];
  const path = examples.path ?? EXAMPLE_PATH;
  if (rule.regex !== null && rule.path?.test(Buffer.from(path)) === false) {
    problems.push(`needs an examples.path that its path accepts; ${path} is not accepted`);
  } else {
    for (const [index, text] of examples.match.entries()) {
      if (!fires(rule, rules, text, path)) problems.push(`misses examples.match[${index}]`);
    }
    for (const [index, text] of examples.noMatch.entries()) {
      if (fires(rule, rules, text, path)) problems.push(`matches examples.noMatch[${index}]`);
    }
  }
  return problems.map((problem) => `rule ${id} ${problem}`);
}

function fires(rule: CompiledRule, rules: CompiledRules, text: string, path: string): boolean {
  const bytes = Buffer.from(exampleDiff(rule, text, path));
  const { files } = parseDiff(bytes);
  const cancel = createCancelFlag();
  const { report } = runScan({ bytes, files, rules, fingerprintKey: NO_KEY, cancel });
  return report.rulesHit().has(rule);
}

/** A diff in which the example is all that is new. */
function exampleDiff(rule: CompiledRule, text: string, path: string): string {
  if (rule.regex === null) return `${gitLine(text)}new file mode 100644\nindex 0000000..e69de29\n`;
  if (rule.target === 'header') return `${gitLine(path)}${text}\n`;
  const lines = text.split('\n');
  const body = lines.map((line) => `+${line}\n`).join('');
  const names = `--- /dev/null\n+++ b/${path}\n`;
  return `${gitLine(path)}new file mode 100644\n${names}@@ -0,0 +1,${lines.length} @@\n${body}`;
}

function gitLine(path: string): string {
  return `diff --git a/${path} b/${path}\n`;
}
