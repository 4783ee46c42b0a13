import type { SidedMethod } from '../../rpc/service.ts';
import { STORE } from '../limits.ts';
import { checkLimit } from './checks.ts';

interface Declared<Input> {
  /** STORE.CALL_DEADLINE_MS when absent. */
  deadlineMs?: number;
  /** Throws INVALID_ARGUMENT before a driver is called. */
  check?(input: Input): void;
}

/** Declares a method of a store that changes nothing. */
export function read<Input, Output>(
  declared: Declared<Input> = {},
): SidedMethod<'read', Input, Output> {
  return { deadlineMs: STORE.CALL_DEADLINE_MS, ...declared, side: 'read' };
}

/** Declares a method of a store that may change something. */
export function write<Input, Output>(
  declared: Declared<Input> = {},
): SidedMethod<'write', Input, Output> {
  return { deadlineMs: STORE.CALL_DEADLINE_MS, ...declared, side: 'write' };
}

/** The `check` of a method whose `limit` is a whole number from 1 to `max`. */
export function limited(max: number): { check(input: { limit: number }): void } {
  return { check: ({ limit }) => checkLimit(limit, max) };
}
