import { createHash, randomBytes } from 'node:crypto';
import { draftRecord, finalRecord } from '../../src/analysis/worker/record.ts';
import { SEAL_CHUNK_BYTES, type SealedDiff, sealDiff } from '../../src/core/seal.ts';
import type { AnalyzeRequest } from '../../src/model/change.ts';
import { DEFAULT_TENANT, type Principal } from '../../src/model/principal.ts';
import { type RecordText, recordText } from '../../src/model/records.ts';
import { newRfcId } from '../../src/model/rfc.ts';

/** A record and its diff as a scan thread hands them to the store. */
export interface Insert {
  record: RecordText;
  diff: SealedDiff;
}

const PRINCIPAL: Principal = {
  id: 'bench',
  name: null,
  credential: 'api-token',
  role: 'submitter',
  tenant_id: DEFAULT_TENANT,
};

const REQUEST: AnalyzeRequest = {
  repo_name: 'acme/shop',
  branch: 'main',
  commit_message: 'Make the basket survive a restart of the browser',
  diff: '',
};

const KEY = randomBytes(32);

/** Makes inserts of these diffs without end, each with an id of its own. */
export function createInserts(diffs: readonly Buffer[]): () => Insert {
  const sealed = diffs.map((diff) => sealDiff(diff, KEY, 'bench', SEAL_CHUNK_BYTES));
  let next = 0;
  return () => {
    const diff = diffs[next];
    const seal = sealed[next];
    next = (next + 1) % diffs.length;
    if (diff === undefined || seal === undefined) throw new RangeError('no diffs');
    return { record: makeRecord(diff), diff: seal };
  };
}

function makeRecord(diff: Buffer): RecordText {
  const stats = { files: 2, additions: 120, deletions: 40, bytes: diff.length };
  const now = new Date();
  const diff_hash = createHash('sha256').update(diff).digest('hex');
  const risk = { chance: 0.2, factors: [] };
  const draft = draftRecord(
    REQUEST,
    { diff_hash, stats, risk },
    {
      rfc_id: newRfcId(now.getTime()),
      principal: PRINCIPAL,
      created_at: now.toISOString(),
      rules_revision: 'bench',
      vcs_problem: null,
    },
  );
  const timings = { parseMs: 0.1, riskMs: 0.2, astMs: 0 };
  const settings = { block_severities: [], block_score: null };
  return recordText(
    finalRecord(draft, risk, { findings: [], timings }, settings, {
      now: draft.created_at,
    }),
  );
}
