import { PUSHES } from '../../../limits.ts';
import { commitId } from '../../../model/ids.ts';
import type { RfcRecord } from '../../../model/records.ts';
import type { RfcStatus } from '../../../model/rfc.ts';
import type {
  AcceptedHead,
  HeadsInput,
  PushView,
  RefsInput,
  Repository,
} from '../../contract/pushes.ts';
import { repoKey } from '../../repo-key.ts';
import { checkCount } from '../../stored-push.ts';
import { parseRecord } from '../../stored-record.ts';
import type { Connection } from '../database.ts';
import { PUSH_QUERIES } from './queries.ts';

interface ViewRow {
  seq: number;
  rfc_id: string;
  commit_sha: string;
  status: RfcStatus;
  push_accepts: number | null;
  waiting_for: string | null;
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

  function baselineOf({ tenant_id, repo_name }: Repository): AcceptedHead[] {
    const sha = findBaseline.get(tenant_id, repoKey(repo_name))?.sha ?? null;
    return sha === null ? [] : [{ sha, rfc_id: null, ref: null }];
  }

  return {
    among(input: HeadsInput): AcceptedHead[] {
      checkCount('shas', input.shas, PUSHES.HEADS_PER_CALL_MAX);
      const key = repoKey(input.repo_name);
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
      checkCount('refs', input.refs, PUSHES.REFS_PER_CALL_MAX);
      const key = repoKey(input.repo_name);
      const heads = input.refs.flatMap((ref) => {
        const row = ofRef.get(input.tenant_id, key, ref);
        return row === undefined ? [] : [{ sha: row.commit_sha, rfc_id: row.rfc_id, ref }];
      });
      return [...heads, ...baselineOf(input)];
    },

    /** The newest push of a commit that is not SUPERSEDED; null: none. */
    viewOfCommit(input: Repository & { commit_sha: string }): PushView | null {
      const { tenant_id, repo_name, commit_sha } = input;
      const row = newestOfCommit.get(tenant_id, repoKey(repo_name), commit_sha);
      return row === undefined ? null : viewOf(row.push_ref, row);
    },

    viewsOf(input: RefsInput): PushView[] {
      checkCount('refs', input.refs, PUSHES.REFS_PER_CALL_MAX);
      const key = repoKey(input.repo_name);
      return input.refs.flatMap((ref) => {
        // In this order: what is judged in between is met in one of them, or in both.
        const row = newer(
          newestOpen.get(input.tenant_id, key, ref),
          newestJudged.get(input.tenant_id, key, ref),
        );
        return row === undefined ? [] : [viewOf(ref, row)];
      });
    },
  };
}

function newer(a: ViewRow | undefined, b: ViewRow | undefined): ViewRow | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a.seq > b.seq ? a : b;
}

function viewOf(ref: string, { rfc_id, commit_sha, status, ...row }: ViewRow): PushView {
  const is_accepted = row.push_accepts === 1;
  const is_unjudged = status === 'BLOCKED' && row.waiting_for !== null;
  return { ref, rfc_id, commit_sha, overall_status: status, is_accepted, is_unjudged };
}

/** Finds the oldest push of a ref. */
export function createOldestFinder(
  database: Connection,
): (input: Repository & { ref: string }) => RfcRecord | null {
  const finders = [
    PUSH_QUERIES.oldestOpenOfRef,
    PUSH_QUERIES.oldestJudgedOfRef,
    PUSH_QUERIES.oldestSupersededOfRef,
  ].map((sql) => database.prepare<unknown[], OldestRow>(sql));
  return ({ tenant_id, repo_name, ref }) => {
    const rows = finders.flatMap((find) => find.get(tenant_id, repoKey(repo_name), ref) ?? []);
    const [oldest] = rows.sort((a, b) => a.seq - b.seq);
    return oldest === undefined ? null : parseRecord(oldest.json);
  };
}
