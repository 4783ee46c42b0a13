import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { readServer, type ServerAddress } from '../daemon/config/reader.ts';
import { CraError } from '../model/errors.ts';
import {
  type Finding,
  type FlowStep,
  headlineOf,
  SEVERITIES,
  type Severity,
} from '../model/finding.ts';
import type { NextStep } from '../model/next-steps.ts';
import { findingsOf, type Outcome, type RfcRecord } from '../model/records.ts';
import { type GateResult, type RfcStatus, type ScoreParts, STATUSES } from '../model/rfc.ts';
import { adviceFor, parseEnvelope, type Refusal, refusalText, whyNoAnswer } from './no-answer.ts';
import type { AskedComponent } from './own-components.ts';
import { CLI, type Colour, type Paint, printable, readAll } from './terminal.ts';

/** What a service answered, refusals included. */
export interface ServiceReply {
  status: number;
  /** `data` of the envelope; null when the request failed. */
  data: unknown;
  /** Why there is no data, safe to print; null when there is. */
  error: string | null;
  /** Continues a list; null: it is not one, or this is its last page. */
  nextCursor: string | null;
  /** How often the request was sent again because of 503. */
  retries: number;
  /** From sending the request that was answered to the end of its answer. */
  latencyMs: number;
}

/** A running service. Every call throws UNAVAILABLE when no answer comes. */
export interface ServiceClient {
  /** Posts the JSON body of `analyze`. A 503 is tried again when the service says. */
  analyze(body: Buffer, signal: AbortSignal): Promise<ServiceReply>;
  /** Reads an RFC; with `waitSeconds` a DRAFT is answered when it is final or the time is over. */
  rfc(rfcId: string, waitSeconds: number, signal: AbortSignal): Promise<ServiceReply>;
  /** A page of `GET exceptions`. */
  exceptions(query: URLSearchParams, signal: AbortSignal): Promise<ServiceReply>;
  /** Tries a rules file on the newest `limit` RFCs; null: the number that the service takes. */
  tryRules(body: Buffer, limit: number | null, signal: AbortSignal): Promise<ServiceReply>;
  health(signal: AbortSignal): Promise<ServiceReply>;
  close(): void;
}

interface ServiceClientOptions {
  baseUrl: string;
  /** Empty when absent. */
  token: string;
  /** Connections that are kept open. */
  connections: number;
}

/** Creates the client of a service. Throws INVALID_ARGUMENT for an invalid address. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const address = readServer(options.baseUrl);
  const { base, socketPath } = address;
  const isTls = base.protocol === 'https:';
  const agent = new (isTls ? TlsAgent : Agent)({
    keepAlive: true,
    maxSockets: options.connections,
  });
  const authorization = options.token === '' ? {} : { authorization: `Bearer ${options.token}` };

  function send(path: string, body: Buffer | null, signal: AbortSignal): ClientRequest {
    const sent = (isTls ? tlsRequest : httpRequest)(new URL(path, base), {
      agent,
      ...(socketPath !== undefined && { socketPath }),
      method: body === null ? 'GET' : 'POST',
      headers: {
        ...authorization,
        ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
      },
      signal,
    });
    return sent.end(body ?? undefined);
  }

  /** One request and its reply; sent again at once when the connection had died in the pool. */
  async function once(path: string, body: Buffer | null, signal: AbortSignal): Promise<RawReply> {
    for (;;) {
      const sent = send(path, body, signal);
      const late = setTimeout(() => sent.destroy(new Error(TIMEOUT)), CLI.HTTP_TIMEOUT_MS);
      let message: IncomingMessage | null = null;
      try {
        message = await replyTo(sent);
        return { message, bytes: await readAll(message, CLI.REPLY_BYTES_MAX, 'the reply') };
      } catch (thrown) {
        if (message !== null || !isStale(sent, thrown)) throw unreachable(address, thrown, signal);
      } finally {
        clearTimeout(late);
      }
    }
  }

  async function call(
    path: string,
    body: Buffer | null,
    signal: AbortSignal,
  ): Promise<ServiceReply> {
    for (let retries = 0; ; retries += 1) {
      const start = performance.now();
      const { message, bytes } = await once(path, body, signal);
      const status = message.statusCode ?? 0;
      if (status === 503 && retries < CLI.RETRIES_MAX) {
        await pauseFor(retryAfterMs(message), signal);
        continue;
      }
      return {
        status,
        ...readEnvelope(message, bytes, (refusal) =>
          adviceFor(refusal, options.token !== '', address),
        ),
        retries,
        latencyMs: performance.now() - start,
      };
    }
  }

  return {
    analyze: (body, signal) => call('api/cra/analyze', body, signal),
    rfc(rfcId, waitSeconds, signal) {
      const wait = waitSeconds > 0 ? `?wait=${waitSeconds}` : '';
      return call(`api/cra/rfc/${encodeURIComponent(rfcId)}${wait}`, null, signal);
    },
    exceptions: (query, signal) => call(`api/cra/exceptions?${query}`, null, signal),
    tryRules(body, limit, signal) {
      const query = limit === null ? '' : `?limit=${limit}`;
      return call(`api/cra/rules/dry-run${query}`, body, signal);
    },
    health: (signal) => call('api/cra/health', null, signal),
    close: () => agent.destroy(),
  };
}

interface RawReply {
  message: IncomingMessage;
  bytes: Buffer;
}

const TIMEOUT = `no answer in ${CLI.HTTP_TIMEOUT_MS} ms`;

function replyTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('response', resolve);
    sent.on('error', reject);
  });
}

/** A server may close a kept connection just when it is used again: nothing was read by then. */
function isStale(sent: ClientRequest, thrown: unknown): boolean {
  return sent.reusedSocket && (thrown as NodeJS.ErrnoException).code === 'ECONNRESET';
}

function unreachable(address: ServerAddress, thrown: unknown, signal: AbortSignal): CraError {
  if (thrown instanceof CraError) return thrown;
  if (signal.aborted) return new CraError('CANCELLED', 'interrupted', { cause: thrown });
  const { code, message: text } = thrown as NodeJS.ErrnoException;
  const why = printable(code ?? text);
  const message = `the service at ${address.shown} does not answer: ${whyNoAnswer(thrown, address)}`;
  return new CraError('UNAVAILABLE', message, { details: { why }, cause: thrown });
}

async function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await pause(ms, undefined, { signal });
  } catch (thrown) {
    throw new CraError('CANCELLED', 'interrupted', { cause: thrown });
  }
}

function retryAfterMs(message: IncomingMessage): number {
  const seconds = Number(message.headers['retry-after'] ?? 1);
  const isSane = Number.isFinite(seconds) && seconds >= 0;
  return 1000 * Math.min(isSane ? seconds : 1, CLI.RETRY_AFTER_SECONDS_MAX);
}

function readEnvelope(
  message: IncomingMessage,
  bytes: Buffer,
  advise: (refusal: Refusal) => string,
): Pick<ServiceReply, 'data' | 'error' | 'nextCursor'> {
  const { statusCode: status = 0 } = message;
  const envelope = parseEnvelope(bytes);
  const isGood = status >= 200 && status < 300 && envelope['ok'] === true;
  const cursor = envelope['next_cursor'];
  const nextCursor = typeof cursor === 'string' ? cursor : null;
  if (isGood) return { data: envelope['data'] ?? null, error: null, nextCursor };
  const error = `HTTP ${refusalText(message, bytes, advise)}`;
  return { data: null, error, nextCursor: null };
}

/** `data` of the analyze answer: what `--json` prints. */
export type AnalyzeAnswer = Pick<
  RfcRecord,
  'rfc_id' | 'diff_hash' | 'overall_status' | 'risk_score' | 'gates' | 'stats' | 'components'
> & { next_steps?: NextStep[] };

/** The answer's fields of a record, in the answer's order. */
export function answerOf(record: AnalyzeAnswer): AnalyzeAnswer {
  const { rfc_id, diff_hash, overall_status, risk_score, gates, stats } = record;
  const { components, next_steps } = record;
  return {
    rfc_id,
    diff_hash,
    overall_status,
    risk_score,
    gates,
    stats,
    ...(components === undefined ? {} : { components }),
    ...(next_steps === undefined ? {} : { next_steps }),
  };
}

/** Whether what a server sent can be read as an answer; it may be any server, of any version. */
export function isAnswer(data: unknown): data is AnalyzeAnswer {
  if (!isObject(data) || !isObject(data['gates']) || !isObject(data['stats'])) return false;
  const { gates, stats, components = [], next_steps: steps = [] } = data;
  return (
    typeof data['rfc_id'] === 'string' &&
    STATUSES.some((status) => status === data['overall_status']) &&
    typeof data['risk_score'] === 'number' &&
    [gates['risk'], gates['ast'], gates['llm']].every(isGate) &&
    [stats['files'], stats['additions'], stats['deletions']].every(Number.isFinite) &&
    Array.isArray(components) &&
    components.every(isComponent) &&
    Array.isArray(steps) &&
    steps.every(isStep)
  );
}

/** What happened to a change, as an exit code: 0 it may go on, 1 it may not, 2 nobody knows yet. */
export function exitCode(status: RfcStatus): 0 | 1 | 2 {
  if (status === 'PASSED' || status === 'APPROVED' || status === 'OVERRIDDEN') return 0;
  return status === 'DRAFT' ? 2 : 1;
}

function isGate(gate: unknown): boolean {
  if (!isObject(gate) || typeof gate['status'] !== 'string') return false;
  if (!isTextOrNull(gate['skip_reason'])) return false;
  return Array.isArray(gate['findings']) && gate['findings'].every(isFinding);
}

function isComponent(one: unknown): boolean {
  return isObject(one) && typeof one['id'] === 'string' && typeof one['status'] === 'string';
}

function isStep(step: unknown): boolean {
  if (!isObject(step) || typeof step['text'] !== 'string') return false;
  return ['paste', 'url'].every((name) => isTextOrNull(step[name] ?? null));
}

/** What a report shows of a finding; the rest may be anything. */
function isFinding(finding: unknown): boolean {
  if (!isObject(finding)) return false;
  const { line, column, suppressed, title = '', flow = [] } = finding;
  return (
    typeof title === 'string' &&
    Array.isArray(flow) &&
    flow.every(isFlowStep) &&
    ['id', 'severity', 'message'].every((name) => typeof finding[name] === 'string') &&
    ['file', 'excerpt', 'cwe', 'fix'].every((name) => isTextOrNull(finding[name])) &&
    [line, column].every((place) => place === null || Number.isInteger(place)) &&
    (suppressed === null || isSuppression(suppressed))
  );
}

function isFlowStep(step: unknown): boolean {
  if (!isObject(step) || typeof step['file'] !== 'string') return false;
  const { line } = step;
  return typeof step['what'] === 'string' && (line === null || Number.isInteger(line));
}

function isSuppression(value: unknown): boolean {
  return isObject(value) && typeof value['by'] === 'string' && typeof value['reason'] === 'string';
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the report shows beside the answer itself. */
interface ReportContext {
  score: ScoreParts | null;
  /** Where the RFC is kept; null when it is kept nowhere. */
  server: string | null;
  /** Only its findings are shown; null or absent: all are. */
  component?: AskedComponent | null;
}

const SEVERITY_COLOUR = {
  critical: 'red',
  high: 'red',
  medium: 'yellow',
  low: 'cyan',
  info: 'dim',
} as const satisfies Record<Severity, Colour>;

/**
 * An answer for people: verdict, score, gates, then the findings by file. Everything that comes
 * from the change or from a server is made printable.
 */
export function formatReport(
  answer: AnalyzeAnswer,
  { score, server, component = null }: ReportContext,
  paint: Paint,
): string {
  const { risk, ast, llm } = answer.gates;
  const all = [risk, ast, llm].flatMap((gate) => gate.findings);
  const findings = all.filter(({ file }) => component?.owns(file) !== false);
  const lines = [
    headline(answer, paint),
    ...(score === null ? [] : [`  why    ${score.factors.map(printable).join('; ')}`]),
    `  gates  ${gateText('risk', risk)}, ${gateText('ast', ast)}, ${gateText('llm', llm)}`,
  ];
  lines.push(...componentLines(answer));
  if (component !== null) {
    lines.push(askedLine(answer, component, all.length - findings.length));
  }
  if (server !== null) lines.push(`  rfc    ${printable(answer.rfc_id)} at ${printable(server)}`);
  if (answer.overall_status === 'DRAFT') {
    lines.push('  The analysis goes on in the service; --wait waits for its end.');
  }
  for (const [file, own] of byFile(findings)) {
    lines.push('', paint('bold', file === null ? '(the change as a whole)' : printable(file)));
    for (const finding of own) lines.push(...findingLines(finding, paint));
  }
  lines.push(...stepLines(answer, paint));
  return `${lines.join('\n')}\n`;
}

function headline(answer: AnalyzeAnswer, paint: Paint): string {
  const { overall_status: status, risk_score: score, stats } = answer;
  const { files, additions, deletions } = stats;
  const size = `${files} ${files === 1 ? 'file' : 'files'}, +${additions} -${deletions}`;
  return `${paint('bold', paint(statusColour(status), status))}  risk ${score}/100  (${size})`;
}

function statusColour(status: RfcStatus): Colour {
  return ({ 0: 'green', 1: 'red', 2: 'yellow' } as const)[exitCode(status)];
}

/** Those that do not pass come first. */
function componentLines({ components = [] }: AnalyzeAnswer): string[] {
  const sorted = [...components].sort((a, b) => exitCode(b.status) - exitCode(a.status));
  const shown = sorted.slice(0, CLI.LISTED_MAX).map(({ id, status }) => `${id} ${status}`);
  const left = sorted.length - shown.length;
  const more = left === 0 ? '' : `, and ${left} more`;
  return shown.length === 0 ? [] : [`  components  ${printable(shown.join(', '))}${more}`];
}

function askedLine(
  { components = [] }: AnalyzeAnswer,
  { id }: AskedComponent,
  leftOut: number,
): string {
  const own = components.find((one) => one.id === id);
  const what = own?.status ?? 'the change does not touch it';
  const count = `${leftOut} ${leftOut === 1 ? 'finding' : 'findings'} of other components`;
  return `  asked for  ${printable(id)}: ${what}${leftOut === 0 ? '' : ` (${count} not shown)`}`;
}

function gateText(name: string, { status, findings, skip_reason: reason }: GateResult): string {
  const why = reason === null ? '' : ` (${reason})`;
  const { length } = findings;
  const count = length === 0 ? '' : ` (${length} ${length === 1 ? 'finding' : 'findings'})`;
  return printable(`${name} ${status}${why}${count}`);
}

/** Findings by file, files in the order of their worst finding, what has no file first. */
function byFile(findings: readonly Finding[]): [string | null, Finding[]][] {
  const files = new Map<string | null, Finding[]>([[null, []]]);
  for (const finding of [...findings].sort((a, b) => rank(a) - rank(b))) {
    const own = files.get(finding.file);
    if (own === undefined) files.set(finding.file, [finding]);
    else own.push(finding);
  }
  return [...files].filter(([, own]) => own.length > 0);
}

/** A severity that a newer server may know comes last. */
function rank({ severity }: Finding): number {
  const found = SEVERITIES.indexOf(severity);
  return found < 0 ? SEVERITIES.length : found;
}

function findingLines(finding: Finding, paint: Paint): string[] {
  const { severity, suppressed, excerpt, fix, cwe, message, flow = [] } = finding;
  const level = paint(SEVERITY_COLOUR[severity] ?? 'bold', printable(severity).padEnd(8));
  const rule = printable(cwe === null ? finding.id : `${finding.id} (${cwe})`);
  const headline = headlineOf(finding);
  const lines = [`  ${place(finding).padEnd(9)} ${level} ${rule}: ${printable(headline)}`];
  if (message !== headline) lines.push(`${INDENT}${printable(message)}`);
  if (excerpt !== null) lines.push(paint('dim', `${INDENT}| ${printable(excerpt)}`));
  for (const step of flow) lines.push(`${INDENT}${stepLine(step, finding.file)}`);
  if (fix !== null) lines.push(`${INDENT}fix: ${printable(fix)}`);
  if (suppressed !== null) {
    const { by, reason } = suppressed;
    lines.push(`${INDENT}suppressed by ${printable(by)}: ${printable(reason)}`);
  }
  return lines;
}

/** `line 3: request parameter `dir``; with its file where that is another one. */
function stepLine({ file, line, what }: FlowStep, own: string | null): string {
  const place = line === null ? '' : `line ${line}`;
  const where = [file === own ? '' : file, place].filter((part) => part !== '').join(', ');
  return printable(where === '' ? what : `${where}: ${what}`);
}

function stepLines({ next_steps: steps = [] }: AnalyzeAnswer, paint: Paint): string[] {
  if (steps.length === 0) return [];
  const lines = ['', paint('bold', 'What you can do')];
  for (const { text, paste, url } of steps) {
    lines.push(`  - ${printable(text)}`);
    if (paste !== undefined) lines.push(`      ${printable(paste)}`);
    if (url !== undefined) lines.push(`      ${printable(url)}`);
  }
  return lines;
}

const INDENT = ' '.repeat(12);

function place({ line, column }: Finding): string {
  if (line === null) return '-';
  return column === null ? String(line) : `${line}:${column}`;
}

const SEVERITY = {
  critical: 'ERROR',
  high: 'ERROR',
  medium: 'WARNING',
  low: 'INFO',
  info: 'INFO',
} as const satisfies Record<Severity, string>;

/**
 * The findings of an analysis in reviewdog's `rdjson` (a DiagnosticResult of
 * github.com/reviewdog/reviewdog, proto/rdf/reviewdog.proto), for comments on a review. Left out
 * is what has no place to comment on, and what is suppressed: somebody has read and settled that.
 */
export function toRdjson(outcome: Outcome) {
  const diagnostics = findingsOf(outcome).flatMap((finding) => {
    const { file, suppressed } = finding;
    return file === null || suppressed !== null ? [] : [diagnosticOf(file, finding)];
  });
  return {
    source: { name: 'cra' },
    severity: outcome.overall_status === 'BLOCKED' ? 'ERROR' : 'INFO',
    diagnostics,
  };
}

function diagnosticOf(file: string, finding: Finding) {
  const { id, severity, message, fix, line } = finding;
  const headline = headlineOf(finding);
  const texts = [
    headline,
    ...(message === headline ? [] : [message]),
    ...(fix === null ? [] : [fix]),
  ];
  return {
    message: texts.join('\n\n'),
    location: { path: file, ...(line === null ? {} : { range: rangeOf(line, finding) }) },
    // A newer server may know more severities.
    severity: SEVERITY[severity] ?? 'WARNING',
    code: { value: id },
  };
}

/** Columns count bytes, as ours do. Without one the range is whole lines, its end included. */
function rangeOf(line: number, { end_line: endLine, column }: Finding) {
  if (endLine !== null && endLine > line) return { start: { line }, end: { line: endLine } };
  return { start: column === null ? { line } : { line, column } };
}
