import { readFileSync, statSync } from 'node:fs';
import type { RulesSource } from '../analysis/job.ts';
import { RULES } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import type { RulesText } from '../model/rules.ts';

/**
 * The text of a rules file: JSON, or (`.toml`) a gitleaks configuration. Throws INVALID_ARGUMENT
 * that names the file when it cannot be read or is larger than RULES.FILE_BYTES_MAX.
 */
export function readRulesText(path: string): RulesText {
  const name = `rules file ${path}`;
  try {
    if (statSync(path).size > RULES.FILE_BYTES_MAX) {
      throw new Error(`is larger than ${RULES.FILE_BYTES_MAX} bytes`);
    }
    return { name, text: readFileSync(path, 'utf8'), isToml: isToml(path) };
  } catch (thrown) {
    const { message } = thrown as Error;
    throw new CraError('INVALID_ARGUMENT', `${name}: ${message}`, { cause: thrown });
  }
}

/** Where `npm run build` puts the rules of `src/rules`, as JSON. */
const BUILT_IN = new URL('../rules/default.json', import.meta.url);

/** The built-in rules with their revision, which the build has computed. */
export function readBuiltInRules(): RulesSource {
  return JSON.parse(readFileSync(BUILT_IN, 'utf8')) as RulesSource;
}

/** Whether a path names a gitleaks configuration. */
export function isToml(path: string): boolean {
  return /\.toml$/i.test(path);
}
