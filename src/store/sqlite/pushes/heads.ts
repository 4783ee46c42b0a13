import type { AuditEvent } from '../../../model/audit.ts';
import {
  type AcceptedHead,
  type Baseline,
  baselineId,
  type NamedPlace,
  type PushView,
  type Repository,
  type RepositoryPlace,
  type Revocation,
} from '../../../model/push.ts';
import type { RfcRecord } from '../../../model/records.ts';
import { commitId } from '../../../model/rfc.ts';
import type {
  AdoptInput,
  BindInput,
  CommitInput,
  DueInput,
  DueStatus,
  HeadsInput,
  LowerInput,
  OverriddenInput,
  RefsInput,
  RefusedInput,
  RestingInput,
} from '../../contract/pushes.ts';
import { PUSH_STORE } from '../../limits.ts';
import { checkCount, parseRecord, repoKey } from '../../stored-record.ts';
import type { Connection } from '../connection.ts';
import { PUSH_QUERIES } from './queries.ts';
import type { ViewRow } from './refusals.ts';
import { createRefusalReader, type RefusalReader } from './refusals.ts';

interface JsonRow {
  json: string;
}

interface OldestRow {
  seq: number;
  json: string;
}

/** What is known of the commits and refs of a repository: a look-up or two for each. */
export function createHeadsReader(database: Connection) {
  const ofCommit = database.prepare<unknown[], { rfc_id: string; push_ref: string }>(
    PUSH_QUERIES.acceptedOfCommit,
  );
  const ofRef = database.prepare<unknown[], { rfc_id: string; commit_sha: string }>(
    PUSH_QUERIES.acceptedOfRef,
  );
  const findBaseline = database.prepare<unknown[], { sha: string | null }>(
    PUSH_QUERIES.baselineHead,
  );
  const newestOpen = database.prepare<unknown[], ViewRow>(PUSH_QUERIES.newestOpenOfRef);
  const newestJudged = database.prepare<unknown[], ViewRow>(PUSH_QUERIES.newestJudgedOfRef);

  const newestOfCommit = database.prepare<unknown[], ViewRow & { push_ref: string }>(
    PUSH_QUERIES.newestOfCommit,
  );
  const refusals = createRefusalReader(database);

  // In this order: what is judged in between is met in one of them, or in both.
  const rowOf = ({ tenant_id, repo_key }: RepositoryPlace, ref: string) =>
    newer(newestOpen.get(tenant_id, repo_key, ref), newestJudged.get(tenant_id, repo_key, ref));

  function baselineOf({ tenant_id, repo_key }: RepositoryPlace): AcceptedHead[] {
    const sha = findBaseline.get(tenant_id, repo_key)?.sha ?? null;
    return sha === null ? [] : [{ sha, rfc_id: null, ref: null }];
  }

  return {
    among(input: HeadsInput): AcceptedHead[] {
      checkCount('shas', input.shas, PUSH_STORE.HEADS_PER_CALL_MAX);
      const key = input.repo_key;
      const shas = new Set(input.shas.map(commitId));
      const heads = [...shas].flatMap((sha) => {
        const row = ofCommit.get(input.tenant_id, key, sha);
        return row === undefined ? [] : [{ sha, rfc_id: row.rfc_id, ref: row.push_ref }];
      });
      const named = new Set(heads.map(({ sha }) => sha));
      const others = baselineOf(input).filter(({ sha }) => shas.has(sha) && !named.has(sha));
      return [...heads, ...others];
    },

    newestOf(input: RefsInput): AcceptedHead[] {
      checkCount('refs', input.refs, PUSH_STORE.REFS_PER_CALL_MAX);
      const key = input.repo_key;
      const heads = input.refs.flatMap((ref) => {
        const row = ofRef.get(input.tenant_id, key, ref);
        return row === undefined ? [] : [{ sha: row.commit_sha, rfc_id: row.rfc_id, ref }];
      });
      return [...heads, ...baselineOf(input)];
    },

    /** The newest push of a commit that is not SUPERSEDED, deleted or not; null when absent. */
    viewOfCommit(input: Repository & { commit_sha: string }): PushView | null {
      const { tenant_id, repo_name, commit_sha } = input;
      const live = newestOfCommit.get(tenant_id, repoKey(repo_name), commit_sha);
      const left = refusals.pushOfCommit(tenant_id, repo_name, commit_sha);
      const row = newer(left, live);
      return row === undefined ? null : viewOf(row.push_ref ?? '', row);
    },

    /** The newest push of a ref, deleted ones included, as a deployment asks; null when absent. */
    viewOfRef(place: RepositoryPlace, ref: string): PushView | null {
      const row = newer(refusals.ofRef(place, ref), rowOf(place, ref));
      return row === undefined ? null : viewOf(ref, row);
    },

    viewsOf(input: RefsInput): PushView[] {
      checkCount('refs', input.refs, PUSH_STORE.REFS_PER_CALL_MAX);
      const key = input.repo_key;
      return input.refs.flatMap((ref) => {
        const row = rowOf({ tenant_id: input.tenant_id, repo_key: key }, ref);
        return row === undefined ? [] : [viewOf(ref, row)];
      });
    },
  };
}

/** The newer row; of two in one place, the first. */
function newer<A extends ViewRow, B extends ViewRow>(
  a: A | undefined,
  b: B | undefined,
): A | B | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.seq >= b.seq ? a : b;
}

function viewOf(ref: string, { rfc_id, commit_sha, status, ...row }: ViewRow): PushView {
  const isAccepted = row.push_accepts === 1;
  const isUnjudged = status === 'BLOCKED' && row.waiting_for !== null;
  return { ref, rfc_id, commit_sha, overall_status: status, isAccepted, isUnjudged };
}

/** Finds the oldest push of a ref. */
export function createOldestFinder(
  database: Connection,
): (input: RepositoryPlace & { ref: string }) => RfcRecord | null {
  const finders = [
    PUSH_QUERIES.oldestOpenOfRef,
    PUSH_QUERIES.oldestJudgedOfRef,
    PUSH_QUERIES.oldestSupersededOfRef,
  ].map((sql) => database.prepare<unknown[], OldestRow>(sql));
  return ({ tenant_id, repo_key, ref }) => {
    const rows = finders.flatMap((find) => find.get(tenant_id, repo_key, ref) ?? []);
    const [oldest] = rows.sort((a, b) => a.seq - b.seq);
    return oldest === undefined ? null : parseRecord(oldest.json);
  };
}

/** Lists records of pushes by what heads are decided by; each list is bounded. */
export function createPushLists(database: Connection, refusals: RefusalReader) {
  const ofCommit = database.prepare<unknown[], JsonRow>(PUSH_QUERIES.pushesOfCommit);
  const refused = database.prepare<unknown[], JsonRow>(PUSH_QUERIES.refusedOfCommit);
  const overridden = database.prepare<unknown[], JsonRow>(PUSH_QUERIES.overridden);
  const resting = database.prepare<unknown[], JsonRow>(PUSH_QUERIES.dependentsOf);
  const recordsOf = (rows: JsonRow[]) => ({ records: rows.map(({ json }) => parseRecord(json)) });

  const liveOfCommit = ({ tenant_id, repo_key, sha }: CommitInput) =>
    recordsOf(ofCommit.all(tenant_id, commitId(sha), repo_key, PUSH_STORE.REFUSED_MAX));

  return {
    /** Without those that were deleted. */
    liveOfCommit,

    ofCommit(input: CommitInput) {
      const { records } = liveOfCommit(input);
      const left = refusals.pushesOfCommit(input.tenant_id, input.repo_key, input.sha);
      return { records: [...records, ...left] };
    },

    refused({ tenant_id, shas }: RefusedInput) {
      checkCount('shas', shas, PUSH_STORE.HEADS_PER_CALL_MAX);
      const rows: JsonRow[] = [];
      const deleted: RfcRecord[] = [];
      for (const sha of new Set(shas.map(commitId))) {
        const left = PUSH_STORE.REFUSED_MAX - rows.length;
        if (left > 0) rows.push(...refused.all(tenant_id, sha, left));
        const room = PUSH_STORE.REFUSED_MAX - deleted.length;
        deleted.push(...refusals.anyOfCommit(tenant_id, sha).slice(0, room));
      }
      return { records: [...recordsOf(rows).records, ...deleted] };
    },

    overridden: ({ tenant_id, repo_key, limit }: OverriddenInput) =>
      recordsOf(overridden.all(tenant_id, repo_key, limit)),
    resting: ({ tenant_id, repo_key, id, limit }: RestingInput) =>
      recordsOf(resting.all(tenant_id, id, repo_key, limit)),
  };
}

interface BaselineRow {
  host: string;
  sha: string | null;
  adopted_at: string;
  heads: string;
}

/** Finds the baseline of a repository. */
export function createBaselineFinder(
  database: Connection,
): (repo: RepositoryPlace) => Baseline | null {
  const find = database.prepare<[string, string], BaselineRow>(PUSH_QUERIES.baseline);
  return ({ tenant_id, repo_key }) => {
    const row = find.get(tenant_id, repo_key);
    if (row === undefined) return null;
    const { host, sha, adopted_at } = row;
    return { host, sha, adopted_at, heads: JSON.parse(row.heads) as Record<string, string> };
  };
}

/** Finds which host owns a name: the one whose repository of that name was seen first. */
export function createNameFinder(database: Connection): (repo: NamedPlace) => string | null {
  const find = database.prepare<[string, string], { host: string }>(PUSH_QUERIES.hostOfName);
  return ({ tenant_id, repo_name }) => find.get(tenant_id, repoKey(repo_name))?.host ?? null;
}

/** The steps on baselines, within a transaction; `append` writes to the trail. */
export function createBaselineSteps(database: Connection, append: (event: AuditEvent) => unknown) {
  const find = createBaselineFinder(database);
  const add = database.prepare(PUSH_QUERIES.addBaseline);
  const replaceSha = database.prepare(PUSH_QUERIES.lowerBaseline);
  const bindRow = database.prepare(PUSH_QUERIES.bindRepository);
  const bindPushes = database.prepare(PUSH_QUERIES.bindPushes);
  const bindRevocation = database.prepare(PUSH_QUERIES.bindRevocation);
  const bindRefusals = database.prepare(PUSH_QUERIES.bindRefusals);
  const addRevocation = createRevocationWriter(database);

  return {
    adopt({ tenant_id, repo_key, repo_name, baseline, event }: AdoptInput) {
      const known = find({ tenant_id, repo_key });
      if (known !== null) return { baseline: known, adopted: false };
      if (event !== null) append(event);
      const { host, sha, adopted_at } = baseline;
      const heads = JSON.stringify(baseline.heads);
      add.run(tenant_id, repo_key, repoKey(repo_name), host, sha, adopted_at, heads);
      return { baseline, adopted: true };
    },

    lower({ tenant_id, repo_key, from, to, event, atMs }: LowerInput): { lowered: boolean } {
      if (find({ tenant_id, repo_key })?.sha !== from) return { lowered: false };
      append(event);
      replaceSha.run(to, tenant_id, repo_key, from);
      addRevocation({
        tenant_id,
        repo_key,
        id: baselineId(from),
        sha: from,
        is_rejected: false,
        at_ms: atMs,
      });
      return { lowered: true };
    },

    bind({ tenant_id, repo_key, repo_name, host }: BindInput): { bound: boolean } {
      const name = repoKey(repo_name);
      if (name === repo_key || find({ tenant_id, repo_key }) !== null) return { bound: false };
      if (bindRow.run(repo_key, tenant_id, name, host).changes === 0) return { bound: false };
      bindPushes.run(repo_key, tenant_id, name);
      bindRevocation.run(repo_key, tenant_id, name);
      bindRefusals.run(repo_key, tenant_id, name);
      return { bound: true };
    },
  };
}

/** Notes what was taken back, in the transaction that takes it back. */
export function createRevocationWriter(database: Connection): (revocation: Revocation) => void {
  const add = database.prepare(PUSH_QUERIES.addRevocation);
  return ({ tenant_id, id, repo_key, sha, is_rejected, at_ms }) => {
    add.run(tenant_id, id, repo_key, sha, is_rejected ? 1 : 0, at_ms);
  };
}

/** What was taken back, the oldest first. */
export function createRevocationFinder(database: Connection): (limit: number) => Revocation[] {
  type Row = Omit<Revocation, 'is_rejected'> & { is_rejected: number };
  const find = database.prepare<[number], Row>(PUSH_QUERIES.revocations);
  return (limit) => find.all(limit).map((row) => ({ ...row, is_rejected: row.is_rejected === 1 }));
}

interface DueRow {
  json: string;
  vcs_due: number;
  vcs_posted: string | null;
  isOutdated: number;
  isDeleted: number;
}

/** Finds the statuses that are to be posted; those of deleted RFCs count as verdicts. */
export function createDueFinder(database: Connection): (input: DueInput) => DueStatus[] {
  const prepare = (sql: string) => database.prepare<unknown[], DueRow>(sql);
  const verdicts = prepare(PUSH_QUERIES.dueVerdicts);
  const deleted = prepare(PUSH_QUERIES.dueOfDeleted);
  const drafts = prepare(PUSH_QUERIES.dueDrafts);
  return ({ host, nowMs, limit }) => {
    const judged = [verdicts, deleted]
      .flatMap((find) => find.all(host, nowMs, limit))
      .sort((a, b) => b.vcs_due - a.vcs_due)
      .slice(0, limit);
    const room = limit - judged.length;
    const rows = room === 0 ? judged : [...judged, ...drafts.all(host, nowMs, room)];
    return rows.map((row) => ({
      record: parseRecord(row.json),
      posted: row.vcs_posted,
      isOutdated: row.isOutdated === 1,
      isDeleted: row.isDeleted === 1,
    }));
  };
}
