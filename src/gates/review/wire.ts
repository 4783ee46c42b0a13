import { type Deadline, readUntil, startDeadline } from '../../core/deadline.ts';
import type { ReviewPrompt } from './prompt.ts';

/** Tokens of one call as the usage ledger counts them (specification, LLM usage tracking). */
export interface TokenUsage {
  /** Input that no cache served. */
  input: number;
  output: number;
  cacheWrite: number;
  cacheRead: number;
}

/** Why a call gave no answer, and what follows from it. */
export type CallError =
  /** Try this tier again later. */
  | 'rate_limited'
  | 'unavailable'
  | 'timeout'
  /** This tier stays off until its configuration or account changes. */
  | 'spent'
  | 'misconfigured'
  /** Another tier may do it. */
  | 'refused'
  | 'too_large'
  | 'truncated'
  | 'invalid_output'
  | 'cancelled';

/** What came of one call. Usage is null where the vendor reported none. */
export type CallOutcome =
  | { kind: 'answer'; text: string; usage: TokenUsage; model: string; requestId: string | null }
  | {
      kind: 'error';
      error: CallError;
      /** For logs: kind and status, never text of the vendor. */
      detail: string;
      retryAfterMs: number | null;
      usage: TokenUsage | null;
      /** As the vendor named it; null: it said nothing. */
      model: string | null;
      requestId: string | null;
    };

/** Where and how one tier is reached. */
export interface Endpoint {
  protocol: 'anthropic' | 'openai';
  baseUrl: string;
  auth: 'x-api-key' | 'bearer' | 'api-key' | 'none';
  /** Empty with `auth: none`. */
  key: string;
  model: string;
  effort: string | null;
  maxOutputTokens: number;
  timeoutMs: number;
  /** `strict`: the server holds the model to the schema; `prompt`: the prompt alone asks for it. */
  schema: 'strict' | 'prompt';
  /** Keyed hash of the tenant: OpenAI can suspend the organization without one. */
  safetyId: string;
}

/** One request to a vendor, as its protocol wants it. */
export interface WireRequest {
  path: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
}

/** Collects the events of one streamed answer. */
export interface Collector {
  /** One `data:` payload. */
  event(data: Record<string, unknown>): void;
  /** After the last event. */
  end(requestId: string | null): CallOutcome;
}

/** A vendor's protocol: how to ask, how to read the stream, what its errors mean. */
export interface Protocol {
  request(endpoint: Endpoint, prompt: ReviewPrompt): WireRequest;
  collector(endpoint: Endpoint): Collector;
  /** The kind of an HTTP error, from its status and body. */
  classify(status: number, body: Record<string, unknown>): CallError;
  requestIdHeader: string;
}

const STALL_MS = 20_000;
const REPLY_BYTES_MAX = 4 * 1024 * 1024;
const ERROR_BYTES_MAX = 64 * 1024;
const RETRY_AFTER_MS_MAX = 10 * 60_000;

/**
 * Makes one call and reads its stream. Never throws, follows no redirect, reads no environment,
 * and ends within the timeout of the endpoint, or when no byte comes for 20 s.
 */
export async function callModel(
  protocol: Protocol,
  endpoint: Endpoint,
  prompt: ReviewPrompt,
  signal: AbortSignal,
  onFirstEvent: () => void = () => undefined,
): Promise<CallOutcome> {
  const limit = startDeadline(endpoint.timeoutMs, [signal]);
  const stall = startDeadline(STALL_MS, [limit.signal]);
  let requestId: string | null = null;
  const collector = protocol.collector(endpoint);
  try {
    const { path, headers, body } = protocol.request(endpoint, prompt);
    const response = await fetch(`${endpoint.baseUrl.replace(/\/+$/, '')}${path}`, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json', ...credential(endpoint), ...headers },
      body: JSON.stringify(body),
      signal: stall.signal,
    });
    requestId = response.headers.get(protocol.requestIdHeader);
    const bytes = bytesOf(response, stall);
    if (!response.ok) return await errorOf(protocol, bytes, response, requestId);
    let isFirst = true;
    const onData = (data: Record<string, unknown>) => {
      if (isFirst) onFirstEvent();
      isFirst = false;
      collector.event(data);
    };
    await readEvents(bytes, onData);
    return collector.end(requestId);
  } catch (thrown) {
    if (signal.aborted) return failed('cancelled', 'cancelled', requestId);
    if (stall.signal.aborted) return failed('timeout', 'no answer', requestId);
    if (thrown instanceof TooLarge) return failed('invalid_output', 'answer too large', requestId);
    const { cause } = thrown as { cause?: { code?: string } };
    return failed('unavailable', cause?.code ?? 'connection broke', requestId);
  } finally {
    stall.clear();
    limit.clear();
  }
}

function credential({ auth, key }: Endpoint): Record<string, string> {
  if (auth === 'none') return {};
  return auth === 'bearer' ? { authorization: `Bearer ${key}` } : { [auth]: key };
}

class TooLarge extends Error {}

/** The body until the deadline, which begins anew with each part. */
async function* bytesOf(response: Response, stall: Deadline): AsyncGenerator<Uint8Array> {
  for await (const chunk of readUntil(response, stall.signal)) {
    stall.restart();
    yield chunk;
  }
}

/** Server-sent events (HTML Standard, 9.2): only `data:` lines matter to both protocols. */
async function readEvents(
  body: AsyncIterable<Uint8Array>,
  onData: (data: Record<string, unknown>) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let rest = '';
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > REPLY_BYTES_MAX) throw new TooLarge();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!line.startsWith('data:')) continue;
      const text = line.slice('data:'.length).trim();
      if (text !== '[DONE]') onData(parse(text));
    }
  }
}

async function errorOf(
  protocol: Protocol,
  body: AsyncIterable<Uint8Array>,
  response: Response,
  requestId: string | null,
): Promise<CallOutcome> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > ERROR_BYTES_MAX) break;
    chunks.push(chunk);
  }
  const error = protocol.classify(response.status, parse(Buffer.concat(chunks).toString('utf8')));
  const retryAfterMs = retryAfter(response.headers.get('retry-after'));
  return { ...failed(error, `HTTP ${response.status}`, requestId), retryAfterMs };
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function retryAfter(value: string | null): number | null {
  if (value === null) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), RETRY_AFTER_MS_MAX) : null;
}

/** A call without an answer. */
export function failed(
  error: CallError,
  detail: string,
  requestId: string | null,
  said: { usage: TokenUsage | null; model: string | null } = { usage: null, model: null },
): Extract<CallOutcome, { kind: 'error' }> {
  return { kind: 'error', error, detail, retryAfterMs: null, ...said, requestId };
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A count in an answer of a vendor; 0 for anything odd. */
export function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** An object in an answer of a vendor; empty for anything else. */
export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
