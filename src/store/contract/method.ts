import type { SidedMethod } from '../../rpc/service.ts';
import { STORE } from '../limits.ts';

/** Declares a method of a store that changes nothing. */
export function read<Input, Output>(
  deadlineMs: number = STORE.CALL_DEADLINE_MS,
): SidedMethod<'read', Input, Output> {
  return { deadlineMs, side: 'read' };
}

/** Declares a method of a store that may change something. */
export function write<Input, Output>(
  deadlineMs: number = STORE.CALL_DEADLINE_MS,
): SidedMethod<'write', Input, Output> {
  return { deadlineMs, side: 'write' };
}
