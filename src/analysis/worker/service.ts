import { hash } from 'node:crypto';
import { createCancelFlag, isYield } from '../../core/deadline.ts';
import { createKnownSecretFinder } from '../../core/known-secrets.ts';
import { openDiff, SEAL_CHUNK_BYTES, sealDiff } from '../../core/seal.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { REPORTS } from '../../gates/external/limits.ts';
import { splitSarif } from '../../gates/external/sarif.ts';
import { readPullRequestBody, readPushBody } from '../../hosts/webhook.ts';
import { ANALYZE_REQUEST, type AnalyzeRequest } from '../../model/change.ts';
import { CraError, invalidField } from '../../model/errors.ts';
import type { GateFinding } from '../../model/finding.ts';
import { BODY } from '../../model/limits.ts';
import type { Means } from '../../model/next-steps.ts';
import type { RfcRecord } from '../../model/records.ts';
import { type KeptReport, reportSealName, reportSubject } from '../../model/reports.ts';
import type { PipelineSettings } from '../../model/rules.ts';
import { checkJsonValues, createValidator, parseJsonBody } from '../../model/validate.ts';
import { type FindOwn, redactTexts, withoutSecrets } from '../../redaction/redact.ts';
import type {
  Analysis,
  AnalysisContext,
  RefuseInput,
  ShowCodeInput,
  ShownCode,
} from '../../rpc/contract.ts';
import type { Implementation } from '../../rpc/service.ts';
import { assessChange, curveOf } from '../../verdict/score.ts';
import { EMPTY_SHAPE, readMessage } from '../../verdict/score-model.ts';
import { plannedRecord, reportedRecord, settledByReports } from './attached-record.ts';
import { type PartitionedChange, withReviewOfParts, withVerdicts } from './components.ts';
import { createGateTools, readChange, runGates, type Scan, wantedFiles } from './gates.ts';
import type { AnalysisServiceOptions } from './options.ts';
import { inspectPlan } from './plan.ts';
import {
  createJudge,
  diffHash,
  draftRecord,
  finalRecord,
  type GateTimes,
  gateTimes,
  newRecord,
  outcome,
  refusedRecord,
  withoutReports,
} from './record.ts';
import { inspectReport } from './report.ts';
import { planChange, reviewedAgain, reviewedRecord } from './review.ts';
import type { ActiveRules } from './rules-cache.ts';
import { readPreReceive, screenPush } from './screen.ts';
import { type Changes, type Code, showChanges, showCode } from './show-code.ts';
import { suppressReviewed } from './suppress.ts';

/** Creates what a scan thread serves: one diff from body to record. */
export function createAnalysisService(
  options: AnalysisServiceOptions,
): Implementation<typeof Analysis> {
  const { fingerprintKey, sealKey, syntax } = options;
  const own = createKnownSecretFinder(options.ownSecrets);

  const toolsFor = createGateTools(options);
  const seal = (rfcId: string, diff: Uint8Array) =>
    sealDiff(diff, sealKey, rfcId, SEAL_CHUNK_BYTES);

  const nowText = () => options.now().toISOString();
  const finish = (record: RfcRecord, change: PartitionedChange, scan: Scan, input: FinishInput) => {
    const { rules, reviews } = input;
    const draft = withVerdicts(record, change, scan.findings, rules);
    return finalRecord(draft, change.risk, scan, rules.pipeline, { now: nowText(), reviews });
  };

  return {
    async prepare({ revision, rules }) {
      options.rules.get(revision, rules);
      await syntax.inspect({ fragments: [], fingerprintKey });
      return { ready: true };
    },

    async analyze(input) {
      const rules = options.rules.get(input.rules_revision, input.rules);
      const { request: given, diff } = readRequest(input.body);
      // A DRAFT needs it, too: an answer that is due does not end it, and its texts are short.
      const request = withoutSecrets(given, rules.compiled, NEVER, own);
      const change = readChange(diff);
      const { tenant_id } = input.principal;
      const origin = { ...given, tenant_id, diff_hash: diffHash(diff) };
      const hints = readMessage(given.commit_message);
      const curve = curveOf(input.curves, given.repo_name);
      const risk = assessChange(change.shape, hints, curve);
      const facts = { ...origin, stats: change.stats };
      const result = (record: RfcRecord, ran: GateTimes) =>
        outcome(record, seal(input.rfc_id, diff), ran, own, meansOf(rules.pipeline, input));
      try {
        const tools = toolsFor(origin, rules, input.files, null, input.range);
        const ran = withNotes(await runGates(change, tools, input.cancel), input.notes);
        const { plan = null, report = null, cancel } = input;
        const known = ran.findings;
        const planned = plan === null ? [] : await inspectPlan(plan, change, known, tools, cancel);
        const reported =
          report === null
            ? []
            : (await inspectReport(report, change, known, tools, cancel)).findings;
        const scan = { ...ran, findings: [...known, ...planned, ...reported] };
        const draft = newRecord(request, facts, input);
        const record = finish(draft, { ...change, risk, hints, curve }, scan, { ...input, rules });
        return result(record, gateTimes(scan.timings));
      } catch (thrown) {
        if (!isYielded(thrown, input)) throw thrown;
        return result(draftRecord(request, { ...facts, risk }, input), {});
      }
    },

    async resume(input) {
      const rules = options.rules.get(input.rules_revision, input.rules);
      const { record, rules_revision } = input;
      const sealed = { chunks: input.chunks, bytes: record.stats.bytes };
      const diff = openDiff(sealed, sealKey, record.rfc_id, BODY.LARGE_BYTES_MAX);
      const change = readChange(diff);
      const hints = readMessage(record.commit_message);
      const curve = curveOf(input.curves, record.repo_name);
      const risk = assessChange(change.shape, hints, curve);
      const parted = { ...change, risk, hints, curve };
      const tools = toolsFor(record, rules, null);
      const scan = withNotes(await runGates(change, tools, input.cancel), input.notes);
      const draft = {
        ...withoutReports(record),
        stats: change.stats,
        rules_revision,
        rev: record.rev + 1,
      };
      const final = finish(draft, parted, scan, { ...input, rules });
      return outcome(final, null, gateTimes(scan.timings), own);
    },

    judge: createJudge({ ...options, own }),

    ...createTextSteps({ ...options, own }),
    ...createReviewSteps({ ...options, own }),

    async attach(input) {
      const rules = options.rules.get(input.rules_revision, input.rules);
      const { record: before, kind, attachment, sealed, cancel } = input;
      const { rfc_id, tenant_id, repo_name } = before;
      const diff =
        input.diff ?? (sealed && openDiff(sealed, sealKey, rfc_id, BODY.LARGE_BYTES_MAX));
      if (diff === null && kind === 'report') throw noLines(before);
      const change = diff === null || diff.length === 0 ? NO_CHANGE : readChange(diff);
      const tools = toolsFor({ tenant_id, repo_name }, rules, null);
      const record =
        kind === 'terraform-plan'
          ? await plannedRecord(
              before,
              {
                plan: attachment,
                inspect: (known) => inspectPlan(attachment, change, known, tools, cancel),
              },
              rules,
              nowText(),
            )
          : await reportedRecord(
              before,
              {
                sha256: hash('sha256', attachment),
                inspect: (known) => inspectReport(attachment, change, known, tools, cancel),
              },
              rules,
              nowText(),
            );
      return outcome(record, null, {}, own, meansOf(rules.pipeline, input));
    },

    readReport(input) {
      const { reports, commits } = splitSarif(input.report);
      const sha256 = hash('sha256', input.report);
      const at = nowText();
      const kept = reports.map(({ tool, results, sarif }): KeptReport => {
        const name = reportSealName(input.subject, tool);
        return {
          tool,
          sha256,
          at,
          results,
          sealed: sealDiff(sarif, sealKey, name, SEAL_CHUNK_BYTES),
        };
      });
      return { reports: kept, commits };
    },

    async settleReports(input) {
      const rules = options.rules.get(input.rules_revision, input.rules);
      const { record: before, reports, sealed, cancel } = input;
      const { rfc_id, tenant_id, repo_name } = before;
      const diff =
        input.diff ?? (sealed && openDiff(sealed, sealKey, rfc_id, BODY.LARGE_BYTES_MAX));
      const change = diff === null || diff.length === 0 ? NO_CHANGE : readChange(diff);
      const tools = toolsFor({ tenant_id, repo_name }, rules, null);
      const inspect = (report: KeptReport, known: readonly GateFinding[]) => {
        if (diff === null) throw noLines(before);
        const name = reportSealName(reportSubject(before), report.tool);
        const sarif = openDiff(report.sealed, sealKey, name, REPORTS.BYTES_MAX);
        return inspectReport(sarif, change, known, tools, cancel);
      };
      const record = await settledByReports(before, { reports, inspect }, rules, nowText());
      return outcome(record, null, {}, own);
    },

    refuse(input) {
      const now = nowText();
      if (input.record !== null) {
        const next = { ...input.record, rev: input.record.rev + 1 };
        return outcome(refusedRecord(next, input.finding, now), null, {}, own);
      }
      if (input.body === null) throw new CraError('INVALID_ARGUMENT', 'neither body nor record');
      const refused = refuseRequest(input, input.body, now);
      const means = meansOf(input.pipeline, input);
      return outcome(refused.record, seal(input.rfc_id, refused.diff), {}, own, means);
    },
  };
}

const NO_FILES = { files: [], problems: [], additions: 0, deletions: 0 };
/** A change whose diff is not kept: a plan has no places in it. */
const NO_CHANGE = { bytes: new Uint8Array(), diff: NO_FILES };

/** A report counts by the lines that a change adds. */
function noLines({ overall_status: status, rev }: RfcRecord): CraError {
  const message =
    'the diff of this RFC is not kept any more, so nobody can say which results of the report are ' +
    'about it: analyze the change again and send the report for the new RFC';
  return new CraError('ABORTED', message, { details: { status, rev } });
}

function meansOf(
  pipeline: PipelineSettings,
  { base_url }: Pick<AnalysisContext, 'base_url'>,
): Means {
  return { pipeline, baseUrl: base_url ?? null };
}

/** What answers with texts of a change, and makes no record. */
function createTextSteps(
  options: AnalysisServiceOptions & { own: FindOwn },
): Pick<
  Implementation<typeof Analysis>,
  'wantedFiles' | 'redact' | 'readDelivery' | 'showCode' | 'screen'
> {
  const { rules: cache, sealKey, own } = options;
  const toolsFor = createGateTools(options);
  return {
    readDelivery(input) {
      const { body, provider, is_form: isForm } = input;
      if (!input.is_pull_request || provider === null) {
        return { event: readPushBody(body, { provider, isForm }) };
      }
      const { compiled } = cache.get(input.rules_revision, input.rules);
      const redact = (text: string) => redactTexts([text], compiled, input.cancel, own)[0] ?? '';
      return { event: readPullRequestBody(body, { provider, isForm, redact }) };
    },

    wantedFiles({ rules_revision, rules, diff }) {
      return { wants: wantedFiles(diff, cache.get(rules_revision, rules)) };
    },

    redact(input) {
      const { compiled } = cache.get(input.rules_revision, input.rules);
      return { texts: redactTexts(input.texts, compiled, input.cancel, own) };
    },

    showCode(input) {
      const rules = cache.get(input.rules_revision, input.rules);
      return answerCode(input, rules, sealKey, own);
    },

    async screen(input) {
      const rules = cache.get(input.rules_revision, input.rules);
      const request = readPreReceive(input.body);
      const place = { tenant_id: input.tenant_id, repo_name: request.repo_name };
      return screenPush(request, toolsFor(place, rules, null), input.cancel, own);
    },
  };
}

/** Code around findings or the change as JSON, or why not; or what the diff is made from. */
function answerCode(
  input: ShowCodeInput,
  rules: ActiveRules,
  sealKey: Uint8Array,
  own: FindOwn,
): ShownCode {
  const record = JSON.parse(asBuffer(input.record).toString()) as RfcRecord;
  const { rfc_id, overall_status, repo_full_name, commit_sha, push } = record;
  const none = input.changes === null ? NO_CODE : NO_CHANGES;
  const answer = (code: Code | Changes | string): ShownCode => {
    const [reason, rest] = typeof code === 'string' ? [code, none] : [null, code];
    const data = { rfc_id, available: reason === null, reason, ...rest };
    return { json: JSON.stringify(data), wants: null };
  };
  if (overall_status === 'DRAFT') return answer('the gates have not run yet');
  const { sealed } = input;
  const diff = input.diff ?? (sealed && openDiff(sealed, sealKey, rfc_id, BODY.LARGE_BYTES_MAX));
  if (diff !== null) {
    const { rules_revision: revision, cancel } = input;
    const options = { record, diff, rules, revision, cancel, own };
    const { changes } = input;
    return answer(changes === null ? showCode(options) : showChanges(options, changes.file));
  }
  if (push === null) return answer('the diff is not kept any more');
  if (push.base_kind === null || repo_full_name === null || commit_sha === null) {
    return answer('the change of this push could not be read');
  }
  const { host, base } = push;
  return { json: null, wants: { host, repo_full_name, base, head: commit_sha } };
}

const NO_CODE: Code = { blocks: [], left_out: 0 };
const NO_CHANGES: Changes = { files: [], left_out: 0 };

/** A flag that is never raised. */
const NEVER = createCancelFlag();

function withNotes(scan: Scan, notes: readonly GateFinding[] = []): Scan {
  return notes.length === 0 ? scan : { ...scan, findings: [...notes, ...scan.findings] };
}

type FinishInput = Pick<AnalysisContext, 'reviews'> & { rules: ActiveRules };

/** The parts of gate 3 that need a scan thread: what is sent, and what becomes of the record. */
function createReviewSteps({
  rules: cache,
  sealKey,
  fingerprintKey,
  accepted,
  now,
  own,
}: AnalysisServiceOptions & { own: FindOwn }): Pick<
  Implementation<typeof Analysis>,
  'planReview' | 'concludeReview'
> {
  return {
    planReview(input) {
      const rules = cache.get(input.rules_revision, input.rules);
      const { record, chunks, cancel } = input;
      const sealed = { chunks, bytes: record.stats.bytes };
      const diff = input.diff ?? openDiff(sealed, sealKey, record.rfc_id, BODY.LARGE_BYTES_MAX);
      return planChange(diff, record, { rules, key: fingerprintKey, own }, cancel);
    },

    async concludeReview(input) {
      const rules = cache.get(input.rules_revision, input.rules);
      const { pipeline } = rules;
      const { record: before, again } = input;
      const graded = input.findings.map((one) => rules.compiled.grade(one));
      const findings = await suppressReviewed(graded, before, accepted);
      const review = { ...input, findings };
      const at = now().toISOString();
      const record =
        again === null
          ? reviewedRecord(before, review, pipeline, at)
          : reviewedAgain(before, review, again, pipeline, at);
      const next = record === before ? record : withReviewOfParts(record, rules);
      return outcome(next, null, { llm: input.duration_ms }, own);
    },
  };
}

/** The record of a request whose diff nobody has looked at. */
function refuseRequest(input: RefuseInput, body: Uint8Array, now: string) {
  const { request, diff } = readRequest(body);
  // The parser is left out on purpose: it may be what ended the thread before.
  const stats = { files: 0, additions: 0, deletions: 0, bytes: diff.length };
  const curve = curveOf(input.curves, request.repo_name);
  const risk = assessChange(EMPTY_SHAPE, readMessage(request.commit_message), curve);
  const shown = { ...request, commit_message: UNREAD };
  const draft = draftRecord(shown, { diff_hash: diffHash(diff), stats, risk }, input);
  return { record: refusedRecord(draft, input.finding, now), diff };
}

/** In place of a message in which no secrets were looked for. */
const UNREAD = '(not shown: the analysis of this change did not end)';

function readRequest(body: Uint8Array): { request: AnalyzeRequest; diff: Uint8Array } {
  const request = readAnalyzeBody(body);
  return { request, diff: Buffer.from(request.diff, 'utf8') };
}

function isYielded(thrown: unknown, context: AnalysisContext): boolean {
  return thrown instanceof CraError && thrown.code === 'CANCELLED' && isYield(context.cancel);
}

const validate = createValidator<AnalyzeRequest>(ANALYZE_REQUEST, 'body');

const NAMES = ['repo_name', 'branch'] as const;

/**
 * Reads the body of `POST analyze`. Throws INVALID_ARGUMENT naming what is wrong: no UTF-8, no
 * JSON, a missing or wrong field, a name with a lone surrogate. The diff itself may hold
 * anything; what it can't encode becomes U+FFFD.
 */
function readAnalyzeBody(body: Uint8Array): AnalyzeRequest {
  const bytes = asBuffer(body);
  if (bytes.length > BODY.UNCOUNTED_BYTES_MAX) checkJsonValues(bytes, BODY.VALUES_MAX);
  const request = validate(parseJsonBody(bytes));
  for (const name of NAMES) {
    if (request[name]?.isWellFormed() === false) {
      throw invalidField(name, 'holds a lone surrogate');
    }
  }
  if (request.postVcsStatus === true) {
    if (!request.commitSha) throw invalidField('commitSha', 'is required with postVcsStatus');
    if (!request.repoFullName) {
      throw invalidField('repoFullName', 'is required with postVcsStatus');
    }
  }
  return request;
}
