import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AST_GATE } from '../../src/gates/limits.ts';

/** What a text does to a bare parser in a process of its own. */
export type Fate = 'parses' | 'is not a program' | 'kills it' | 'takes too long';

/** Tries it. */
export function fateOf(text: string, extension: string): Fate {
  const suffix = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const entry = fileURLToPath(new URL(`./parse-child.${suffix}`, import.meta.url));
  const { status, error } = spawnSync(process.execPath, [entry, extension], {
    input: text,
    timeout: START_MS + AST_GATE.CALL_CPU_MS,
    killSignal: 'SIGKILL',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  if (error !== undefined) return 'takes too long';
  if (status === 0) return 'parses';
  return status === 1 ? 'is not a program' : 'kills it';
}

const START_MS = 1_500;
