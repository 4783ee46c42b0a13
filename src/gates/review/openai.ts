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
  collector,
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
function collector(endpoint: Endpoint): Collector {
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
