import type { Document } from 'mongodb';
import type { RecordText } from '../../model/record-text.ts';
import { acceptsHead, type RfcRecord } from '../../model/records.ts';

/**
 * Parts of the `$set` of a pipeline: what of a document changes with its record. A status and what
 * follows from it (an accepted head, a status that is due) are one update, so that they are
 * never apart.
 */

/** In a pipeline a text that begins with `$` would be the name of a field. */
export function texts({ json, summary }: Pick<RecordText, 'json' | 'summary'>): Document {
  return { json: { $literal: json }, summary: { $literal: summary } };
}

/** Of a push that is not a DRAFT any more: no daemon holds it, and its head counts or does not. */
export function judgedPush(record: RfcRecord): Document {
  const { overall_status, push } = record;
  const isUnjudged = overall_status === 'BLOCKED' && (push?.waiting_for ?? null) !== null;
  const freed = { $mergeObjects: ['$push', { owner: null }] };
  const isAccepted = acceptsHead(record);
  const judged = withFlag('accepted', isAccepted, withFlag('unjudged', isUnjudged, freed));
  const value = isAccepted ? { $literal: push?.rests_on ?? [] } : '$$REMOVE';
  const rests = { $setField: { field: 'rests_on', input: judged, value } };
  return { push: ifPresent('$push', rests) };
}

/**
 * Of a push that is taken back or rejected: heads may rest on it still. `isRejected`: whatever it
 * was; else only where it was accepted.
 */
export function takenBack(isRejected: boolean): Document {
  const fallen = {
    ...{ repo: '$push.repo', sha: '$commit_sha', is_rejected: { $literal: isRejected } },
    at: '$$NOW',
  };
  const concerns = isRejected ? isPresent('$push') : { $eq: ['$push.accepted', true] };
  return { fallen: { $cond: [concerns, fallen, { $ifNull: ['$fallen', '$$REMOVE'] }] } };
}

/** The status is due at the host `vcsHost` from `nowMs` on; null: at no host. */
export function dueStatus(vcsHost: string | null, nowMs: number): Document {
  if (vcsHost === null) return {};
  const due = { host: { $literal: vcsHost }, due: new Date(nowMs) };
  return { vcs: { $mergeObjects: [{ posted: null }, '$vcs', due] } };
}

/** A status is due only where one was posted before. */
export function dueIfPosted(nowMs: number): Document {
  const again = { $mergeObjects: ['$vcs', { due: new Date(nowMs) }] };
  const never = { $unsetField: { field: 'due', input: '$vcs' } };
  const vcs = { $cond: [isPresent('$vcs.posted'), again, never] };
  return { vcs: ifPresent('$vcs', vcs) };
}

function withFlag(field: string, isSet: boolean, input: Document): Document {
  return { $setField: { field, input, value: isSet ? true : '$$REMOVE' } };
}

/** A document without the field stays as it is. */
function ifPresent(field: string, value: Document): Document {
  return { $cond: [isPresent(field), value, '$$REMOVE'] };
}

/** Neither absent nor null. */
function isPresent(field: string): Document {
  return { $gt: [field, null] };
}
