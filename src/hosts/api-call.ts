import { COMMIT_STATUS } from '../limits.ts';
import type { ApiAnswer } from './provider.ts';

export interface ApiCall {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body: unknown;
  deadlineMs: number;
  signal: AbortSignal;
}

/** The answer, or why there is none, in a sentence that holds nothing of what was sent or got. */
export type ApiResult = { answer: ApiAnswer } | { problem: string };

/**
 * Posts to the API of a host. Never rejects. Redirects are not followed, as the token goes where
 * it belongs alone; they are answers like others (`redirect: 'error'` could not be told from a
 * host that is gone, and one renamed repository would hold up all others).
 */
export async function callApi(call: ApiCall): Promise<ApiResult> {
  const late = AbortSignal.timeout(call.deadlineMs);
  const signal = AbortSignal.any([late, call.signal]);
  try {
    const response = await fetch(call.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'cra', ...call.headers },
      body: JSON.stringify(call.body),
      redirect: 'manual',
      signal,
    });
    const { status, headers } = response;
    const json = parse(await readText(response));
    const { message } = (json ?? {}) as { message?: unknown };
    return { answer: { status, headers, json, message: wordsOf(message) } };
  } catch (thrown) {
    return { problem: late.aborted ? 'no answer in time' : reachProblem(thrown) };
  }
}

/** System error codes such as ECONNREFUSED; never a message, which may show content. */
function reachProblem(thrown: unknown): string {
  const code = (thrown as { cause?: { code?: unknown } } | null)?.cause?.code;
  return `not reached (${typeof code === 'string' ? code : 'no connection'})`;
}

/** What a body holds; empty when it is too large. */
async function readText(response: Response): Promise<string> {
  // Node's types have two kinds of streams for one.
  const stream = response.body as AsyncIterable<Uint8Array> | null;
  if (stream === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    // Leaving the loop cancels the rest.
    if (bytes > COMMIT_STATUS.ANSWER_BYTES_MAX) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** GitLab says what is wrong as a text, an object of texts, or a list. */
function wordsOf(message: unknown): string {
  if (message === undefined) return '';
  return typeof message === 'string' ? message : JSON.stringify(message);
}
