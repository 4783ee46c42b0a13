import type { Collection, Filter, Timestamp } from 'mongodb';
import type { ProdFacts, Repository } from '../../../model/push.ts';
import type { RfcRecord } from '../../../model/records.ts';
import type { LiftedCommits } from '../../../model/release.ts';
import { commitId } from '../../../model/rfc.ts';
import type { DecisionsOfCommitInput, ProdInput } from '../../contract/pushes.ts';
import {
  createDecidedPicker,
  isNamed,
  parseRecord,
  prodFacts,
  rejectedOnce,
} from '../../stored-record.ts';
import type { RfcDocument } from '../documents.ts';
import type { Fresh, FreshRead } from '../operations.ts';
import { findAll, findFirst, OF_BRANCH, QUERIES, type Query } from '../queries.ts';
import { nameOf, PUSH_QUERIES, REFUSED_OF_BRANCH } from './queries.ts';

/** Refusals left by deleted RFCs that refused their changes, newest first. */
export function createRefusalReader(rfcs: Collection<RfcDocument>, fresh: FreshRead) {
  const allOf = async (query: Query<RfcDocument>, at: Fresh & { limit?: number }) =>
    (await findAll(rfcs, query, at)).map(recordOf);
  const firstOf = (query: Query<RfcDocument>, at: Fresh) => findFirst(rfcs, query, at);

  return {
    allOf,
    firstOf,

    /** Of a deployment: what counts in the place of the record. */
    async newest(
      input: ProdInput,
      at: Fresh,
    ): Promise<{ seq: Timestamp; facts: ProdFacts } | null> {
      const { tenant_id, branch, commit_sha } = input;
      const name = nameOf(input);
      const query =
        commit_sha === null
          ? PUSH_QUERIES.refusalsOfName(name, branch)
          : PUSH_QUERIES.refusalsOfCommit(tenant_id, [commit_sha], {
              repo_key: name.repo_key,
              ...REFUSED_OF_BRANCH,
              ...(branch === null ? {} : { branch }),
            });
      const found = await firstOf(query, at);
      if (found === null) return null;
      return { seq: found.seq, facts: { ...prodFacts(recordOf(found)), deleted: true } };
    },

    async find(tenant_id: string, rfc_id: string): Promise<RfcRecord | null> {
      const filter = { _id: rfc_id, tenant_id, 'refusal.json': { $exists: true } };
      const found = await fresh((at) =>
        rfcs.findOne(filter, { projection: { refusal: 1 }, ...at }),
      );
      return found && recordOf(found);
    },

    async newestOfComponent({
      component,
      ...repo
    }: Repository & { component: string }): Promise<string | null> {
      const name = nameOf(repo);
      return await fresh(async (at) => {
        const all = { ...name, status: null, component, places: {}, limit: 1 };
        const touching = QUERIES.list(all);
        const ofBranch = { ...touching, filter: { ...touching.filter, ...OF_BRANCH } };
        const live = await findFirst(rfcs, ofBranch, { ...at, projection: { seq: 1 } });
        const since: Filter<RfcDocument> = live === null ? {} : { seq: { $gte: live.seq } };
        const { filter, options } = PUSH_QUERIES.refusalsOfName(name, null);
        const left = { ...filter, components: component, ...since } as Filter<RfcDocument>;
        const found = await rfcs.findOne(left, { ...options, ...at });
        return found?._id ?? live?._id ?? null;
      });
    },

    async decisionsOfCommit({ tenant_id, names, sha }: DecisionsOfCommitInput) {
      const commit = commitId(sha);
      return await fresh(async (at) => {
        const picker = createDecidedPicker(names);
        const { filter, options } = PUSH_QUERIES.decidedOfCommit(tenant_id, commit);
        for await (const row of rfcs.find(filter, { ...options, ...at })) {
          if (picker.add(row)) break;
        }
        const left = await allOf(PUSH_QUERIES.refusalsOfCommit(tenant_id, [commit], {}), at);
        const isMatch = (record: RfcRecord) =>
          record.overall_status === 'REJECTED' && isNamed(record, names);
        return { records: [...picker.records, ...left.filter(isMatch)] };
      });
    },
  };
}

export type RefusalReader = ReturnType<typeof createRefusalReader>;

/** Finds the RFCs whose rejections a decision lifts, deleted ones too. */
export function createRejectedFinder(rfcs: Collection<RfcDocument>, fresh: FreshRead) {
  const refusals = createRefusalReader(rfcs, fresh);
  return async ({ tenant_id, names, repo_key, shas }: LiftedCommits): Promise<RfcRecord[]> => {
    const records: RfcRecord[] = [];
    for (const sha of shas) {
      records.push(...(await refusals.decisionsOfCommit({ tenant_id, names, sha })).records);
      const pushed = await fresh(async (at) => {
        const ofCommit = PUSH_QUERIES.pushesOfCommit({ tenant_id, repo_key }, sha);
        const found = await findAll(rfcs, ofCommit, at);
        const own = { 'refusal.repo': repo_key };
        const left = await refusals.allOf(PUSH_QUERIES.refusalsOfCommit(tenant_id, [sha], own), at);
        return [...found.map(({ json }) => parseRecord(json)), ...left];
      });
      records.push(...pushed);
    }
    return rejectedOnce(records);
  };
}

/** What a deletion left, as a record. */
function recordOf({ refusal }: RfcDocument): RfcRecord {
  return parseRecord(refusal?.json ?? '');
}

/** Whether what a deletion left stands after a record; after a copy both may have one place. */
export function isAfter(
  left: { seq: Timestamp } | null,
  record: { seq: Timestamp } | null,
): boolean {
  return left !== null && (record === null || left.seq.compare(record.seq) >= 0);
}
