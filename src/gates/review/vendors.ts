import { ANSWER_SCHEMA } from './answer.ts';
import {
  type CallError,
  type Collector,
  count,
  type Endpoint,
  failed,
  type Protocol,
  record,
  type TokenUsage,
} from './wire.ts';

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
      if (stop !== 'end_turn') return failed('unavailable', 'stream was cut', requestId, known);
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
    if (code === 'context_length_exceeded' || status === 413) return 'too_large';
    if (code === 'cyber_policy' || code === 'content_filter') return 'refused';
    if (status === 402) return 'spent';
    if (status === 429) return 'rate_limited';
    if (status >= 500 || status === 408) return 'unavailable';
    return 'misconfigured';
  },
};

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
      if (stop !== 'stop') return failed('unavailable', 'stream was cut', requestId, said);
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
