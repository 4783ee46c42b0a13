import { code } from './code.ts';
import { command } from './command.ts';
import type { Sink } from './sink.ts';
import { sql } from './sql.ts';

/** All sinks of gate 2. A new class of vulnerability is a new file and an entry here. */
export const SINKS: readonly Sink[] = [command, code, sql];
