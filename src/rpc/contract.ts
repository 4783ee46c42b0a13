import type { CancelFlag } from '../core/deadline.ts';
import type { SecretDigests } from '../core/known-secrets.ts';
import type { SealedDiff } from '../core/seal.ts';
import { AST_GATE } from '../gates/limits.ts';
import type {
  DecidedFiles,
  JudgedPush,
  PushFacts,
  TreeFiles,
  WantedFile,
} from '../model/change.ts';
import type { RegistrySettings } from '../model/dependencies.ts';
import type { GateFinding } from '../model/finding.ts';
import { JOB } from '../model/limits.ts';
import type { Principal } from '../model/principal.ts';
import type { Provider, PushEvent } from '../model/push.ts';
import type { AttachmentKind, RecordText, RfcRecord } from '../model/records.ts';
import type { KeptReport } from '../model/reports.ts';
import type { ReviewedFinding, ReviewPlan, SkipReason } from '../model/review.ts';
import type { GateResult } from '../model/rfc.ts';
import type { OwnTable, PipelineSettings, PreparedKeywords, RuleSet } from '../model/rules.ts';
import type { ScoreCurves } from '../model/score.ts';
import { method } from './service.ts';
import type { DiffInput, TreeRange } from './source-contract.ts';

/**
 * Gates 1 and 2 over a diff: scan threads serve it, the pipeline calls it.
 */
export const Analysis = {
  name: 'Analysis',
  methods: {
    /** Answers when the thread has these rules compiled and its AST child is up. */
    prepare: method<RulesRevision, { ready: true }>(JOB.PREPARE_DEADLINE_MS),
    /**
     * A whole request body: JSON, checked here, off the main thread. When its flag says `yield`
     * the outcome is a DRAFT and its diff.
     */
    analyze: method<AnalyzeInput, AnalysisOutcome>(JOB.ATTEMPT_DEADLINE_MS),
    /** The whole files that judging a diff needs, where there is a repository to read from. */
    wantedFiles: method<WantedFilesInput, { wants: WantedFile[] }>(JOB.ATTEMPT_DEADLINE_MS),
    /** Again, for a stored DRAFT and its sealed diff. */
    resume: method<ResumeInput, AnalysisOutcome>(JOB.ATTEMPT_DEADLINE_MS),
    /** Hides secrets in texts that will be stored for good; as many texts, in order. */
    redact: method<RedactInput, { texts: string[] }>(JOB.REDACT_DEADLINE_MS),
    /**
     * The push in the body of a webhook that is too large for the main thread, or the pull request
     * in one of any size: secrets in its title are hidden.
     */
    readDelivery: method<DeliveryInput, { event: PushEvent | null }>(JOB.REDACT_DEADLINE_MS),
    /** The diff of a push, as git gave it, for its DRAFT. An empty diff is `no-changes`. */
    judge: method<JudgeInput, AnalysisOutcome>(JOB.ATTEMPT_DEADLINE_MS),
    /** The diff of a DRAFT whose gates 1 and 2 have run, as models may read it. */
    planReview: method<PlanReviewInput, PlannedReview>(JOB.ATTEMPT_DEADLINE_MS),
    /** The outcome of such a DRAFT with what the review found. */
    concludeReview: method<ConcludeReviewInput, AnalysisOutcome>(JOB.REDACT_DEADLINE_MS),
    /**
     * The outcome of a record that has a verdict, with what an attachment says; the record as it
     * is, and its rev, where the same attachment was judged before. INVALID_ARGUMENT for what is
     * not of its kind, ABORTED (`details.status`) for a record that takes none.
     */
    attach: method<AttachInput, AnalysisOutcome>(JOB.ATTEMPT_DEADLINE_MS),
    /** Reads a report of other tools: what is kept of it by tool, and the commits it names. */
    readReport: method<ReadReportInput, ReadReport>(JOB.ATTEMPT_DEADLINE_MS),
    /**
     * A DRAFT whose gates have run, with the reports that are kept of it: its verdict where no
     * report is awaited any more, else a DRAFT that says which are.
     */
    settleReports: method<SettleReportsInput, AnalysisOutcome>(JOB.ATTEMPT_DEADLINE_MS),
    /** The code around the findings of a record, or its change, without secrets, for people. */
    showCode: method<ShowCodeInput, ShownCode>(JOB.ATTEMPT_DEADLINE_MS),
    /** What refuses a push before it is public; makes no record. */
    screen: method<ScreenInput, ScreenedPush>(JOB.ATTEMPT_DEADLINE_MS),
    /** The record of a diff that could not be scanned: no gate runs, one finding says why. */
    refuse: method<RefuseInput, AnalysisOutcome>(JOB.THREAD_GRACE_MS * 5),
  },
} as const;

/** The `workerData` of a scan thread. */
export interface ScanThreadData {
  /** 32 bytes each. */
  fingerprintKey: Uint8Array;
  sealKey: Uint8Array;
  /** What the service is configured with, as far as texts must not hold it. */
  ownSecrets: SecretDigests;
  /** Folder of the socket between the thread and its AST child. */
  socketDir: string;
  /** Whether a store can be asked for histories and accepted fingerprints. */
  hasStore: boolean;
  /** Whether files of repositories can be asked for. */
  hasSource: boolean;
  /** Where they stand in a SQLite database that the thread reads itself; null: it asks. */
  storeDir: string | null;
  /** How much nicer (nice(1)) the thread is than the rest of its process; on Linux alone. */
  niceness: number;
  /** Of the built-in rules; threads share the large table. */
  keywords: PreparedKeywords;
  /** Registries that are asked about new packages; null: no registry is set. */
  registries: RegistrySettings | null;
}

/** Rules and the name of their revision. */
export interface RulesRevision {
  revision: string;
  rules: RuleSet;
}

/** Every job: its rules, and a flag that ends it. */
export interface JobContext {
  rules_revision: string;
  /** The rules themselves, when the thread said that it does not know the revision; else null. */
  rules: RuleSet | null;
  cancel: CancelFlag;
}

/** Every analysis, besides the change itself. */
export interface AnalysisContext extends JobContext {
  /** Gate 3 has a model: a change that gates 1 and 2 let pass stays a DRAFT for it. */
  reviews?: boolean;
  rfc_id: string;
  principal: Principal;
  created_at: string;
  /** Of the tenant, for `change_risk`; null or absent: the shipped curve. */
  curves?: ScoreCurves | null;
  /** Of the service, for `next_steps` of the answer; absent: there is no service. */
  base_url?: string;
}

export interface RedactInput extends JobContext {
  texts: string[];
}

export interface AnalyzeInput extends AnalysisContext {
  /** The body as it came: UTF-8 JSON. Shared, so that a lost thread does not lose it. */
  body: Uint8Array;
  /** As `wantedFiles` asked; null: the caller has no repository. */
  files: TreeFiles;
  /** Where other files of the repository can be read; absent: nowhere. */
  range?: TreeRange | null;
  /** Why no commit status can be posted, a sentence; null: it can. */
  vcs_problem: string | null;
  /** It is small and may run behind others in one task; absent: it may not. */
  may_share?: boolean;
  /** Findings about the change that do not come from its diff. */
  notes?: GateFinding[];
  /** A plan of Terraform for the change, as JSON; absent: it has no plan. */
  plan?: Uint8Array | null;
  /** A report of other tools about the change, as SARIF; absent: it has no report. */
  report?: Uint8Array | null;
}

export interface WantedFilesInput extends JobContext {
  diff: Uint8Array;
}

export interface ResumeInput extends AnalysisContext {
  record: RfcRecord;
  /** As of AnalyzeInput. */
  notes?: GateFinding[];
  /** As `SealedDiff.chunks`. */
  chunks: Uint8Array[];
}

export interface PlanReviewInput extends JobContext {
  record: RfcRecord;
  /** The diff as it is, or sealed as `SealedDiff.chunks`. */
  diff: Uint8Array | null;
  chunks: Uint8Array[];
}

/** Null: a secret could not be hidden, so nothing of the change may be sent. */
export interface PlannedReview {
  plan: ReviewPlan | null;
  /** Values that were hidden. */
  redactions: number;
  /** Keyed hashes of tenant, prompt version and text, one for each chunk. */
  keys: string[];
  /** Of each chunk the keys of its lines, in order (`lineKey`). */
  lineKeys: string[][];
}

export interface ConcludeReviewInput extends JobContext {
  record: RfcRecord;
  findings: ReviewedFinding[];
  /** Null: all of the change is proven read. */
  skip_reason: SkipReason | null;
  duration_ms: number;
  /** Of a record that has a verdict: which review it was; null: of a DRAFT. */
  again: ReviewAgain | null;
}

/** A review after the verdict: who asked for it, and why; null: the service tries again. */
export interface ReviewAgain {
  review_id: string;
  asked: { principal: Principal; reason: string } | null;
}

export interface AttachInput extends JobContext {
  record: RfcRecord;
  kind: AttachmentKind;
  /** As it was sent. Shared memory. */
  attachment: Uint8Array;
  /** The diff as it is, or sealed; both null: it is not kept. */
  diff: Uint8Array | null;
  sealed: SealedDiff | null;
  /** As of AnalysisContext. */
  base_url: string;
}

export interface ReadReportInput extends JobContext {
  /** As it was sent. Shared memory. */
  report: Uint8Array;
  /** What it is kept by (`reportSubject`). */
  subject: string;
}

export interface ReadReport {
  reports: KeptReport[];
  /** Ids of commits that its runs say they are about, in lower case: a list for each that says. */
  commits: string[][];
}

export interface SettleReportsInput extends JobContext {
  /** A verdict, or `awaitsReports`; the outcome is of the next rev, if it is another. */
  record: RfcRecord;
  reports: KeptReport[];
  /** As of AttachInput. */
  diff: Uint8Array | null;
  sealed: SealedDiff | null;
}

export interface ShowCodeInput extends JobContext {
  /** JSON of the record. */
  record: Uint8Array;
  /** The diff as it is, or sealed; both null: it is not kept. */
  diff: Uint8Array | null;
  sealed: SealedDiff | null;
  /** The whole change, or one file of it; null: the code around its findings. */
  changes: { file: string | null } | null;
}

export interface ShownCode {
  /** `data` of the answer; null: the diff has to be made again first. */
  json: string | null;
  /** What the diff is made from. */
  wants: DiffInput | null;
}

export interface DeliveryInput extends JobContext {
  /** Shared memory. */
  body: Uint8Array;
  is_pull_request: boolean;
  /** Null: no header names the event, the payload decides. */
  provider: Provider | null;
  /** Whether the body is a form with the JSON in its field `payload`. */
  is_form: boolean;
}

export interface JudgeInput extends AnalysisContext {
  record: RfcRecord;
  /** As `DiffOutput` of the source says. Shared memory. */
  diff: Uint8Array;
  history: Uint8Array | null;
  messages: Uint8Array;
  message: string;
  notes: GateFinding[];
  /** As `wantedFiles` asked. */
  files: TreeFiles;
  /** Where other files of the repository can be read. */
  range: TreeRange;
  /** What of the markers in `files` came with a decision; absent: nothing is known of it. */
  decided?: readonly DecidedFiles[];
}

export interface ScreenInput extends JobContext {
  tenant_id: string;
  /** A PreReceiveRequest as it came: UTF-8 JSON. */
  body: Uint8Array;
}

/** The judgement, and who pushes what, without secrets. */
export interface ScreenedPush extends JudgedPush {
  push: PushFacts;
  may_bypass: boolean;
}

export interface RefuseInput extends AnalysisContext {
  /** Body of the request, or null when `record` and its diff are stored already. */
  body: Uint8Array | null;
  record: RfcRecord | null;
  finding: GateFinding;
  /** As for `analyze`; of no meaning with a `record`. */
  vcs_problem: string | null;
  /** Of the rules that the job ran under, for `next_steps`. */
  pipeline: PipelineSettings;
}

/** A record and the texts made from it, so that no other thread has to serialise it. */
export interface AnalysisOutcome {
  record: RecordText;
  /** `data` of the analyze answer, as JSON. */
  answer: string;
  /** Null when the diff is stored already. */
  diff: SealedDiff | null;
  /** Components that files move to: without renames the diff shows what these bring to them. */
  moves_to?: string[];
  /** For the metrics: how long (ms) each gate took that ran in this call. */
  timings: { gates: GateTiming[] };
}

export interface GateTiming {
  gate: 'risk' | 'ast' | 'llm';
  status: GateResult['status'];
  ms: number;
}

/**
 * Syntax trees and taint: served by a forked child of each scan thread, because @swc/core ends
 * its process on odd input.
 */
export const Syntax = {
  name: 'Syntax',
  methods: {
    inspect: method<InspectInput, InspectOutput>(AST_GATE.CALL_CPU_MS),
  },
} as const;

/** The new side of one hunk (or of a whole new file), ready to be parsed. */
export interface Fragment {
  path: string;
  /** New side text: context and added lines, joined with `\n`. */
  text: string;
  /** 1-based line of the new file on which the text starts. */
  startLine: number;
  /** 0-based line indexes within `text` that the diff adds, as pairs [first, afterLast]. */
  added: [number, number][];
  /** Other files of its program that are in view; absent: the fragment stands alone. */
  program?: Program;
  /** It is wanted what its functions and constants do for other files. */
  wantsOffered?: true;
  /** The change does not touch it: what is said of it names its path. */
  isUnchanged?: true;
  /** It is all of its file: what it does not show stands in other files. */
  isWhole?: true;
}

/** Files of a program, as far as the flows of one fragment lead to them. */
export interface Program {
  /** Files of its package, which make one module with the fragment. */
  beside: ProgramFile[];
  /** Modules that are used; unit 0 is the fragment itself, the first one here is unit 1. */
  units: { files: ProgramFile[] }[];
  /** How a unit names another one, and the names of that which flows lead to. */
  links: { from: number; module: string; unit: number; names: string[] }[];
  /** Files of settings that it reads, by the names that it has for them. */
  data?: { name: string; text: string }[];
}

export interface ProgramFile {
  path: string;
  text: string;
}

/** A name of another file that a flow leads to, as the file that uses it writes it. */
export interface AskedName {
  path: string;
  name: string;
  /** Data from outside goes there; else it is a value that a sink is given. */
  isData: boolean;
  /** Its file is in view, but the parser cannot read it. */
  isUnread?: true;
}

export interface InspectInput {
  fragments: Fragment[];
  /** HMAC key of fingerprints. */
  fingerprintKey: Uint8Array;
  /** Rows of the rules for the catalogue; absent: the rules have none. */
  catalogue?: readonly OwnTable[];
}

export interface InspectOutput {
  /** One result per fragment, in order. */
  results: FragmentResult[];
  /** CPU time that the child took for them, ms. */
  cpuMs: number;
}

export interface FragmentResult {
  findings: GateFinding[];
  /**
   * For each finding the same text wherever it stands, whatever its severity: a keyed hash of its
   * class, the sink, the source and the steps between; empty for code that was not looked at.
   */
  flows: string[];
  /** Added lines that no syntax tree covers, as pairs like `Fragment.added`. */
  unparsed: [number, number][];
  /** What it took, as AST_GATE.RFC_WORK_MAX counts it: the same each time. */
  work: number;
  /** What flows lead to that is not in view. */
  asked: AskedName[];
  /** Where that is wanted, what other files may use of it. */
  offered?: Offered[];
  /** Of a whole file: calls that are sinks, and get only what the program itself says. */
  settled?: SettledCall[];
}

/** A call from the beginning of its expression to the end of the name of what is called. */
export interface SettledCall {
  /** The weakness that it would be with other values. */
  cwe: string;
  /** Line and column, both from 1; the column counts bytes. */
  start: [number, number];
  end: [number, number];
}

/** A function or constant of a file that others may use. */
export interface Offered {
  /** The name by which they use it; '' where they choose one. */
  name: string;
  /** Its first and last line. */
  first: number;
  last: number;
  /** What it does for those, as a text that differs where that does. */
  does: string;
}
