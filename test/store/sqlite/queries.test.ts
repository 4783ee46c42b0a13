import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { ARCHIVE_QUERIES } from '../../../src/store/sqlite/archive.ts';
import { openForWriting } from '../../../src/store/sqlite/database.ts';
import { DEPLOY_QUERIES } from '../../../src/store/sqlite/deploys.ts';
import { SMALL_DIFF_QUERIES } from '../../../src/store/sqlite/diffs.ts';
import { EVENT_QUERIES } from '../../../src/store/sqlite/events.ts';
import { PUSH_QUERIES } from '../../../src/store/sqlite/pushes/queries.ts';
import { QUERIES } from '../../../src/store/sqlite/queries.ts';
import { REVIEW_QUERIES } from '../../../src/store/sqlite/reviews.ts';
import { RULEBOOK_QUERIES } from '../../../src/store/sqlite/rulebook.ts';
import { SEARCH_QUERIES } from '../../../src/store/sqlite/search.ts';
import { SESSION_QUERIES } from '../../../src/store/sqlite/store.ts';
import { TASK_QUERIES } from '../../../src/store/sqlite/tasks.ts';
import { TREND_QUERIES } from '../../../src/store/sqlite/trends.ts';
import { USAGE_QUERIES } from '../../../src/store/sqlite/usage.ts';
import { inMemory } from './harness.ts';

const ALL = {
  ...QUERIES,
  ...TASK_QUERIES,
  ...USAGE_QUERIES,
  ...REVIEW_QUERIES,
  ...RULEBOOK_QUERIES,
  ...SESSION_QUERIES,
  ...PUSH_QUERIES,
  ...TREND_QUERIES,
  ...SEARCH_QUERIES,
  ...SMALL_DIFF_QUERIES,
  ...DEPLOY_QUERIES,
  ...EVENT_QUERIES,
  ...ARCHIVE_QUERIES,
};

/** What an RFC is compared with before it leaves for the archive. */
const IS_FREE_PLAN = [
  'CORRELATED SCALAR SUBQUERY 1',
  'SEARCH accepted USING COVERING INDEX accepted_by_rfc (tenant_id=? AND rfc_id=?)',
  'CORRELATED SCALAR SUBQUERY 2',
  'SEARCH newer USING INDEX push_by_name (tenant_id=? AND repo_key=? AND rowid>?)',
  'CORRELATED SCALAR SUBQUERY 3',
  'SEARCH newer USING INDEX push_by_repo (tenant_id=? AND push_repo=? AND rowid>?)',
  'CORRELATED SCALAR SUBQUERY 4',
  'SEARCH newer USING INDEX rfc_live_by_branch (tenant_id=? AND repo_key=? AND branch=? AND rowid>?)',
  'CORRELATED SCALAR SUBQUERY 5',
  'SEARCH newer USING INDEX push_judged (tenant_id=? AND push_repo=? AND push_ref=? AND rowid>?)',
  'CORRELATED SCALAR SUBQUERY 6',
  'SEARCH older USING INDEX rfc_by_commit (tenant_id=? AND commit_sha=? AND rowid<?)',
  'CORRELATED SCALAR SUBQUERY 7',
  'SEARCH refusal USING COVERING INDEX refusal_by_commit (tenant_id=? AND commit_sha=? AND seq<?)',
  'CORRELATED SCALAR SUBQUERY 9',
  'SEARCH own USING COVERING INDEX rfc_component_of (seq=?)',
  'CORRELATED SCALAR SUBQUERY 8',
  'SEARCH part USING PRIMARY KEY (tenant_id=? AND component=? AND seq>?)',
  'SEARCH newer USING INTEGER PRIMARY KEY (rowid=?)',
];

const PLANS: Record<keyof typeof ALL, string[]> = {
  insert: [],
  addSmallDiff: [],
  smallDiff: ['SEARCH small_diff USING INTEGER PRIMARY KEY (rowid=?)'],
  newestSmallDiff: ['SEARCH small_diff USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
  oldestSmallDiffs: ['SEARCH small_diff USING INTEGER PRIMARY KEY (rowid<?)'],
  dropSmallDiffs: ['SEARCH small_diff USING INTEGER PRIMARY KEY (rowid<?)'],
  complete: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  state: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  view: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  diff: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  archived: ['SEARCH archived USING PRIMARY KEY (rfc_id=?)'],
  windowEnd: [
    'SEARCH rfc USING COVERING INDEX rfc_by_status (tenant_id=? AND status=? AND rowid>?)',
  ],
  freeRfcs: [
    'SEARCH rfc USING INDEX rfc_by_status (tenant_id=? AND status=? AND rowid>? AND rowid<?)',
    ...IS_FREE_PLAN,
  ],
  freeRfc: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)', ...IS_FREE_PLAN],
  addArchived: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  archivedDelivery: ['SEARCH archived USING COVERING INDEX archived_by_delivery (delivery=?)'],
  archivedBody: ['SEARCH archived USING COVERING INDEX archived_by_body (body=?)'],
  archivedPlace: ['SEARCH archived USING COVERING INDEX archived_by_place (file=? AND offset=?)'],
  drafts: ['SEARCH rfc USING INDEX rfc_drafts (status=? AND rowid>?)'],
  ofCommit: ['SEARCH rfc USING INDEX rfc_by_commit (tenant_id=? AND commit_sha=?)'],
  reportNames: [
    'SEARCH report USING INDEX sqlite_autoindex_report_1 (tenant_id=? AND repo_key=? AND subject=?)',
  ],
  keptReport: [
    'SEARCH report USING INDEX sqlite_autoindex_report_1 ' +
      '(tenant_id=? AND repo_key=? AND subject=? AND tool=?)',
  ],
  reportBytes: ['SEARCH report USING COVERING INDEX report_bytes (tenant_id=?)'],
  keepReport: [],
  dropReports: ['SEARCH report USING INDEX report_by_time (at_ms<?)'],
  list: ['SEARCH rfc USING INDEX rfc_by_tenant (tenant_id=? AND rowid<?)'],
  listByRepo: ['SEARCH rfc USING INDEX rfc_by_repo (tenant_id=? AND repo_key=? AND rowid<?)'],
  scores: ['SEARCH rfc USING INDEX rfc_by_tenant (tenant_id=? AND rowid<?)'],
  listByStatus: ['SEARCH rfc USING INDEX rfc_by_status (tenant_id=? AND status=? AND rowid<?)'],
  listByRepoAndStatus: [
    'SEARCH rfc USING INDEX rfc_by_repo_status ' +
      '(tenant_id=? AND repo_key=? AND status=? AND rowid<?)',
  ],
  listByComponent: [
    'SEARCH part USING PRIMARY KEY (tenant_id=? AND component=? AND seq<?)',
    'SEARCH rfc USING INTEGER PRIMARY KEY (rowid=?)',
  ],
  decide: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  remove: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  blocked: ['SEARCH rfc USING INDEX rfc_by_status (tenant_id=? AND status=? AND rowid>?)'],
  blockedByRepo: [
    'SEARCH rfc USING INDEX rfc_by_repo_status ' +
      '(tenant_id=? AND repo_key=? AND status=? AND rowid>?)',
  ],
  decisionOp: ['SEARCH decision_op USING PRIMARY KEY (op_id=?)'],
  addDecisionOp: [],
  accept: [],
  acceptedByRfc: [
    'SEARCH accepted USING COVERING INDEX accepted_by_rfc (tenant_id=? AND rfc_id=?)',
  ],
  withdraw: ['SEARCH accepted USING INDEX accepted_by_rfc (tenant_id=? AND rfc_id=?)'],
  rev: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  countStatus: [
    'CO-ROUTINE (subquery-1)',
    'SEARCH rfc USING COVERING INDEX rfc_by_status (tenant_id=? AND status=?)',
    'SCAN (subquery-1)',
  ],
  newestOf: ['SEARCH rfc USING COVERING INDEX rfc_by_tenant (tenant_id=?)'],
  oldestBlocked: ['SEARCH rfc USING INDEX rfc_by_status (tenant_id=? AND status=?)'],
  listAccepted: [
    'SEARCH accepted USING PRIMARY KEY (tenant_id=? AND (repo_key,fingerprint,rfc_id)>(?,?,?))',
  ],
  listAcceptedIn: [
    'SEARCH accepted USING PRIMARY KEY (tenant_id=? AND repo_key=? AND (fingerprint,rfc_id)>(?,?))',
  ],
  listEntries: ['SEARCH audit USING INDEX audit_shown (tenant_id=? AND rowid<?)'],
  listWithoutLogins: ['SEARCH audit USING INDEX audit_without_logins (tenant_id=? AND rowid<?)'],
  listEntriesOfKind: [
    'SEARCH audit USING INDEX audit_by_kind (tenant_id=? AND kind=? AND rowid<?)',
  ],
  listEntriesOfRfc: [
    'SEARCH audit USING INDEX audit_by_rfc (tenant_id=? AND rfc_id=? AND rowid<?)',
  ],
  listTasks: ['SEARCH task USING INDEX task_by_tenant (tenant_id=? AND rowid<?)'],
  listTasksOf: ['SEARCH task USING INDEX task_by_status (tenant_id=? AND status=? AND rowid<?)'],
  endAcceptance: [
    'SEARCH accepted USING PRIMARY KEY (tenant_id=? AND repo_key=? AND fingerprint=?)',
  ],
  accepted: ['SEARCH accepted USING PRIMARY KEY (tenant_id=? AND repo_key=? AND fingerprint=?)'],
  acceptedNow: ['SEARCH accepted USING PRIMARY KEY (tenant_id=? AND repo_key=? AND fingerprint=?)'],
  endedAcceptance: [
    'SEARCH old USING INDEX accepted_ending (tenant_id=? AND repo_key=? AND expires_at>? AND expires_at<?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH other USING PRIMARY KEY (tenant_id=? AND repo_key=? AND fingerprint=?)',
  ],
  emergencies: ['SEARCH rfc USING INDEX rfc_review_due (tenant_id=? AND <expr>>?)'],
  emergencyCounts: ['SEARCH rfc USING INDEX rfc_review_due (tenant_id=?)'],
  overridesByAgents: ['SEARCH audit USING INDEX audit_by_agents (ts>?)'],
  // Only what it counts is in the index.
  allEmergencyCounts: ['SCAN rfc USING INDEX rfc_review_due'],
  overdueEmergency: ['SEARCH rfc USING INDEX rfc_review_due (tenant_id=? AND <expr><?)'],
  auditAppend: [],
  auditOp: ['SEARCH audit USING INDEX sqlite_autoindex_audit_2 (op_id=? AND phase=?)'],
  // "SEARCH audit" alone is one step to the end of the table.
  auditLast: [
    'SEARCH audit USING INTEGER PRIMARY KEY (rowid=?)',
    'SCALAR SUBQUERY 1',
    'SEARCH audit',
  ],
  auditHead: ['SEARCH audit USING INDEX sqlite_autoindex_audit_1 (chain=?)'],
  auditEntry: ['SEARCH audit USING INDEX sqlite_autoindex_audit_1 (chain=? AND seq=?)'],
  // What it scans are the names that it has found.
  auditChains: [
    'CO-ROUTINE named',
    'SETUP',
    'SEARCH audit USING COVERING INDEX sqlite_autoindex_audit_1',
    'RECURSIVE STEP',
    'SCAN named',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH audit USING COVERING INDEX sqlite_autoindex_audit_1 (chain>?)',
    'SCAN named',
    'CORRELATED SCALAR SUBQUERY 4',
    'SEARCH audit USING COVERING INDEX sqlite_autoindex_audit_1 (chain=?)',
  ],
  auditNamed: ['SEARCH audit USING INDEX sqlite_autoindex_audit_2 (op_id>? AND op_id<?)'],
  // Of what it scans each row is one that it has found.
  decidedPage: [
    'CO-ROUTINE (subquery-2)',
    'SEARCH rfc USING COVERING INDEX rfc_decided (<expr>>?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH audit USING COVERING INDEX sqlite_autoindex_audit_2 (op_id=? AND phase=?)',
    'SCAN (subquery-2)',
  ],
  undocumented: [
    'SEARCH rfc USING INDEX rfc_decided (<expr>>? AND <expr><?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH audit USING COVERING INDEX sqlite_autoindex_audit_2 (op_id=? AND phase=?)',
  ],
  // The whole trail and every RFC are the work of `cra audit verify`.
  shownDecided: ['SEARCH rfc USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
  shownRfc: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  shownRefusal: [
    'SEARCH deleted_refusal USING INDEX sqlite_autoindex_deleted_refusal_1 (rfc_id=?)',
  ],
  entriesOfOp: ['SEARCH audit USING INDEX sqlite_autoindex_audit_2 (op_id=?)'],
  acceptedPage: [
    'SEARCH accepted USING PRIMARY KEY ((tenant_id,repo_key,fingerprint,rfc_id)>(?,?,?,?))',
  ],
  revisionsPage: ['SEARCH rules_revision USING INTEGER PRIMARY KEY (rowid>?)'],
  decidedHistory: [
    'SEARCH rfc USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
    'SCAN decision VIRTUAL TABLE INDEX 3:',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH audit USING COVERING INDEX sqlite_autoindex_audit_2 (op_id=? AND phase=?)',
  ],
  carriedPage: [
    'SEARCH rfc USING INDEX rfc_decided (<expr>=? AND status=? AND rowid>?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH audit USING COVERING INDEX sqlite_autoindex_audit_2 (op_id>? AND op_id<?)',
  ],
  newestSeq: ['SEARCH rfc'],
  auditPage: ['SEARCH audit USING INDEX sqlite_autoindex_audit_1 (chain=? AND seq>?)'],
  addTask: [],
  openTask: ['SEARCH task USING INDEX task_open (tenant_id=? AND finding_id=?)'],
  openTasksOf: [
    'SEARCH task USING INDEX task_open (tenant_id=? AND finding_id>? AND finding_id<?)',
  ],
  task: ['SEARCH task USING INDEX sqlite_autoindex_task_1 (task_id=?)'],
  setTask: ['SEARCH task USING INDEX sqlite_autoindex_task_1 (task_id=?)'],
  setRecord: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  pendingTasks: ['SEARCH task USING INDEX task_pending (tenant_id=? AND rowid>?)'],
  addUsage: [],
  addToHour: [],
  usageOfHours: ['SEARCH usage_hour USING PRIMARY KEY (tenant_id=? AND hour>?)'],
  usageBetween: ['SEARCH usage USING INDEX usage_by_time (tenant_id=? AND at_ms>? AND at_ms<?)'],
  hoursSince: ['SEARCH usage_hour USING PRIMARY KEY (tenant_id=? AND hour>?)'],
  budget: ['SEARCH budget USING PRIMARY KEY (scope=?)'],
  addToBudget: [],
  openCall: [],
  reviewCall: ['SEARCH review_call USING PRIMARY KEY (call_id=?)'],
  closeCall: ['SEARCH review_call USING PRIMARY KEY (call_id=?)'],
  leftCalls: [
    'MULTI-INDEX OR',
    'INDEX 1',
    'SEARCH review_call USING INDEX review_call_by_owner (owner=?)',
    'INDEX 2',
    'SEARCH review_call USING INDEX review_call_by_start (started_ms<?)',
  ],
  addAnswer: [],
  dropAnswers: ['SEARCH review_answer USING INDEX review_answer_by_time (at_ms<?)'],
  reviewAnswer: ['SEARCH review_answer USING PRIMARY KEY (key=?)'],
  revise: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  addReview: [],
  nextReview: ['SEARCH review_queue USING INDEX review_due (due_ms<?)'],
  leaseReview: ['SEARCH review_queue USING PRIMARY KEY (review_id=?)'],
  putOffReview: ['SEARCH review_queue USING PRIMARY KEY (review_id=?)'],
  removeReview: ['SEARCH review_queue USING PRIMARY KEY (review_id=?)'],
  releaseReviews: ['SEARCH review_queue USING INDEX review_held (owner=?)'],
  reviewDepth: [
    'CO-ROUTINE (subquery-1)',
    'SEARCH review_queue USING COVERING INDEX review_due (due_ms>?)',
    'SCAN (subquery-1)',
  ],
  expediteReviews: ['SEARCH review_queue USING INDEX review_due (due_ms>?)'],
  remember: [],
  dropMemory: ['SEARCH review_memory USING INDEX review_memory_by_time (at_ms<?)'],
  recall: ['SEARCH review_memory USING PRIMARY KEY (tenant_id=? AND repo_key=? AND line_key=?)'],
  forget: [
    'SEARCH review_memory USING PRIMARY KEY ' +
      '(tenant_id=? AND repo_key=? AND line_key=? AND kind=?)',
  ],
  usageRows: ['SEARCH usage USING INDEX usage_by_time (tenant_id=? AND at_ms>? AND at_ms<?)'],
  addReport: [],
  report: ['SEARCH deploy_report USING PRIMARY KEY (report_id=?)'],
  reportsBelow: [
    'SEARCH deploy_report USING INDEX deploy_report_by_place (tenant_id=? AND place=? AND sorted<?)',
  ],
  reportsOf: [
    'SEARCH deploy_report USING INDEX deploy_report_by_commit (tenant_id=? AND place=? AND sha=? AND result=? AND sorted<?)',
  ],
  addCurves: [],
  newestCurves: ['SEARCH score_curves USING PRIMARY KEY (tenant_id=? AND version<?)'],
  nextPlace: [
    'SEARCH deploy_report USING COVERING INDEX deploy_report_by_place (tenant_id=? AND place>?)',
  ],
  newestRules: ['SEARCH rules_revision USING INTEGER PRIMARY KEY (rowid<?)'],
  rulesAt: ['SEARCH rules_revision USING INTEGER PRIMARY KEY (rowid=?)'],
  listRules: ['SEARCH rules_revision USING INTEGER PRIMARY KEY (rowid<?)'],
  addRules: [],
  addSession: [],
  session: ['SEARCH session USING PRIMARY KEY (session_id=?)'],
  touchSession: ['SEARCH session USING PRIMARY KEY (session_id=?)'],
  deleteSession: ['SEARCH session USING PRIMARY KEY (session_id=?)'],
  deleteSessionsOf: [
    'SEARCH session USING INDEX session_by_principal (tenant_id=? AND principal_id=?)',
  ],
  deleteEndedSessions: ['SEARCH session USING INDEX session_by_end (expires_at<?)'],
  acceptPush: [],
  pushByDelivery: ['SEARCH rfc USING INDEX push_by_delivery (push_delivery=?)'],
  pushByBody: ['SEARCH rfc USING INDEX push_by_body (push_body=?)'],
  nextOpenRepo: ['SEARCH rfc USING COVERING INDEX push_queue ((tenant_id,push_repo)>(?,?))'],
  nextOpenRef: [
    'SEARCH rfc USING COVERING INDEX push_queue (tenant_id=? AND push_repo=? AND push_ref>?)',
  ],
  newestOpen: ['SEARCH rfc USING INDEX push_queue (tenant_id=? AND push_repo=? AND push_ref=?)'],
  olderOpen: [
    'SEARCH rfc USING INDEX push_queue (tenant_id=? AND push_repo=? AND push_ref=? AND rowid<?)',
  ],
  push: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  progress: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  renewPush: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  releasePushes: ['SEARCH rfc USING INDEX push_held (push_held_until>?)'],
  supersede: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  acceptHead: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  acceptedOfCommit: [
    'SEARCH rfc USING INDEX push_accepted_of_commit (tenant_id=? AND push_repo=? AND commit_sha=?)',
  ],
  acceptedOfRef: [
    'SEARCH rfc USING INDEX push_accepted_of_ref (tenant_id=? AND push_repo=? AND push_ref=?)',
  ],
  addBaseline: [],
  baseline: [
    'SEARCH repository USING INDEX sqlite_autoindex_repository_1 (tenant_id=? AND repo_key=?)',
  ],
  baselineHead: [
    'SEARCH repository USING INDEX sqlite_autoindex_repository_1 (tenant_id=? AND repo_key=?)',
  ],
  sweptPush: [
    'SEARCH rfc USING INDEX push_swept (tenant_id=? AND push_repo=? AND push_ref=? AND commit_sha=?)',
  ],
  pushesOfHead: ['SEARCH rfc USING INDEX rfc_by_commit (tenant_id=? AND commit_sha=?)'],
  openAfter: [
    'SEARCH rfc USING INDEX push_queue (tenant_id=? AND push_repo=? AND push_ref=? AND rowid>?)',
  ],
  judgedAfter: [
    'SEARCH rfc USING INDEX push_judged (tenant_id=? AND push_repo=? AND push_ref=? AND rowid>?)',
  ],
  supersededAfter: [
    'SEARCH rfc USING INDEX push_superseded ' +
      '(tenant_id=? AND push_repo=? AND push_ref=? AND rowid>?)',
  ],
  takeWebhook: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  hostOfName: ['SEARCH repository USING INDEX repository_by_name (tenant_id=? AND name=?)'],
  lowerBaseline: [
    'SEARCH repository USING INDEX sqlite_autoindex_repository_1 (tenant_id=? AND repo_key=?)',
  ],
  bindRepository: [
    'SEARCH repository USING INDEX sqlite_autoindex_repository_1 (tenant_id=? AND repo_key=?)',
  ],
  bindRevocation: ['SEARCH push_fallen USING INDEX sqlite_autoindex_push_fallen_1 (tenant_id=?)'],
  repoOfPush: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  bindPushes: ['SEARCH rfc USING INDEX push_by_repo (tenant_id=? AND push_repo=?)'],
  judgedOfBranches: ['SEARCH rfc USING INDEX rfc_by_commit (tenant_id=? AND commit_sha=?)'],
  pushesOfCommit: ['SEARCH rfc USING INDEX rfc_by_commit (tenant_id=? AND commit_sha=?)'],
  decidedOfCommit: ['SEARCH rfc USING INDEX rfc_by_commit (tenant_id=? AND commit_sha=?)'],
  addRefusal: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  bindRefusals: [
    'SEARCH deleted_refusal USING INDEX refusal_by_ref (tenant_id=? AND push_repo=? AND push_ref>?)',
  ],
  refusal: ['SEARCH deleted_refusal USING INDEX sqlite_autoindex_deleted_refusal_1 (rfc_id=?)'],
  refusalOfName: [
    'SEARCH deleted_refusal USING INDEX refusal_by_name (tenant_id=? AND repo_key=?)',
  ],
  refusalOfBranch: [
    'SEARCH deleted_refusal USING INDEX refusal_by_branch (tenant_id=? AND repo_key=? AND branch=?)',
  ],
  refusalOfRef: [
    'SEARCH deleted_refusal USING INDEX refusal_by_ref (tenant_id=? AND push_repo=? AND push_ref=?)',
  ],
  refusedPushOfName: [
    'SEARCH deleted_refusal USING INDEX refusal_pushed (tenant_id=? AND repo_key=?)',
  ],
  refusalsOfCommit: [
    'SEARCH deleted_refusal USING INDEX refusal_by_commit (tenant_id=? AND commit_sha=?)',
  ],
  refusalsSince: [
    'SEARCH deleted_refusal USING INDEX refusal_by_name (tenant_id=? AND repo_key=? AND seq>?)',
  ],
  newestOfComponent: [
    'SEARCH rfc_component USING PRIMARY KEY (tenant_id=? AND component=?)',
    'SEARCH rfc USING INTEGER PRIMARY KEY (rowid=?)',
  ],
  refusedOfCommit: ['SEARCH rfc USING INDEX rfc_by_commit (tenant_id=? AND commit_sha=?)'],
  overridden: ['SEARCH rfc USING INDEX push_overridden (tenant_id=? AND push_repo=?)'],
  addDependency: [],
  removeDependency: ['SEARCH push_rests USING PRIMARY KEY (tenant_id=? AND on_id=? AND rfc_id=?)'],
  dependentsOf: [
    'SEARCH push_rests USING PRIMARY KEY (tenant_id=? AND on_id=?)',
    'SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)',
  ],
  reopen: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  addRevocation: [],
  revocations: ['SCAN push_fallen'],
  removeRevocation: [
    'SEARCH push_fallen USING INDEX sqlite_autoindex_push_fallen_1 (tenant_id=? AND id=?)',
  ],
  newestOfRepo: ['SEARCH rfc USING INDEX push_by_repo (tenant_id=? AND push_repo=?)'],
  newestOpenOfRef: [
    'SEARCH rfc USING INDEX push_queue (tenant_id=? AND push_repo=? AND push_ref=?)',
  ],
  newestJudgedOfRef: [
    'SEARCH rfc USING INDEX push_judged (tenant_id=? AND push_repo=? AND push_ref=?)',
  ],
  oldestOpenOfRef: [
    'SEARCH rfc USING INDEX push_queue (tenant_id=? AND push_repo=? AND push_ref=?)',
  ],
  newestOfCommit: ['SEARCH rfc USING INDEX rfc_by_commit (tenant_id=? AND commit_sha=?)'],
  oldestJudgedOfRef: [
    'SEARCH rfc USING INDEX push_judged (tenant_id=? AND push_repo=? AND push_ref=?)',
  ],
  oldestSupersededOfRef: [
    'SEARCH rfc USING INDEX push_superseded (tenant_id=? AND push_repo=? AND push_ref=?)',
  ],
  defaultBranch: ['SEARCH rfc USING INDEX push_by_name (tenant_id=? AND repo_key=?)'],
  facts: ['SEARCH rfc USING INDEX rfc_live_by_repo (tenant_id=? AND repo_key=?)'],
  factsOfBranch: [
    'SEARCH rfc USING INDEX rfc_live_by_branch (tenant_id=? AND repo_key=? AND branch=?)',
  ],
  factsOfCommit: ['SEARCH rfc USING INDEX rfc_by_commit (tenant_id=? AND commit_sha=?)'],
  newestPush: ['SEARCH rfc USING INDEX push_by_name (tenant_id=? AND repo_key=?)'],
  nextPushedRepo: ['SEARCH rfc USING INDEX push_by_repo ((tenant_id,push_repo)>(?,?))'],
  counts: ['SEARCH push_count USING INTEGER PRIMARY KEY (rowid=?)'],
  // What it scans are the rows that it has found.
  landedCount: [
    'CO-ROUTINE landed',
    'SCAN rfc USING INDEX push_landed',
    'SCAN landed',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH later USING COVERING INDEX push_accepted_of_ref ' +
      '(tenant_id=? AND push_repo=? AND push_ref=? AND rowid>?)',
  ],
  leasedCount: [
    'CO-ROUTINE (subquery-1)',
    'SEARCH rfc USING COVERING INDEX push_held (push_held_until>?)',
    'SCAN (subquery-1)',
  ],
  oldestOpen: ['SEARCH rfc USING INDEX push_open (status=?)'],
  dueVerdicts: [
    'SEARCH rfc USING INDEX vcs_due_verdict (vcs_host=? AND vcs_due>? AND vcs_due<?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH newer USING INDEX rfc_by_commit (tenant_id=? AND commit_sha=?)',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH refusal USING INDEX refusal_by_commit (tenant_id=? AND commit_sha=?)',
  ],
  dueDrafts: [
    'SEARCH rfc USING INDEX vcs_due_draft (vcs_host=? AND vcs_due>? AND vcs_due<?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH newer USING INDEX rfc_by_commit (tenant_id=? AND commit_sha=?)',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH refusal USING INDEX refusal_by_commit (tenant_id=? AND commit_sha=?)',
  ],
  dueOfDeleted: [
    'SEARCH gone USING INDEX deleted_status_due (vcs_host=? AND vcs_due<?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH newer USING INDEX rfc_by_commit (tenant_id=? AND commit_sha=?)',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH refusal USING INDEX refusal_by_commit (tenant_id=? AND commit_sha=?)',
  ],
  addDeleted: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  putOffDeleted: ['SEARCH deleted_status USING INDEX sqlite_autoindex_deleted_status_1 (rfc_id=?)'],
  removeDeleted: ['SEARCH deleted_status USING INDEX sqlite_autoindex_deleted_status_1 (rfc_id=?)'],
  trendOf: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  setTrend: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  addTrend: [],
  blockedRepositories: ['SEARCH trend USING INDEX trend_blocked (tenant_id=? AND day>? AND day<?)'],
  trends: ['SEARCH trend USING PRIMARY KEY (tenant_id=? AND repo_key=? AND day>? AND day<?)'],
  // The index holds nothing but what is to be counted.
  uncounted: ['SCAN rfc USING INDEX rfc_uncounted'],
  forgetTrends: ['SEARCH trend USING INDEX trend_by_day (day<?)'],
  newestUntil: ['SEARCH rfc USING COVERING INDEX rfc_by_time (tenant_id=? AND created_at<?)'],
  oldestSince: ['SEARCH rfc USING COVERING INDEX rfc_by_time (tenant_id=? AND created_at>?)'],
  countText: [
    'CO-ROUTINE (subquery-1)',
    'SEARCH rfc_text USING PRIMARY KEY (tenant_id=? AND text=? AND seq>? AND seq<?)',
    'SCAN (subquery-1)',
  ],
  textsOf: [
    'SEARCH rfc USING INTEGER PRIMARY KEY (rowid=?)',
    'LIST SUBQUERY 1',
    'SCAN json_each VIRTUAL TABLE INDEX 1:',
    'CREATE BLOOM FILTER',
  ],
  lastExamined: ['SEARCH rfc_text USING PRIMARY KEY (tenant_id=? AND text=? AND seq>? AND seq<?)'],
  listByTexts: [
    'SEARCH part USING PRIMARY KEY (tenant_id=? AND text=? AND seq>? AND seq<?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH own USING COVERING INDEX rfc_by_repo (tenant_id=? AND repo_key=? AND rowid=?)',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH own USING COVERING INDEX rfc_by_status (tenant_id=? AND status=? AND rowid=?)',
    'CORRELATED SCALAR SUBQUERY 3',
    'SEARCH own USING PRIMARY KEY (tenant_id=? AND component=? AND seq=?)',
    // The other texts, which the caller gives.
    'CORRELATED SCALAR SUBQUERY 5',
    'SCAN other VIRTUAL TABLE INDEX 1:',
    'CORRELATED SCALAR SUBQUERY 4',
    'SEARCH own USING PRIMARY KEY (tenant_id=? AND text=? AND seq=?)',
    'SEARCH rfc USING INTEGER PRIMARY KEY (rowid=?)',
  ],
  // It holds one row.
  indexed: ['SCAN rfc_indexed'],
  // The newest records only.
  listUnindexed: [
    'SEARCH rfc USING INDEX rfc_by_tenant (tenant_id=? AND rowid>? AND rowid<?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH own USING COVERING INDEX rfc_by_repo (tenant_id=? AND repo_key=? AND rowid=?)',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH own USING COVERING INDEX rfc_by_status (tenant_id=? AND status=? AND rowid=?)',
    'CORRELATED SCALAR SUBQUERY 3',
    'SEARCH own USING PRIMARY KEY (tenant_id=? AND component=? AND seq=?)',
    'CORRELATED SCALAR SUBQUERY 5',
    'SCAN sought VIRTUAL TABLE INDEX 1:',
    'CORRELATED LIST SUBQUERY 4',
    'SCAN json_each VIRTUAL TABLE INDEX 1:',
  ],
  // The index holds nothing but what is to be indexed.
  withoutTexts: ['SCAN rfc USING INDEX rfc_without_texts'],
  setTexts: ['SEARCH rfc USING INTEGER PRIMARY KEY (rowid=?)'],
  summary: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  postedStatus: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  settleStatus: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  addEvent: [],
  waitForSubject: [
    'SEARCH event USING PRIMARY KEY (lane=? AND event_id=?)',
    'CORRELATED SCALAR SUBQUERY 1',
    'SEARCH earlier USING INDEX event_open (lane=? AND subject=? AND place<?)',
  ],
  dueEvents: [
    'CO-ROUTINE due',
    'SEARCH event USING INDEX event_due (lane=? AND due_ms<?)',
    'SCAN due',
    'CORRELATED SCALAR SUBQUERY 2',
    'SEARCH earlier USING INDEX event_open (lane=? AND subject=? AND place<?)',
  ],
  endEvent: ['SEARCH event USING PRIMARY KEY (lane=? AND event_id=?)'],
  failEvent: ['SEARCH event USING PRIMARY KEY (lane=? AND event_id=?)'],
  putOffSubject: ['SEARCH event USING INDEX event_open (lane=? AND subject=?)'],
  replayEvents: ['SEARCH event USING INDEX event_by_time (at_ms>? AND at_ms<?)'],
  dropEvents: ['SEARCH event USING INDEX event_by_time (at_ms<?)'],
  deadEvents: ['SEARCH event USING INDEX event_dead_of (tenant_id=?)'],
  waitingEvents: [
    'CO-ROUTINE (subquery-1)',
    'SEARCH event USING INDEX event_waiting (lane=?)',
    'SCAN (subquery-1)',
  ],
  countDead: [
    'CO-ROUTINE (subquery-1)',
    'SEARCH event USING INDEX event_dead (lane=?)',
    'SCAN (subquery-1)',
  ],
};

const folder = mkdtempSync(join(inMemory, 'cra-plans-'));
/** No test changes it: to explain a query runs nothing. */
const database = openForWriting(join(folder, 'cra.db'));
test.after.always(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

for (const [name, sql] of Object.entries(ALL)) {
  test(`QUERIES.${name} searches an index by all it filters, and neither scans nor sorts`, (t) => {
    const plan = database.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${bound(sql)}`).all();
    t.deepEqual(
      plan.map(({ detail }) => detail),
      PLANS[name as keyof typeof ALL],
    );
  });
}

test('the check of plans bites: a query without an index scans', (t) => {
  const sql = 'EXPLAIN QUERY PLAN SELECT seq FROM rfc WHERE rev = 1 ORDER BY created_at';
  const details = database.prepare<[], { detail: string }>(sql).all();
  t.true(details.some(({ detail }) => /SCAN/.test(detail)));
  t.true(details.some(({ detail }) => /TEMP B-TREE/.test(detail)));
});

/** The plan does not depend on the values. */
function bound(sql: string): string {
  return sql.replaceAll(/\?|:\w+/g, '1');
}
