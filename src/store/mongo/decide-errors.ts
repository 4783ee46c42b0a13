import { CraError } from '../../model/errors.ts';

/** What decisions answer besides success; the messages are for callers. */

/** The deed was given up before it changed anything; the same op_id may try again. */
export function abandoned(): CraError {
  const message = 'the decision was given up: nothing was changed, ask again';
  return new CraError('UNAVAILABLE', message, { details: { changed: false } });
}

/** It may have happened; the trail will tell. */
export function unknownOutcome(opId: string, cause: unknown): CraError {
  const message = 'whether the decision was made is not known yet: ask again with this op_id';
  return new CraError('UNKNOWN', message, { details: { op_id: opId }, cause });
}

/** One op_id is one deed. */
export function otherRequest(): CraError {
  const message = 'this op_id stands for another request; a new request needs a new one';
  return new CraError('ALREADY_EXISTS', message);
}

/** The same of a change of the rules. */
export function abandonedRules(): CraError {
  const message = 'the change of the rules was given up: nothing was changed, ask again';
  return new CraError('UNAVAILABLE', message, { details: { changed: false } });
}

/** They may have been changed; the newest revision will tell. */
export function unknownRules(cause: unknown): CraError {
  const message = 'whether the rules were changed is not known yet: look at the newest revision';
  return new CraError('UNKNOWN', message, { cause });
}
