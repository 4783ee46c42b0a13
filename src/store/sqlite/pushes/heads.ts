import type { AuditEvent } from '../../../model/audit.ts';
import {
  type AcceptedHead,
  type Baseline,
  baselineId,
  type PushView,
  type Repository,
  type RepositoryPlace,
  type Revocation,
} from '../../../model/push.ts';
import { acceptsHead, type RfcRecord } from '../../../model/records.ts';
import { commitId } from '../../../model/rfc.ts';
import type { CommitInput, PushReader, PushWriter } from '../../contract/pushes.ts';
import { PUSH_STORE } from '../../limits.ts';
import { headRevoked } from '../../steps/push.ts';
import { isUnjudged, parseRecord, repoKey } from '../../stored-record.ts';
import { type Connection, prepared } from '../connection.ts';
import type { Steps } from '../group-commit.ts';
import type { JsonRow } from '../queries.ts';
import { PUSH_QUERIES, type PushStatements, type PushViewRow } from './queries.ts';
import type { RefusalReader } from './refusals.ts';

/** Which commits of a repository are accepted, and its pushes: a look-up or two for each. */
export function createHeadReader(database: Connection, refusals: RefusalReader) {
  const queries = prepared(database, PUSH_QUERIES);

  function baselineOf({ tenant_id, repo_key }: RepositoryPlace): AcceptedHead[] {
    const sha = queries.baselineHead.get(tenant_id, repo_key)?.sha ?? null;
    return sha === null ? [] : [{ sha, rfc_id: null, ref: null }];
  }

  // In this order: what is judged in between is met in one of them, or in both.
  const newestOfRef = ({ tenant_id, repo_key }: RepositoryPlace, ref: string) =>
    newer(
      queries.newestOpenOfRef.get(tenant_id, repo_key, ref),
      queries.newestJudgedOfRef.get(tenant_id, repo_key, ref),
    );

  /** Without deleted ones. */
  const livePushesOfCommit = ({ tenant_id, repo_key, sha }: CommitInput) =>
    recordsOf(
      queries.pushesOfCommit.all(tenant_id, commitId(sha), repo_key, PUSH_STORE.REFUSED_MAX),
    );

  const methods = {
    acceptedHeads(input) {
      const { tenant_id, repo_key } = input;
      const shas = new Set(input.shas.map(commitId));
      const heads = [...shas].flatMap((sha): AcceptedHead[] => {
        const row = queries.acceptedOfCommit.get(tenant_id, repo_key, sha);
        return row === undefined ? [] : [{ sha, rfc_id: row.rfc_id, ref: row.push_ref }];
      });
      const named = new Set(heads.map(({ sha }) => sha));
      const others = baselineOf(input).filter(({ sha }) => shas.has(sha) && !named.has(sha));
      return { accepted: [...heads, ...others] };
    },

    newestAccepted(input) {
      const { tenant_id, repo_key, refs } = input;
      const heads = refs.flatMap((ref): AcceptedHead[] => {
        const row = queries.acceptedOfRef.get(tenant_id, repo_key, ref);
        return row === undefined ? [] : [{ sha: row.commit_sha, rfc_id: row.rfc_id, ref }];
      });
      return { accepted: [...heads, ...baselineOf(input)] };
    },

    newestPushes(input) {
      const pushes = input.refs.flatMap((ref) => {
        const row = newestOfRef(input, ref);
        return row === undefined ? [] : [viewOf(ref, row)];
      });
      return { pushes };
    },

    oldestPush({ tenant_id, repo_key, ref }) {
      const { oldestOpenOfRef, oldestJudgedOfRef, oldestSupersededOfRef } = queries;
      const finders = [oldestOpenOfRef, oldestJudgedOfRef, oldestSupersededOfRef];
      const rows = finders.flatMap((find) => find.get(tenant_id, repo_key, ref) ?? []);
      const [oldest] = rows.sort((a, b) => a.seq - b.seq);
      return { record: oldest === undefined ? null : parseRecord(oldest.json) };
    },

    pushesOfCommit(input) {
      const left = refusals.pushesOfCommit(input.tenant_id, input.repo_key, input.sha);
      return { records: [...livePushesOfCommit(input).records, ...left] };
    },

    refusedPushes({ tenant_id, shas }) {
      const rows: JsonRow[] = [];
      const deleted: RfcRecord[] = [];
      for (const sha of new Set(shas.map(commitId))) {
        const left = PUSH_STORE.REFUSED_MAX - rows.length;
        if (left > 0) rows.push(...queries.refusedOfCommit.all(tenant_id, sha, left));
        const room = PUSH_STORE.REFUSED_MAX - deleted.length;
        deleted.push(...refusals.anyOfCommit(tenant_id, sha).slice(0, room));
      }
      return { records: [...recordsOf(rows).records, ...deleted] };
    },

    overriddenPushes: ({ tenant_id, repo_key, limit }) =>
      recordsOf(queries.overridden.all(tenant_id, repo_key, limit)),

    dependentsOf: ({ tenant_id, repo_key, id, limit }) =>
      recordsOf(queries.dependentsOf.all(tenant_id, id, repo_key, limit)),

    findBaseline: (input) => ({
      baseline: findBaseline(queries, input),
      nameHost: queries.hostOfName.get(input.tenant_id, repoKey(input.repo_name))?.host ?? null,
    }),

    revocations({ limit }) {
      const rows = queries.revocations.all(limit);
      return { revocations: rows.map((row) => ({ ...row, is_rejected: row.is_rejected === 1 })) };
    },

    /** Statuses of deleted RFCs count as verdicts. */
    dueStatuses({ host, nowMs, limit }) {
      const judged = [queries.dueVerdicts, queries.dueOfDeleted]
        .flatMap((find) => find.all(host, nowMs, limit))
        .sort((a, b) => b.vcs_due - a.vcs_due)
        .slice(0, limit);
      const room = limit - judged.length;
      const drafts = room === 0 ? [] : queries.dueDrafts.all(host, nowMs, room);
      const due = [...judged, ...drafts].map((row) => ({
        record: parseRecord(row.json),
        posted: row.vcs_posted,
        isOutdated: row.isOutdated === 1,
        isDeleted: row.isDeleted === 1,
      }));
      return { due };
    },
  } satisfies Partial<Steps<PushReader>>;

  return {
    methods,
    livePushesOfCommit,

    /** The newest push of a commit that is not SUPERSEDED, deleted or not; null when absent. */
    viewOfCommit(input: Repository & { commit_sha: string }): PushView | null {
      const { tenant_id, repo_name, commit_sha } = input;
      const live = queries.newestOfCommit.get(tenant_id, repoKey(repo_name), commit_sha);
      const left = refusals.pushOfCommit(tenant_id, repo_name, commit_sha);
      const row = newer(left, live);
      return row === undefined ? null : viewOf(row.push_ref ?? '', row);
    },

    /** The newest push of a ref, deleted ones included, as a deployment asks; null when absent. */
    viewOfRef(place: RepositoryPlace, ref: string): PushView | null {
      const row = newer(refusals.ofRef(place, ref), newestOfRef(place, ref));
      return row === undefined ? null : viewOf(ref, row);
    },
  };
}

function recordsOf(rows: readonly JsonRow[]): { records: RfcRecord[] } {
  return { records: rows.map(({ json }) => parseRecord(json)) };
}

/** The newer row; of two in one place, the first. */
function newer<A extends PushViewRow, B extends PushViewRow>(
  a: A | undefined,
  b: B | undefined,
): A | B | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.seq >= b.seq ? a : b;
}

function viewOf(ref: string, { rfc_id, commit_sha, status, ...row }: PushViewRow): PushView {
  const isAccepted = row.push_accepts === 1;
  const view = { ref, rfc_id, commit_sha, overall_status: status, isAccepted };
  return { ...view, isUnjudged: isUnjudged(status, row.waiting_for) };
}

/** The baseline of a repository; null when absent. */
function findBaseline(
  queries: PushStatements,
  { tenant_id, repo_key }: RepositoryPlace,
): Baseline | null {
  const row = queries.baseline.get(tenant_id, repo_key);
  return row === undefined
    ? null
    : { ...row, heads: JSON.parse(row.heads) as Record<string, string> };
}

/** The steps on baselines, within a transaction; `append` writes to the trail. */
export function createBaselineSteps(database: Connection, append: (event: AuditEvent) => unknown) {
  const queries = prepared(database, PUSH_QUERIES);

  return {
    adoptBaseline({ tenant_id, repo_key, repo_name, baseline, event }) {
      const known = findBaseline(queries, { tenant_id, repo_key });
      if (known !== null) return { baseline: known, adopted: false };
      if (event !== null) append(event);
      const { host, sha, adopted_at } = baseline;
      const place = [tenant_id, repo_key, repoKey(repo_name)];
      queries.addBaseline.run(...place, host, sha, adopted_at, JSON.stringify(baseline.heads));
      return { baseline, adopted: true };
    },

    lowerBaseline({ tenant_id, repo_key, from, to, event, atMs }) {
      if (findBaseline(queries, { tenant_id, repo_key })?.sha !== from) return { lowered: false };
      append(event);
      queries.lowerBaseline.run(to, tenant_id, repo_key, from);
      const fallen = { id: baselineId(from), sha: from, is_rejected: false, at_ms: atMs };
      addRevocation(queries, { tenant_id, repo_key, ...fallen });
      return { lowered: true };
    },

    bindRepository({ tenant_id, repo_key, repo_name, host }) {
      const name = repoKey(repo_name);
      if (name === repo_key || findBaseline(queries, { tenant_id, repo_key }) !== null)
        return { bound: false };
      if (queries.bindRepository.run(repo_key, tenant_id, name, host).changes === 0)
        return { bound: false };
      queries.bindPushes.run(repo_key, tenant_id, name);
      queries.bindRevocation.run(repo_key, tenant_id, name);
      queries.bindRefusals.run(repo_key, tenant_id, name);
      return { bound: true };
    },
  } satisfies Partial<Steps<PushWriter>>;
}

/** Which heads are accepted, and what they depend on, within a transaction. */
export function createHeadSteps(database: Connection, now: () => number) {
  const queries = prepared(database, PUSH_QUERIES);

  return {
    /** A push has a verdict. */
    settled(record: RfcRecord): void {
      if (acceptsHead(record)) queries.acceptHead.run(record.rfc_id);
      const { tenant_id, rfc_id, push } = record;
      for (const onId of push?.rests_on ?? []) queries.addDependency.run(tenant_id, onId, rfc_id);
    },

    /** Before a record is replaced, or deleted (null): see `headRevoked`. */
    changed(before: RfcRecord, next: RfcRecord | null, at_ms = now()): void {
      const taken = headRevoked(before, next);
      const { tenant_id, rfc_id: id, commit_sha: sha, push } = before;
      const repo_key = taken && queries.repoOfPush.get(id)?.push_repo;
      if (taken === null || sha === null || !repo_key) return;
      for (const onId of push?.rests_on ?? []) queries.removeDependency.run(tenant_id, onId, id);
      const fallen = { sha, is_rejected: taken.isRejected, at_ms };
      addRevocation(queries, { tenant_id, id, repo_key, ...fallen });
    },
  };
}

/** Records what was revoked, in the transaction that revokes it. */
function addRevocation(
  queries: PushStatements,
  { tenant_id, id, repo_key, sha, is_rejected, at_ms }: Revocation,
): void {
  queries.addRevocation.run(tenant_id, id, repo_key, sha, is_rejected ? 1 : 0, at_ms);
}
