import { code } from './code.ts';
import { command } from './command.ts';
import { crypto } from './crypto.ts';
import { deserialise } from './deserialise.ts';
import { expression } from './expression.ts';
import { nosql } from './nosql.ts';
import { path } from './path.ts';
import { pollution } from './pollution.ts';
import { request } from './request.ts';
import type { Sink } from './sink.ts';
import { sql } from './sql.ts';
import { token } from './token.ts';
import { xss } from './xss.ts';

/** All sinks of gate 2. A new class of vulnerability is a new file and an entry here. */
export const SINKS: readonly Sink[] = [
  command,
  code,
  sql,
  nosql,
  xss,
  path,
  request,
  deserialise,
  pollution,
  crypto,
  token,
  expression,
];
