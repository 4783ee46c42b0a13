import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CraError } from '../../model/errors.ts';

/** Reads single settings, and gathers what is wrong with them. */
export interface Reader {
  text(name: string, fallback: string): string;
  /**
   * From the variable, the file that NAME_FILE names, or the systemd credential named like the
   * variable in lower case; empty when it is absent of them.
   */
  secret(name: string): string;
  integer(name: string, fallback: number, min: number, max: number): number;
  boolean(name: string, fallback: boolean): boolean;
  oneOf<T extends string>(name: string, values: readonly T[], fallback: T): T;
  problem(name: string, message: string): void;
  warning(name: string, message: string): void;
  readonly warnings: readonly string[];
  /** Throws when there were problems. */
  finish(): void;
}

/** Reads from an environment: its variables, files that they name, systemd credentials. */
export function createReader(env: Readonly<Record<string, string | undefined>>): Reader {
  const problems: string[] = [];
  const warnings: string[] = [];
  const problem = (name: string, message: string) => {
    problems.push(`${name} ${message}`);
  };
  const text = (name: string, fallback: string) => env[name]?.trim() || fallback;

  return {
    text,
    problem,
    warning(name, message) {
      warnings.push(`${name} ${message}`);
    },
    warnings,
    secret(name) {
      const value = text(name, '');
      const file = text(`${name}_FILE`, '');
      const credential = credentialPath(text('CREDENTIALS_DIRECTORY', ''), name);
      const given = [value, file, credential].filter((source) => source !== '');
      if (given.length > 1) {
        problem(name, `is given twice: as variable, ${name}_FILE or systemd credential`);
      }
      const path = file || credential;
      if (path === '' || given.length > 1) return value;
      try {
        const secret = readFileSync(path, 'utf8').trim();
        if (secret === '') problem(name, 'is empty in its file');
        return secret;
      } catch {
        problem(file === '' ? name : `${name}_FILE`, 'names a file that cannot be read');
        return '';
      }
    },
    integer(name, fallback, min, max) {
      const value = text(name, String(fallback));
      const number = Number(value);
      if (/^\d+$/.test(value) && number >= min && number <= max) return number;
      problem(name, `must be a whole number from ${min} to ${max}`);
      return fallback;
    },
    boolean(name, fallback) {
      const value = text(name, String(fallback)).toLowerCase();
      if (value !== 'true' && value !== 'false') problem(name, 'must be true or false');
      return value === 'true';
    },
    oneOf(name, values, fallback) {
      const value = text(name, fallback);
      const found = values.find((known) => known === value);
      if (found === undefined) problem(name, `must be one of ${values.join(', ')}`);
      return found ?? fallback;
    },
    finish() {
      if (problems.length === 0) return;
      throw new CraError('INVALID_ARGUMENT', `settings: ${problems.join('; ')}`);
    },
  };
}

/** Where systemd (LoadCredential=) put the secret; empty: nowhere. */
function credentialPath(directory: string, name: string): string {
  const path = join(directory, name.toLowerCase());
  return directory !== '' && existsSync(path) ? path : '';
}
