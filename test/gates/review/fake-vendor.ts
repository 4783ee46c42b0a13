import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Teardown } from '../../daemon.ts';

/** What the fake does with one request. */
export type Script =
  /** Reads the data and answers with these findings. */
  | {
      kind: 'answer';
      findings?: unknown[];
      over?: Record<string, unknown>;
      model?: string;
      /** Answers when this has resolved. */
      after?: Promise<unknown>;
      /** Waits so before each event of the stream. */
      pause?: () => Promise<unknown>;
    }
  /** Answers with this text instead of JSON made from the data. */
  | { kind: 'text'; text: string; pause?: () => Promise<unknown> }
  | { kind: 'http'; status: number; body?: unknown; headers?: Record<string, string> }
  | { kind: 'stop'; reason: string }
  /** The connection ends in the middle of the stream. */
  | { kind: 'cut' }
  | { kind: 'hang' }
  | { kind: 'error-event' }
  /** Counts fewer tokens than it was sent, as servers do that clip the prompt. */
  | { kind: 'clip' };

/** What one request cost, by the vendor's own count. */
export interface Billed {
  /** Its place in `requests`, and in the id of the request. */
  request: number;
  protocol: 'anthropic' | 'openai';
  input: number;
  output: number;
  cacheWrite: number;
  cacheRead: number;
}

/** A vendor of both protocols, with strict checks of what it is sent and a bill of its own. */
export interface FakeVendor {
  url: string;
  requests: { protocol: Billed['protocol']; system: string; user: string; body: unknown }[];
  bill: Billed[];
  /** Decides about each request; the default reads the data and finds nothing. */
  script: (user: string, index: number) => Script;
  /** Requests whose connection is still there. */
  openRequests(): number;
}

const REFUSED_FIELDS = ['temperature', 'top_p', 'top_k', 'seed'];
const CHARS_PER_TOKEN = 3.6;

/** Starts the fake on loopback; it ends with the test. */
export async function startFakeVendor(t: Teardown): Promise<FakeVendor> {
  let open = 0;
  const vendor: FakeVendor = {
    url: '',
    requests: [],
    bill: [],
    script: () => ({ kind: 'answer' }),
    openRequests: () => open,
  };
  const server = createServer((request, response) => {
    open += 1;
    response.on('close', () => {
      open -= 1;
    });
    serve(vendor, request, response).catch((error: Error) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error: { type: 'invalid_request_error', message: error.message } }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  vendor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return vendor;
}

async function serve(vendor: FakeVendor, request: IncomingMessage, response: ServerResponse) {
  const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
  const protocol = request.url === '/v1/messages' ? 'anthropic' : 'openai';
  if (protocol === 'openai' && request.url !== '/v1/chat/completions') throw new Error('no path');
  const { system, user } = check(protocol, request, body);
  const index = vendor.requests.push({ protocol, system, user, body }) - 1;
  const script = vendor.script(user, index);
  if (script.kind === 'hang') return;
  if (script.kind === 'answer') await script.after;
  if (script.kind === 'http') {
    response.writeHead(script.status, { 'content-type': 'application/json', ...script.headers });
    response.end(JSON.stringify(script.body ?? { error: { message: 'scripted' } }));
    return;
  }
  const text = script.kind === 'text' ? script.text : JSON.stringify(answerOf(user, script));
  const tokens =
    script.kind === 'clip' ? 40 : Math.ceil((system.length + user.length) / CHARS_PER_TOKEN);
  const hasCache = protocol === 'anthropic' && script.kind !== 'clip';
  const cacheRead = hasCache && index > 0 ? 900 : 0;
  const cacheWrite = hasCache && index === 0 ? 900 : 0;
  const output = script.kind === 'cut' ? 3 : Math.ceil(text.length / CHARS_PER_TOKEN);
  const input = Math.max(1, tokens - cacheRead - cacheWrite);
  vendor.bill.push({ request: index, protocol, input, output, cacheRead, cacheWrite });
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    [protocol === 'anthropic' ? 'request-id' : 'x-request-id']: `req-${index}`,
  });
  const usage = { input, output, cacheRead, cacheWrite };
  const events = protocol === 'anthropic' ? messages : completions;
  for (const event of events(text, script, usage)) {
    if ('pause' in script) await script.pause?.();
    if (event === 'cut') return void response.destroy();
    const data = event as { type?: string };
    if (protocol === 'anthropic') response.write(`event: ${data.type}\n`);
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(protocol === 'openai' ? 'data: [DONE]\n\n' : undefined);
}

/** What the vendors check, as their SDKs' types and documentation say. */
function check(
  protocol: Billed['protocol'],
  request: IncomingMessage,
  body: Record<string, unknown>,
) {
  for (const field of REFUSED_FIELDS) {
    if (body[field] !== undefined) throw new Error(`${field} is not supported`);
  }
  if (typeof body['model'] !== 'string') throw new Error('model is missing');
  if (protocol === 'anthropic') {
    if (request.headers['anthropic-version'] === undefined) throw new Error('no version');
    if (!Number.isInteger(body['max_tokens'])) throw new Error('max_tokens is missing');
    const [system] = body['system'] as { text: string }[];
    const [message] = body['messages'] as { content: string }[];
    return { system: system?.text ?? '', user: message?.content ?? '' };
  }
  if (body['max_tokens'] !== undefined) throw new Error('use max_completion_tokens');
  const [system, user] = body['messages'] as { content: string }[];
  return { system: system?.content ?? '', user: user?.content ?? '' };
}

/** Reads the data as an honest model would: receipts, files, and what the script found. */
function answerOf(user: string, script: Script): Record<string, unknown> {
  const receipt = (name: string) => new RegExp(`^${name} (\\w+)$`, 'm').exec(user)?.[1];
  const files = [...user.matchAll(/^file (\d+): /gm)].map(([, number]) => Number(number));
  const { findings = [], over = {} } = script.kind === 'answer' ? script : {};
  return {
    receipt_start: receipt('receipt_start'),
    receipt_end: receipt('receipt_end'),
    files,
    findings,
    ...over,
  };
}

type Usage = Omit<Billed, 'protocol' | 'request'>;

function* messages(text: string, script: Script, usage: Usage) {
  const model = script.kind === 'answer' ? (script.model ?? 'fake-model-1') : 'fake-model-1';
  yield {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: usage.input,
        cache_creation_input_tokens: usage.cacheWrite,
        cache_read_input_tokens: usage.cacheRead,
        output_tokens: 1,
      },
    },
  };
  if (script.kind === 'error-event') {
    yield { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    return;
  }
  yield { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
  const half = Math.ceil(text.length / 2);
  yield {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: text.slice(0, half) },
  };
  if (script.kind === 'cut') yield 'cut';
  yield {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: text.slice(half) },
  };
  yield { type: 'content_block_stop', index: 0 };
  const stop_reason = script.kind === 'stop' ? script.reason : 'end_turn';
  yield {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: usage.output },
  };
  yield { type: 'message_stop' };
}

function* completions(text: string, script: Script, usage: Usage) {
  const common = { id: 'c-1', object: 'chat.completion.chunk', created: 1, model: 'fake-model-1' };
  const delta = (content: string) => ({
    ...common,
    choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }],
  });
  if (script.kind === 'error-event') {
    yield { error: { message: 'overloaded' } };
    return;
  }
  const half = Math.ceil(text.length / 2);
  yield delta(text.slice(0, half));
  if (script.kind === 'cut') yield 'cut';
  yield delta(text.slice(half));
  const finish_reason = script.kind === 'stop' ? script.reason : 'stop';
  yield { ...common, choices: [{ index: 0, delta: {}, finish_reason }] };
  yield {
    ...common,
    choices: [],
    usage: {
      prompt_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
      completion_tokens: usage.output,
      prompt_tokens_details: {
        cached_tokens: usage.cacheRead,
        cache_write_tokens: usage.cacheWrite,
      },
    },
  };
}
