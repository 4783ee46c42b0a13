import type { PushInfo } from '../../../src/model/push.ts';
import type { Decision, RfcRecord } from '../../../src/model/records.ts';
import { sampleRecord } from '../../store/fixtures/records.ts';

/** A commit id by its number. */
export function shaOf(index: number): string {
  return index.toString(16).padStart(40, '0');
}

const PUSH: PushInfo = {
  host: 'forge',
  provider: 'gitea',
  source: 'webhook',
  delivery_id: 'd',
  before: null,
  default_branch: 'main',
  pusher: null,
  phase: null,
  base: null,
  base_kind: null,
  commits: 1,
  tries: 0,
  waiting_for: null,
  superseded_by: null,
  repository_id: null,
  rests_on: [],
};

/** The record of a push whose statuses the host `forge` is told. */
export function pushedRecord(index: number, over: Partial<RfcRecord> = {}): RfcRecord {
  return sampleRecord({
    rfc_id: `RFC-${index}`,
    trigger: 'webhook',
    commit_sha: shaOf(index),
    repo_full_name: 'acme/shop',
    ref: 'refs/heads/main',
    post_vcs_status: true,
    push: PUSH,
    risk_score: 12,
    ...over,
  });
}

/** The record one rev on. */
export function next(record: RfcRecord, over: Partial<RfcRecord>): RfcRecord {
  return { ...record, rev: record.rev + 1, ...over };
}

/** A decision about a record, as its history keeps it. */
export function decision(over: Partial<Decision> = {}): Decision {
  return {
    decision_id: 'd1',
    action: 'approve',
    principal: {
      id: 'ann',
      name: null,
      credential: 'session',
      role: 'admin',
      tenant_id: 'default',
    } as const,
    actor: 'ann',
    reason: 'looked at',
    at: '2026-11-21T10:00:00.000Z',
    commit_sha: null,
    repo_full_name: null,
    ...over,
  };
}
