import { createHash, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { isThreadLost, type RulesSource, refuseJob, runJob } from '../analysis/job.ts';
import { type ScanPool, startScanPool } from '../analysis/scan-pool.ts';
import { NO_SECRETS } from '../core/known-secrets.ts';
import { type ClientSettings, readClientSettings } from '../daemon/config/reader.ts';
import { createSocketDir } from '../daemon/data-dir.ts';
import type { AnalyzeRequest } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import { plainFinding } from '../model/finding.ts';
import { DEFAULT_TENANT, type Principal } from '../model/principal.ts';
import type { RfcRecord } from '../model/records.ts';
import { isTerminal, newRfcId, type ScoreParts } from '../model/rfc.ts';
import { toSarif } from '../model/sarif.ts';
import {
  loadActiveRules,
  readBuiltInKeywords,
  readBuiltInRules,
} from '../rulebook/active-rules.ts';
import { judgeGates, skippedGate } from '../verdict/verdict.ts';
import { type Change, hasStdin, readChange, type Source } from './change.ts';
import {
  type AnalyzeAnswer,
  answerOf,
  createServiceClient,
  exitCode,
  formatReport,
  isAnswer,
  type ServiceClient,
  type ServiceReply,
  toRdjson,
} from './service-client.ts';
import { CLI, createPaint, onInterrupt, type Paint } from './terminal.ts';

/**
 * `cra analyze`: judges a diff, here or by a running service. Resolves with the exit code: 0 for
 * an accepted change, 1 for one that is blocked, 2 for a service that has not decided yet.
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
    const change = await readChange(source, given, settings);
    const judged = await judge(change, values, settings, local);
    const paint = createPaint(process.stdout.isTTY && settings.wantsColour);
    process.stdout.write(render(format, judged, change, paint));
    return exitCode(judged.answer.overall_status);
  } finally {
    await local?.close();
  }
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

interface Judged {
  answer: AnalyzeAnswer;
  score: ScoreParts | null;
  server: string | null;
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
    sarif: () => toSarif(outcome),
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
  if (named > 1 || (isStdin && repo !== null)) {
    throw usage(
      'a change comes from standard input (-), --range or --staged: give only one of them',
    );
  }
  if (range !== undefined) return { kind: 'range', repo, range };
  if (isStdin) return { kind: 'stdin' };
  if (values.staged || repo !== null || !hasStdin()) return { kind: 'staged', repo };
  return { kind: 'stdin' };
}

async function judge(
  change: Change,
  values: Values,
  settings: ClientSettings,
  local: LocalGates | null,
): Promise<Judged> {
  if (change.request.diff === '') return { answer: unchangedAnswer(), score: null, server: null };
  const { signal, release } = onInterrupt();
  try {
    if (local === null) return await judgeByService(change, values, settings, signal);
    const record = await local.analyze(change, signal);
    return { answer: answerOf(record), score: record.score, server: null };
  } finally {
    release();
  }
}

async function judgeByService(
  change: Change,
  values: Values,
  settings: ClientSettings,
  signal: AbortSignal,
): Promise<Judged> {
  const { server = '' } = values;
  const token = values.token ?? settings.token;
  const client = createServiceClient({ baseUrl: server, token, connections: 1 });
  try {
    const answer = await submit(client, change.request, values.wait === true, signal);
    // The answer does not say what the score is made of; the RFC does.
    const score =
      readFormat(values) !== 'human' ? null : await readScore(client, answer.rfc_id, signal);
    return { answer, score, server };
  } finally {
    client.close();
  }
}

async function submit(
  client: ServiceClient,
  request: AnalyzeRequest,
  mayWait: boolean,
  signal: AbortSignal,
): Promise<AnalyzeAnswer> {
  const body = Buffer.from(JSON.stringify(request));
  if (body.length > CLI.DIFF_BYTES_MAX) {
    const size = `${body.length} bytes as JSON`;
    const message = `the change is ${size}; a service takes ${CLI.DIFF_BYTES_MAX}`;
    throw new CraError('OUT_OF_RANGE', message);
  }
  let answer = readAnswer(await client.analyze(body, signal));
  const deadline = performance.now() + CLI.DRAFT_WAIT_MS;
  while (mayWait && !isTerminal(answer.overall_status) && performance.now() < deadline) {
    answer = readAnswer(await client.rfc(answer.rfc_id, CLI.POLL_SECONDS, signal));
  }
  return answer;
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

function readAnswer({ data, error }: ServiceReply): AnalyzeAnswer {
  if (error !== null) throw new CraError('FAILED_PRECONDITION', `the service says ${error}`);
  if (isAnswer(data)) return answerOf(data);
  throw new CraError('UNKNOWN', 'the server did not answer like a cra service: check the address');
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
                     what the RFC says (default: what git says)
  --format FORMAT    human (default), json (the answer of POST /api/cra/analyze), sarif (SARIF
                     2.1.0, for code scanning) or rdjson (for reviewdog)
  --json             the same as --format json
SERVICE_RULES_PATH names a rules file to use instead of the built-in rules (not with --server).

Exit code: 0 the change is accepted, 1 it is blocked, 2 the command failed or the analysis has not
ended.

  git diff main... | cra analyze
  cra analyze --range origin/main..HEAD
  cra analyze --staged                       in .git/hooks/pre-commit
  cra analyze --range HEAD~1..HEAD --server http://127.0.0.1:3011 --wait --json
`;

/** The gates without a service; call `close` at the end. */
export interface LocalGates {
  /** Judges a change. Rejects when the rules are not in order. */
  analyze(change: Change, signal: AbortSignal): Promise<RfcRecord & AnalyzeAnswer>;
  close(): Promise<void>;
}

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
  const pool = startScanPool({
    threads,
    data: {
      fingerprintKey: randomBytes(KEY_BYTES),
      sealKey: randomBytes(KEY_BYTES),
      ownSecrets: NO_SECRETS,
      socketDir: sockets.path,
      keywords: readBuiltInKeywords(),
    },
    rules,
    // Parts that a lost thread or child could not judge are among the findings.
    onThreadLost: () => undefined,
    onChildExit: () => undefined,
  });
  return {
    analyze: async (change, signal) => analyze(change, pool, await rules, signal),
    async close() {
      await pool.close();
      sockets.remove();
    },
  };
}

async function analyze(
  { request, readFiles }: Change,
  { analysis }: ScanPool,
  rules: RulesSource,
  signal: AbortSignal,
): Promise<RfcRecord & AnalyzeAnswer> {
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
        analysis.analyze({ ...context, ...job, body, files, vcs_problem: null }, call),
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
function unchangedAnswer(): AnalyzeAnswer {
  const settings = readBuiltInRules().rules.pipeline;
  const stats = { files: 0, additions: 0, deletions: 0, bytes: 0 };
  const rfc_id = newRfcId(Date.now());
  const message = 'git finds no change to analyze';
  const none = plainFinding({ id: 'no-changes', gate: 'risk', severity: 'info', message });
  const llm = skippedGate('no_tier');
  const { gates } = judgeGates(rfc_id, [none], { risk: 0, ast: 0 }, settings, llm);
  return {
    rfc_id,
    diff_hash: createHash('sha256').digest('hex'),
    overall_status: 'PASSED',
    risk_score: 0,
    gates,
    stats,
  };
}
