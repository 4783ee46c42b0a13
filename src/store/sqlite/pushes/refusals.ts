import { touchedComponents } from '../../../model/components.ts';
import {
  isPullRequestRef,
  type ProdFacts,
  type Repository,
  type RepositoryPlace,
} from '../../../model/push.ts';
import type { RfcRecord } from '../../../model/records.ts';
import type { LiftedCommits } from '../../../model/release.ts';
import { commitId } from '../../../model/rfc.ts';
import type { DecisionsOfCommitInput, ProdInput } from '../../contract/pushes.ts';
import { PUSH_STORE } from '../../limits.ts';
import {
  createDecidedPicker,
  isNamed,
  parseRecord,
  prodFacts,
  rejectedOnce,
  repoKey,
} from '../../stored-record.ts';
import { type Connection, prepared } from '../connection.ts';
import { type CommitRow, PUSH_QUERIES, type PushViewRow } from './queries.ts';

/** A place among the records and what stands there. */
export interface PlacedFacts {
  seq: number;
  facts: ProdFacts;
}

/** Refusals left by deleted RFCs that refused their changes. */
export function createRefusalReader(database: Connection) {
  const queries = prepared(database, PUSH_QUERIES);

  /** Few: each was deleted by a person. */
  function rowsOfCommit(tenantId: string, sha: string, isMatch: (row: CommitRow) => boolean) {
    return queries.refusalsOfCommit.all(tenantId, commitId(sha)).filter(isMatch);
  }

  function newestRow({ tenant_id, repo_name, branch, commit_sha }: ProdInput) {
    const key = repoKey(repo_name);
    if (commit_sha !== null) {
      const isMatch = (row: CommitRow) =>
        row.repo_key === key &&
        !isPullRequestRef(row.push_ref) &&
        (branch === null || row.branch === branch);
      return rowsOfCommit(tenant_id, commit_sha, isMatch)[0];
    }
    return branch === null
      ? queries.refusalOfName.get(tenant_id, key)
      : queries.refusalOfBranch.get(tenant_id, key, branch);
  }

  return {
    find: (tenantId: string, rfcId: string): RfcRecord | null => {
      const row = queries.refusal.get(rfcId, tenantId);
      return row === undefined ? null : parseRecord(row.json);
    },

    newest(input: ProdInput): PlacedFacts | null {
      const row = newestRow(input);
      if (row === undefined) return null;
      return { seq: row.seq, facts: { ...prodFacts(parseRecord(row.json)), deleted: true } };
    },

    ofRef: (place: RepositoryPlace, ref: string): PushViewRow | undefined =>
      queries.refusalOfRef.get(place.tenant_id, place.repo_key, ref),

    /** The newest push of a commit in a repository of this name. */
    pushOfCommit: (tenantId: string, repoName: string, sha: string): CommitRow | undefined =>
      rowsOfCommit(tenantId, sha, (row) => {
        const isPush = row.push_ref !== null && !isPullRequestRef(row.push_ref);
        return isPush && row.repo_key === repoKey(repoName);
      })[0],

    /** The branch and repository of the newest push of a name. */
    pushOfName: (tenantId: string, repoName: string) =>
      queries.refusedPushOfName.get(tenantId, repoKey(repoName)),
    pushesOfCommit: (tenantId: string, repoKeyOfPush: string, sha: string): RfcRecord[] =>
      rowsOfCommit(tenantId, sha, ({ push_repo }) => push_repo === repoKeyOfPush)
        .slice(0, PUSH_STORE.REFUSED_MAX)
        .map(({ json }) => parseRecord(json)),

    /** Pushes of a commit in any repository of the tenant. */
    anyOfCommit: (tenantId: string, sha: string): RfcRecord[] =>
      rowsOfCommit(tenantId, sha, ({ push_ref }) => push_ref !== null)
        .slice(0, PUSH_STORE.REFUSED_MAX)
        .map(({ json }) => parseRecord(json)),
    rejectedOfCommit: ({ tenant_id, names, sha }: DecisionsOfCommitInput): RfcRecord[] =>
      rowsOfCommit(tenant_id, sha, ({ status }) => status === 'REJECTED')
        .map(({ json }) => parseRecord(json))
        .filter((record) => isNamed(record, names)),

    /** The newest one from a place on that judged a component. */
    ofComponent(repo: Repository & { component: string }, seq: number): string | null {
      for (const row of queries.refusalsSince.iterate(
        repo.tenant_id,
        repoKey(repo.repo_name),
        seq,
      )) {
        if (touchedComponents(parseRecord(row.json)).includes(repo.component)) return row.rfc_id;
      }
      return null;
    },
  };
}

export type RefusalReader = ReturnType<typeof createRefusalReader>;

/** Finds RFCs of a commit that somebody decided about. */
export function createDecidedFinder(database: Connection, refusals: RefusalReader) {
  const queries = prepared(database, PUSH_QUERIES);
  return (input: DecisionsOfCommitInput): { records: RfcRecord[] } => {
    const picker = createDecidedPicker(input.names);
    for (const row of queries.decidedOfCommit.iterate(input.tenant_id, commitId(input.sha))) {
      if (picker.add(row)) break;
    }
    return { records: [...picker.records, ...refusals.rejectedOfCommit(input)] };
  };
}

/** Finds the RFCs whose rejections a decision lifts, deleted ones too. */
export function createRejectedFinder(database: Connection) {
  const refusals = createRefusalReader(database);
  const findDecided = createDecidedFinder(database, refusals);
  const queries = prepared(database, PUSH_QUERIES);
  return ({ tenant_id, names, repo_key, shas }: LiftedCommits): RfcRecord[] => {
    const records = shas.flatMap((sha) => [
      ...findDecided({ tenant_id, names, sha }).records,
      ...queries.pushesOfCommit
        .all(tenant_id, sha, repo_key, PUSH_STORE.REFUSED_MAX)
        .map(({ json }) => parseRecord(json)),
      ...refusals.pushesOfCommit(tenant_id, repo_key, sha),
    ]);
    return rejectedOnce(records);
  };
}
