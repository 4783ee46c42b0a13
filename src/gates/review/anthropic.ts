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
  collector,
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
function collector(endpoint: Endpoint): Collector {
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
