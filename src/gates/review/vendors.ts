import { type Deadline, readUntil, startDeadline } from '../../core/deadline.ts';
import { ANSWER_SCHEMA } from './answer.ts';
import type { ReviewPrompt } from './prompt.ts';

/** From this version on, sampling parameters are refused, so none is ever sent. */
const API_VERSION = '2026-10-21';

/** Anthropic Messages, also spoken by Bedrock and Foundry under other base addresses. */
export const ANTHROPIC: Protocol = {
  requestIdHeader: 'request-id',
  request: (endpoint, prompt) => ({
    path: '/v1/messages',
    headers: { 'anthropic-version': API_VERSION },
    body: {
      model: endpoint.model,
      max_tokens: endpoint.maxOutputTokens,
      stream: true,
      system: [{ type: 'text', text: prompt.system, cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: prompt.user }],
      ...outputOf(endpoint),
    },
  }),
  collector: anthropicCollector,
  classify(status, body): CallError {
    const error = record(body['error']);
    const code = record(error['details'])['error_code'];
    if (code === 'enforced_spend_limit_reached' || status === 402) return 'spent';
    if (status === 401 || status === 403 || status === 404) return 'misconfigured';
    if (status === 413) return 'too_large';
    // The two have no code of their own.
    const { message } = error;
    if (status === 400 && typeof message === 'string') {
      if (message.includes('content filtering policy')) return 'refused';
      if (message.includes('prompt is too long')) return 'too_large';
    }
    if (status === 429) return 'rate_limited';
    if (status >= 500 || status === 408) return 'unavailable';
    return 'misconfigured';
  },
};

function outputOf({ effort, schema }: Endpoint): Record<string, unknown> {
  const format = schema === 'strict' ? { type: 'json_schema', schema: ANSWER_SCHEMA } : null;
  if (effort === null && format === null) return {};
  return {
    output_config: { ...(effort !== null && { effort }), ...(format !== null && { format }) },
  };
}

/** The first event carries the usage of the input, `message_delta` that of the output. */
function anthropicCollector(endpoint: Endpoint): Collector {
  const usage: TokenUsage = { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 };
  let text = '';
  let model = endpoint.model;
  let stop: unknown = null;
  let hasUsage = false;
  let error: CallError | null = null;
  return {
    event(data) {
      if (data['type'] === 'message_start') {
        const message = record(data['message']);
        const given = record(message['usage']);
        usage.input = count(given['input_tokens']);
        usage.cacheWrite = count(given['cache_creation_input_tokens']);
        usage.cacheRead = count(given['cache_read_input_tokens']);
        usage.output = count(given['output_tokens']);
        hasUsage = true;
        if (typeof message['model'] === 'string') model = message['model'];
      } else if (data['type'] === 'content_block_delta') {
        const { text: more } = record(data['delta']) as { text?: unknown };
        if (typeof more === 'string') text += more;
      } else if (data['type'] === 'message_delta') {
        stop = record(data['delta'])['stop_reason'] ?? stop;
        usage.output = count(record(data['usage'])['output_tokens']) || usage.output;
      } else if (data['type'] === 'error') {
        const isBusy = record(data['error'])['type'] === 'rate_limit_error';
        error = isBusy ? 'rate_limited' : 'unavailable';
      }
    },
    end(requestId) {
      const known = hasUsage ? { usage, model } : undefined;
      if (error !== null) return failed(error, 'error event', requestId, known);
      if (stop === 'refusal') return failed('refused', 'refusal', requestId, known);
      if (stop === 'max_tokens') return failed('truncated', 'max_tokens', requestId, known);
      if (stop === 'model_context_window_exceeded') {
        return failed('truncated', 'context window', requestId, known);
      }
      if (stop === null) return failed('unavailable', 'stream was cut', requestId, known);
      // A text can make a model call a tool or pause: to ask again would be to try one's luck.
      if (stop !== 'end_turn') return failed('invalid_output', 'other stop', requestId, known);
      return { kind: 'answer', text, usage, model, requestId };
    },
  };
}

/** Codes of an account without money: to ask again cannot help. */
const SPENT = new Set([
  'credit_balance_exhausted',
  'insufficient_quota',
  'project_spend_limit_exceeded',
  'organization_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
]);

/** Codes by which vendors and gateways refuse a text, and call it too long. */
const REFUSED = new Set([
  ...['cyber_policy', 'content_filter', 'content_policy_violation', 'invalid_prompt'],
  'ResponsibleAIPolicyViolation',
]);
const LARGE = new Set(['context_length_exceeded', 'string_above_max_length']);

/** OpenAI Chat Completions, also spoken by vLLM, llama.cpp, Ollama, Azure and gateways. */
export const OPENAI: Protocol = {
  requestIdHeader: 'x-request-id',
  request: (endpoint, prompt) => ({
    path: '/v1/chat/completions',
    headers: {},
    body: {
      model: endpoint.model,
      max_completion_tokens: endpoint.maxOutputTokens,
      stream: true,
      stream_options: { include_usage: true },
      store: false,
      safety_identifier: endpoint.safetyId,
      messages: [
        { role: 'system', content: prompt.system },
        { role: 'user', content: prompt.user },
      ],
      ...(endpoint.effort !== null && { reasoning_effort: endpoint.effort }),
      ...(endpoint.schema === 'strict' && {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'review', strict: true, schema: ANSWER_SCHEMA },
        },
      }),
    },
  }),
  collector: openaiCollector,
  classify(status, body): CallError {
    const { code } = record(body['error']);
    if (typeof code === 'string' && SPENT.has(code)) return 'spent';
    if (status === 413 || (typeof code === 'string' && LARGE.has(code))) return 'too_large';
    if (typeof code === 'string' && REFUSED.has(code)) return 'refused';
    if (status === 402) return 'spent';
    if (status === 429) return 'rate_limited';
    if (status >= 500 || status === 408) return 'unavailable';
    return 'misconfigured';
  },
};

/** Ends by which servers and gateways say that they gave up the call, whatever its text was. */
const GIVEN_UP: ReadonlySet<unknown> = new Set(['abort', 'error']);

/** The last event carries the usage; `prompt_tokens` includes what a cache served. */
function openaiCollector(endpoint: Endpoint): Collector {
  let text = '';
  let model = endpoint.model;
  let stop: unknown = null;
  let usage: TokenUsage | null = null;
  let isRefused = false;
  let hasError = false;
  return {
    event(data) {
      if (typeof data['model'] === 'string') model = data['model'];
      if (data['error'] !== undefined) hasError = true;
      const choice = record(Array.isArray(data['choices']) ? data['choices'][0] : null);
      const delta = record(choice['delta']);
      if (typeof delta['content'] === 'string') text += delta['content'];
      if (typeof delta['refusal'] === 'string' && delta['refusal'] !== '') isRefused = true;
      stop = choice['finish_reason'] ?? stop;
      const given = data['usage'];
      if (typeof given === 'object' && given !== null) usage = usageOf(record(given));
    },
    end(requestId) {
      const said = { usage, model };
      if (hasError) return failed('unavailable', 'error event', requestId, said);
      if (isRefused || stop === 'content_filter') {
        return failed('refused', 'refusal', requestId, said);
      }
      if (stop === 'length') return failed('truncated', 'length', requestId, said);
      if (stop === null) return failed('unavailable', 'stream was cut', requestId, said);
      if (GIVEN_UP.has(stop)) return failed('unavailable', 'given up', requestId, said);
      // A text can make a model call a tool: to ask again would be to try one's luck.
      if (stop !== 'stop') return failed('invalid_output', 'other stop', requestId, said);
      if (usage === null) return failed('invalid_output', 'no usage reported', requestId, said);
      return { kind: 'answer', text, usage, model, requestId };
    },
  };
}

function usageOf(given: Record<string, unknown>): TokenUsage {
  const details = record(given['prompt_tokens_details']);
  const cacheRead = count(details['cached_tokens']);
  const cacheWrite = count(details['cache_write_tokens']);
  const input = Math.max(0, count(given['prompt_tokens']) - cacheRead - cacheWrite);
  return { input, output: count(given['completion_tokens']), cacheRead, cacheWrite };
}

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
interface WireRequest {
  path: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
}

/** Collects the events of one streamed answer. */
interface Collector {
  /** One `data:` payload. */
  event(data: Record<string, unknown>): void;
  /** After the last event. */
  end(requestId: string | null): CallOutcome;
}

/** A vendor's protocol: how to ask, how to read the stream, what its errors mean. */
interface Protocol {
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

/** The body until the deadline, which starts again with each part. */
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
function failed(
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
function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** An object in an answer of a vendor; empty for anything else. */
function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
