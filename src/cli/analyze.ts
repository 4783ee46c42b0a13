import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { isThreadLost, type RulesSource, refuseJob, runJob } from '../analysis/job.ts';
import { type ScanPool, startScanPool } from '../analysis/scan-pool.ts';
import { NO_SECRETS } from '../core/known-secrets.ts';
import { type ClientSettings, readClientSettings } from '../daemon/config/reader.ts';
import { createSocketDir } from '../daemon/data-dir.ts';
import { PLANS } from '../gates/configuration/limits.ts';
import { REPORTS } from '../gates/external/limits.ts';
import type { RunGit } from '../git/diff.ts';
import { findMentions, readNames, readTexts } from '../git/trees.ts';
import { type AnalyzeAnswer, answerOf } from '../model/answer.ts';
import type { AnalyzeRequest } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import { plainFinding } from '../model/finding.ts';
import { DEFAULT_TENANT, type Principal } from '../model/principal.ts';
import { toRdjson } from '../model/rdjson.ts';
import type { RequiredReport, RfcRecord } from '../model/records.ts';
import { isTerminal, newRfcId, type ScoreParts } from '../model/rfc.ts';
import { toSarif } from '../model/sarif.ts';
import { createServer, implement } from '../rpc/service.ts';
import { type TreePlace, type TreeRange, Trees } from '../rpc/source-contract.ts';
import { type PortOffer, servePort } from '../rpc/thread.ts';
import {
  loadActiveRules,
  readBuiltInKeywords,
  readBuiltInRules,
} from '../rulebook/active-rules.ts';
import { skippedGate, verdictOfGates } from '../verdict/verdict.ts';
import { exitCode, isAnswer, notOurAnswer } from './answer.ts';
import { type Change, hasStdin, type RepositoryRange, readChange, type Source } from './change.ts';
import type { RequestedComponent } from './own-components.ts';
import { formatReport } from './report.ts';
import {
  createServiceClient,
  dataOf,
  type ServiceClient,
  type ServiceReply,
} from './service-client.ts';
import { CLI, createPaint, onInterrupt, type Paint, printable, readAll } from './terminal.ts';

/**
 * `cra analyze`: judges a diff, here or by a running service. Resolves with the exit code: 0 for
 * an accepted change, 1 for a blocked change, 2 for a service that has not decided yet.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const format = readFormat(values);
  const settings = readClientSettings();
  const source = readSource(values, positionals);
  if (values.server === undefined && (values.token !== undefined || values.wait)) {
    throw usage('--token and --wait need --server');
  }
  const given = {
    repoName: values['repo-name'] ?? null,
    branch: values.branch ?? null,
    message: values.message ?? null,
  };
  const local = values.server === undefined ? openLocalGates(settings.rulesPath) : null;
  try {
    const plan = await readAttachment('terraform-plan', values, PLANS.BYTES_MAX);
    const report = await readAttachment('sarif-in', values, REPORTS.BYTES_MAX);
    const change = { ...(await readChange(source, given, settings)), plan, report };
    const judged = await analyzeChange(change, values, settings, local);
    const paint = createPaint(process.stdout.isTTY && settings.wantsColour);
    process.stdout.write(render(format, judged, change, paint));
    return codeOf(judged);
  } finally {
    await local?.close();
  }
}

/** The file that an option names; null: it names none. */
async function readAttachment(
  option: 'terraform-plan' | 'sarif-in',
  values: Values,
  bytesMax: number,
): Promise<Buffer | null> {
  const path = values[option];
  if (path === undefined) return null;
  try {
    return await readAll(createReadStream(path), bytesMax, path);
  } catch (thrown) {
    if (thrown instanceof CraError) throw thrown;
    const { message } = thrown as Error;
    throw new CraError('INVALID_ARGUMENT', `--${option}: could not read it: ${message}`);
  }
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** A change, and what other tools say of it. */
type AttachedChange = Change & Attachments;

/** A plan of Terraform, as JSON, and a report of other tools, as SARIF; null: there is no such. */
interface Attachments {
  plan: Buffer | null;
  report: Buffer | null;
}

interface Judged {
  answer: AnalyzeAnswer;
  score: ScoreParts | null;
  server: string | null;
  /** Whose verdict is asked for; null: that of the whole change. */
  component: RequestedComponent | null;
}

/** Of a component by its own verdict; a component that the change does not touch is accepted. */
function codeOf({ answer, component }: Judged): 0 | 1 | 2 {
  if (component === null || answer.overall_status === 'DRAFT')
    return exitCode(answer.overall_status);
  const own = answer.components?.find(({ id }) => id === component.id);
  return own === undefined ? 0 : exitCode(own.status);
}

const FORMATS = ['human', 'json', 'sarif', 'rdjson'] as const;
type Format = (typeof FORMATS)[number];

function readFormat({ format: name, json }: Values): Format {
  if (name === undefined) return json ? 'json' : 'human';
  const format = FORMATS.find((known) => known === name);
  if (format === undefined) throw usage(`--format must be one of ${FORMATS.join(', ')}`);
  if (json && format !== 'json')
    throw usage(`--json and --format ${format} contradict each other: give one of them`);
  return format;
}

function render(format: Format, judged: Judged, change: Change, paint: Paint): string {
  const { answer } = judged;
  if (format === 'human') return formatReport(answer, judged, paint);
  const { repo_name, branch, commitSha } = change.request;
  const outcome = { ...answer, repo_name, branch, commit_sha: commitSha ?? null };
  const documents = {
    json: () => answer,
    sarif: () => toSarif(outcome, judged.server),
    rdjson: () => toRdjson(outcome),
  };
  return `${JSON.stringify(documents[format](), null, 2)}\n`;
}

function readSource(values: Values, positionals: readonly string[]): Source {
  const { range, repo = null } = values;
  const isStdin = positionals[0] === '-';
  const unknown = positionals[isStdin ? 1 : 0];
  if (unknown !== undefined) throw usage(`unknown argument "${unknown}"; --help lists the options`);
  const named = [isStdin, range !== undefined, values.staged].filter(Boolean).length;
  if (isStdin && repo !== null) {
    throw usage('a diff from standard input (-) is read without a repository: leave out --repo');
  }
  if (named > 1) {
    throw usage(
      'a change comes from standard input (-), --range or --staged: give only one of them',
    );
  }
  if (range !== undefined) return { kind: 'range', repo, range };
  if (isStdin) return { kind: 'stdin' };
  if (values.staged || repo !== null || !hasStdin()) return { kind: 'staged', repo };
  return { kind: 'stdin' };
}

async function analyzeChange(
  change: AttachedChange,
  values: Values,
  settings: ClientSettings,
  local: LocalGates | null,
): Promise<Judged> {
  const isEmpty = change.request.diff === '';
  if (isEmpty && (change.plan ?? change.report) !== null) {
    const given = change.plan === null ? '--sarif-in: the report' : '--terraform-plan: the plan';
    const message = `${given} belongs to no change. ${await change.whyEmpty()}`;
    throw new CraError('FAILED_PRECONDITION', message);
  }
  const { signal, release } = onInterrupt();
  try {
    if (local === null && !isEmpty) return await analyzeByService(change, values, settings, signal);
    const { rules, component } = await askedOf(change, values, local);
    if (local === null || rules === null || isEmpty) {
      const answer = unchangedAnswer(await change.whyEmpty());
      return { answer, score: null, server: null, component };
    }
    const record = await local.analyze(change, signal, rules);
    return { answer: answerOf(record), score: record.score, server: null, component };
  } finally {
    release();
  }
}

/**
 * The rules for a change, with the components of its repository, and the requested one. A
 * map that is not in order is an error for who asks for a component, and a warning for others.
 */
async function askedOf(
  change: Change,
  { component: id }: Values,
  local: LocalGates | null,
): Promise<{ rules: RulesSource | null; component: RequestedComponent | null }> {
  if (local === null) return { rules: null, component: null };
  const [rules, map] = await Promise.all([local.rules, change.readMap()]);
  if (map === null && id === undefined) return { rules, component: null };
  const { findComponent, withOwnMap } = await import('./own-components.ts');
  const { request } = change;
  try {
    const own = withOwnMap(rules, request.repo_name, map);
    return {
      rules: own,
      component: id === undefined ? null : findComponent(own.rules, id, request),
    };
  } catch (thrown) {
    if (id !== undefined) throw thrown;
    process.stderr.write(`warning: ${CraError.fromUnknown(thrown).message}\n`);
    return { rules, component: null };
  }
}

async function analyzeByService(
  change: AttachedChange,
  values: Values,
  settings: ClientSettings,
  signal: AbortSignal,
): Promise<Judged> {
  const { server = '' } = values;
  const token = values.token ?? settings.token;
  const client = createServiceClient({ baseUrl: server, token, connections: 1 });
  try {
    const { request, plan, report } = change;
    // Attachments are judged for a verdict.
    const mayWait = values.wait === true || (plan ?? report) !== null;
    // The verdict may wait for the very report that is sent then.
    const isReady = (answer: AnalyzeAnswer) =>
      isTerminal(answer.overall_status) || (report !== null && awaitsReport(answer));
    let answer = await submit(client, request, (now) => !mayWait || isReady(now), signal);
    if (report !== null) {
      const untilFinal = values.wait === true || plan !== null;
      answer = await sendReport(client, answer, { report, untilFinal }, signal);
    }
    if (plan !== null) answer = await sendPlan(client, answer, plan, signal);
    // The answer does not say what the score is made of; the RFC does.
    const score =
      readFormat(values) !== 'human' ? null : await readScore(client, answer.rfc_id, signal);
    return { answer, score, server, component: answered(answer, values.component) };
  } finally {
    client.close();
  }
}

/**
 * The component that is asked for, in the answer of a service. Throws FAILED_PRECONDITION when it
 * is not there: nobody can tell then whether it was judged.
 */
function answered(answer: AnalyzeAnswer, id: string | undefined): RequestedComponent | null {
  if (id === undefined) return null;
  // Only the service knows which files belong to it.
  if (answer.components?.some((one) => one.id === id)) return { id, owns: () => true };
  const message = `--component: ${answer.rfc_id} has no verdict of ${id}: the change does not touch it, or the rules of the service do not name it for this repository and branch`;
  throw new CraError('FAILED_PRECONDITION', printable(message));
}

async function submit(
  client: ServiceClient,
  request: AnalyzeRequest,
  isReady: (answer: AnalyzeAnswer) => boolean,
  signal: AbortSignal,
): Promise<AnalyzeAnswer> {
  const body = Buffer.from(JSON.stringify(request));
  if (body.length > CLI.DIFF_BYTES_MAX) {
    const size = `${body.length} bytes as JSON`;
    const message = `the change is ${size}; a service takes ${CLI.DIFF_BYTES_MAX}`;
    throw new CraError('OUT_OF_RANGE', message);
  }
  const answer = readAnswer(await client.analyze(body, signal));
  return await poll(client, answer, isReady, signal);
}

async function poll(
  client: ServiceClient,
  first: AnalyzeAnswer,
  isReady: (answer: AnalyzeAnswer) => boolean,
  signal: AbortSignal,
): Promise<AnalyzeAnswer> {
  let answer = first;
  const deadline = performance.now() + CLI.DRAFT_WAIT_MS;
  while (!isReady(answer) && performance.now() < deadline) {
    const seconds = awaitsReport(answer) ? 1 : CLI.POLL_SECONDS;
    answer = readAnswer(await client.rfc(answer.rfc_id, seconds, signal));
  }
  return answer;
}

/** Whether a DRAFT waits for reports; with `tools` only those tools count. */
function awaitsReport(
  { overall_status, required_reports = [] }: AnalyzeAnswer,
  tools: readonly string[] | null = null,
): boolean {
  const isAwaited = ({ tool, state }: RequiredReport) =>
    state === 'awaited' && (tools === null || tools.includes(tool));
  return overall_status === 'DRAFT' && required_reports.some(isAwaited);
}

async function sendPlan(
  client: ServiceClient,
  { rfc_id, overall_status }: AnalyzeAnswer,
  plan: Buffer,
  signal: AbortSignal,
): Promise<AnalyzeAnswer> {
  if (isTerminal(overall_status)) return readAnswer(await client.addPlan(rfc_id, plan, signal));
  const message = `--terraform-plan: the analysis has not ended, so the service does not have the file yet: post it to ${rfc_id} later (POST rfc/<id>/terraform-plan)`;
  throw new CraError('FAILED_PRECONDITION', printable(message));
}

/** Sends a report; polls a DRAFT until the report counts, with `untilFinal` until it is final. */
async function sendReport(
  client: ServiceClient,
  { rfc_id }: AnalyzeAnswer,
  { report, untilFinal }: { report: Buffer; untilFinal: boolean },
  signal: AbortSignal,
): Promise<AnalyzeAnswer> {
  const answer = readAnswer(await client.addReport(rfc_id, report, signal));
  if (isTerminal(answer.overall_status)) return answer;
  const { readSarif } = await import('../gates/external/sarif.ts');
  const { tools } = readSarif(report);
  const isReady = (now: AnalyzeAnswer) =>
    isTerminal(now.overall_status) || (!untilFinal && !awaitsReport(now, tools));
  return await poll(client, answer, isReady, signal);
}

async function readScore(
  client: ServiceClient,
  rfcId: string,
  signal: AbortSignal,
): Promise<ScoreParts | null> {
  const { data } = await client.rfc(rfcId, 0, signal);
  const score = (data as Partial<RfcRecord> | null)?.score;
  const isReadable =
    Array.isArray(score?.factors) && score.factors.every((factor) => typeof factor === 'string');
  return isReadable ? score : null;
}

function readAnswer(reply: ServiceReply): AnalyzeAnswer {
  const data = dataOf(reply);
  if (isAnswer(data)) return answerOf(data);
  throw notOurAnswer();
}

function usage(message: string): CraError {
  return new CraError('INVALID_ARGUMENT', message);
}

const OPTIONS = {
  repo: { type: 'string' },
  range: { type: 'string' },
  staged: { type: 'boolean' },
  server: { type: 'string' },
  token: { type: 'string' },
  wait: { type: 'boolean' },
  'repo-name': { type: 'string' },
  branch: { type: 'string' },
  component: { type: 'string' },
  'terraform-plan': { type: 'string' },
  'sarif-in': { type: 'string' },
  message: { type: 'string' },
  json: { type: 'boolean' },
  format: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HELP = `usage: cra analyze [-] [OPTIONS]

Judges a change with the gates of the service, on this machine, without a service running.

Which change:
  -                  the diff on standard input (also without -, when one is piped in)
  --range A..B       the difference between two commits; A...B: from where they parted
  --staged           what is staged (also without it, when nothing is piped in)
  --repo PATH        the repository (default: the one of the current directory)

How:
  --server URL       submit it to a running service, which keeps it as an RFC
  --token TOKEN      its API token; CRA_API_TOKEN or CRA_API_TOKEN_FILE keep it out of ps
  --wait             wait for the end when the service answers DRAFT
  --repo-name NAME, --branch NAME, --message TEXT
                     what the RFC says (default: what git says: the name of the repository is that
                     at origin, as acme/shop, or that of its folder)
  --component NAME   the exit code is the verdict of this component of the repository, and the
                     report shows its findings only. Components come from the rules file, or from
                     .cra/components.json in the repository where the change begins (of the
                     service with --server): docs/how-to/monorepo.md
  --terraform-plan FILE
                     a plan for this change, as terraform show -json PLANFILE writes it: what it
                     deletes, replaces and leaves weak is judged with the change; with --server
                     when the change has a verdict
  --sarif-in FILE    the report of another tool about this change (SARIF 2.1.0, also as gzip): its
                     results on added lines count like findings; with --server when the change has
                     a verdict
  --format FORMAT    human (default), json (the answer of POST /api/cra/analyze), sarif (SARIF
                     2.1.0, for code scanning) or rdjson (for reviewdog)
  --json             the same as --format json
SERVICE_RULES_PATH names a rules file to use instead of the built-in rules (not with --server).

Exit code: 0 the change is accepted, 1 it is blocked, 2 the command failed or the analysis has not
ended. A range or an index without a change is accepted; the report says why it has none.

  git diff main... | cra analyze
  cra analyze --range origin/main..HEAD
  cra analyze --staged                       in .git/hooks/pre-commit
  cra analyze --range HEAD~1..HEAD           the newest commit, also a merge or the first one
  cra analyze --range HEAD~1..HEAD --server http://127.0.0.1:3011 --wait --json
`;

/** The gates without a service; call `close` at the end. */
export interface LocalGates {
  /** The rules of the file, or the built-in ones. Rejects when they are not valid. */
  readonly rules: Promise<RulesSource>;
  /** Judges a change by these rules, or by `own`: the same ones with other components. */
  analyze(change: Judgeable, signal: AbortSignal, own?: RulesSource): Promise<JudgedRecord>;
  close(): Promise<void>;
}

type JudgedRecord = RfcRecord & Pick<AnalyzeAnswer, 'next_steps'>;
type Judgeable = Pick<Change, 'request' | 'readFiles' | 'readRange'> & Partial<Attachments>;

const KEY_BYTES = 32;
const NO_YIELD = { yieldAfterMs: null };

/** The user who runs the command. */
const LOCAL: Principal = {
  id: 'local',
  name: null,
  credential: 'local',
  role: 'submitter',
  tenant_id: DEFAULT_TENANT,
};

/**
 * Starts what judges a change without a service: the same threads, gates and verdict, but nothing
 * is stored and the keys are made for this one run, so fingerprints differ from the service's. It
 * comes up in the background, while git is asked for the change. `rulesPath`: the rules file;
 * null: the built-in rules.
 */
export function openLocalGates(rulesPath: string | null, threads = 1): LocalGates {
  const rules = loadActiveRules(rulesPath);
  // The first analysis says what is wrong with them.
  rules.catch(() => undefined);
  const sockets = createSocketDir(null);
  const repositories = createRepositories();
  const pool = startScanPool({
    threads,
    data: {
      fingerprintKey: randomBytes(KEY_BYTES),
      sealKey: randomBytes(KEY_BYTES),
      ownSecrets: NO_SECRETS,
      socketDir: sockets.path,
      keywords: readBuiltInKeywords(),
      registries: null,
    },
    rules,
    // Parts that a lost thread or child could not judge are among the findings.
    onSourceOffer: repositories.accept,
    onThreadLost: () => undefined,
    onChildExit: () => undefined,
  });
  return {
    rules,
    analyze: async (change, signal, own) => {
      const range = change.readRange === null ? null : await change.readRange();
      const place = range === null ? null : repositories.open(range);
      try {
        return await analyze(change, place, pool, own ?? (await rules), signal);
      } finally {
        repositories.close(place);
      }
    },
    async close() {
      await pool.close();
      sockets.remove();
    },
  };
}

/** Serves scan threads the files of the repositories whose changes are being judged. */
function createRepositories() {
  const open = new Map<string, RunGit>();
  let count = 0;
  const runOf = ({ repo_full_name }: TreePlace) => {
    const run = open.get(repo_full_name);
    if (run === undefined) throw new CraError('NOT_FOUND', 'the change is judged already');
    return run;
  };
  const server = createServer([
    implement(Trees, {
      async texts(place) {
        return readTexts(runOf(place), place.commit, place.paths);
      },
      async names(place) {
        return { names: await readNames(runOf(place), place.commit, place.folders) };
      },
      async mentions(place) {
        return findMentions(runOf(place), place.commit, place.paths, place.words);
      },
    }),
  ]);
  return {
    accept: (offer: PortOffer) => servePort(server, offer),
    /** Names both trees; null: there is no tree after the change. */
    open({ run, base, head }: RepositoryRange): TreeRange | null {
      if (head === null) return null;
      count += 1;
      const name = `${count}`;
      open.set(name, run);
      const place = (commit: string) => ({ host: '', repo_full_name: name, commit });
      return { base: base === null ? null : place(base), head: place(head) };
    },
    close(range: TreeRange | null) {
      if (range !== null) open.delete(range.head.repo_full_name);
    },
  };
}

async function analyze(
  { request, readFiles, plan = null, report = null }: Judgeable,
  range: TreeRange | null,
  { analysis }: ScanPool,
  rules: RulesSource,
  signal: AbortSignal,
): Promise<JudgedRecord> {
  const now = new Date();
  const body = Buffer.from(JSON.stringify(request));
  const rfc_id = newRfcId(now.getTime());
  const context = { rfc_id, principal: LOCAL, created_at: now.toISOString() };
  const findWants = async () => {
    const diff = Buffer.from(request.diff);
    const { wants } = await runJob(rules, NO_YIELD, signal, (job, call) =>
      analysis.wantedFiles({ ...job, diff }, call),
    );
    return wants;
  };
  const run = async () => {
    try {
      const files = readFiles === null ? null : await readFiles(await findWants());
      return await runJob(rules, NO_YIELD, signal, (job, call) =>
        analysis.analyze(
          { ...context, ...job, body, files, range, vcs_problem: null, plan, report },
          call,
        ),
      );
    } catch (thrown) {
      if (!isThreadLost(thrown)) throw thrown;
      const reason = CraError.fromUnknown(thrown).message;
      return refuseJob(analysis, rules, context, { body, record: null }, reason);
    }
  };
  const { record, answer } = await run();
  const { next_steps } = JSON.parse(answer) as AnalyzeAnswer;
  const judged = JSON.parse(record.json) as RfcRecord;
  return next_steps === undefined ? judged : { ...judged, next_steps };
}

/** The answer for a range or an index in which git finds no change. */
function unchangedAnswer(fix: string): AnalyzeAnswer {
  const settings = readBuiltInRules().rules.pipeline;
  const stats = { files: 0, additions: 0, deletions: 0, bytes: 0 };
  const rfc_id = newRfcId(Date.now());
  const message = 'git finds no change to analyze';
  const none = plainFinding({ id: 'no-changes', gate: 'risk', severity: 'info', message, fix });
  const llm = skippedGate('no_tier');
  const { gates } = verdictOfGates(rfc_id, [none], { risk: 0, ast: 0 }, settings, llm);
  return {
    rfc_id,
    diff_hash: createHash('sha256').digest('hex'),
    overall_status: 'PASSED',
    risk_score: 0,
    gates,
    stats,
  };
}
