import { readFileSync } from 'node:fs';
import { parseSync } from '@swc/core';

/** Parses standard input; `tsx` or `ts` is the argument. Exit code 0: a program, 1: none. */
try {
  parseSync(readFileSync(0, 'utf8'), { syntax: 'typescript', tsx: process.argv[2] === 'tsx' });
} catch {
  process.exitCode = 1;
}
