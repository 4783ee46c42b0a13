import { randomUUID } from 'node:crypto';
import { isAgent } from '../../model/agent.ts';
import type { AuditEntry } from '../../model/audit.ts';
import { AGENTS } from '../../model/limits.ts';
import { MONGO_TRAIL } from '../limits.ts';
import type { AuditCollection } from './audit-collection.ts';
import type { DecisionCollections } from './database.ts';
import type { AgentPlace } from './documents.ts';
import { isDuplicate } from './operations.ts';

const ALL = 'all';

/** The first upsert of two at once wins; the other one finds its document. */
const TRIES = 3;

/** Takes a place if fewer than `most` are taken. Resolves with the name of the call, or null. */
export async function takeAgentPlace(
  collection: DecisionCollections['agentPlaces'],
  op: string,
  most: number,
): Promise<string | null> {
  const call = randomUUID();
  const mine = [{ op: { $literal: op }, call, at: '$$NOW' }];
  const { recent, isOpen } = RECENT;
  const places = {
    $let: {
      vars: { recent },
      in: { $cond: [isOpen(most), { $concatArrays: ['$$recent', mine] }, '$$recent'] },
    },
  };
  for (let tries = 1; ; tries += 1) {
    try {
      const after = await collection.findOneAndUpdate({ _id: ALL }, [{ $set: { places } }], {
        upsert: true,
        returnDocument: 'after',
        maxTimeMS: MONGO_TRAIL.ATTEMPT_MS,
      });
      return after?.places.some((place) => place.call === call) === true ? call : null;
    } catch (thrown) {
      if (tries === TRIES || !isDuplicate(thrown)) throw thrown;
    }
  }
}

/** Places that are not older than a day, and whether there is room for another one. */
const RECENT = {
  recent: {
    $filter: {
      input: { $ifNull: ['$places', []] },
      cond: { $gt: ['$$this.at', { $subtract: ['$$NOW', AGENTS.DAY_MS] }] },
    },
  },
  isOpen: (most: number) => ({ $lt: [{ $size: '$$recent' }, most] }),
};

/** Releases the place of a call, or all of an operation that was not made. */
export async function releaseAgentPlace(
  collection: DecisionCollections['agentPlaces'],
  place: { op: string } | { call: string },
): Promise<void> {
  await collection.updateOne({ _id: ALL }, { $pull: { places: place } });
}

/** Makes the places again from the trail, for a store that was copied. */
export async function countAgentPlaces(
  collection: DecisionCollections['agentPlaces'],
  audit: AuditCollection,
): Promise<void> {
  const since = new Date(Date.now() - AGENTS.DAY_MS);
  const found = audit
    .find({ kind: 'override', phase: { $in: ['whole', 'done'] }, ts: { $gt: since } })
    .project<{ op_id: string; ts: Date; entry: string }>({ _id: 0, op_id: 1, ts: 1, entry: 1 });
  const places: AgentPlace[] = [];
  for await (const { op_id: op, ts: at, entry } of found) {
    const { principal } = JSON.parse(entry) as AuditEntry;
    if (isAgent(principal)) places.push({ op, call: 'copy', at });
  }
  if (places.length === 0) return;
  await collection.updateOne({ _id: ALL }, { $set: { places } }, { upsert: true });
}
