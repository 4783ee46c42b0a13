import { AUTH } from '../limits.ts';

/**
 * Fetches one JSON document of an issuer. Rejects with an Error whose message is a reason for the
 * log: nothing of what was received is in it.
 */
export async function fetchDocument(url: URL): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetchBounded(url, { headers: { Accept: 'application/json' } });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  const document = parse(await response.text());
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new Error('the document is no JSON object');
  }
  return document as Readonly<Record<string, unknown>>;
}

/**
 * `fetch` whose answer is there as a whole. Redirects are not followed, as they could lead to
 * plain http; what is large or slow is cut off, with an Error as above.
 */
export async function fetchBounded(url: URL, init: RequestInit): Promise<Response> {
  const signal = AbortSignal.timeout(AUTH.ISSUER_TIMEOUT_MS);
  const response = await fetch(url, { ...init, signal, redirect: 'error' }).catch((thrown) => {
    throw new Error(signal.aborted ? 'no answer in time' : reachProblem(thrown));
  });
  const { status, headers, body } = response;
  // Node's types have two kinds of streams for one.
  const stream = body as AsyncIterable<Uint8Array> | null;
  return new Response(stream === null ? null : await readBytes(stream, signal), {
    status,
    headers,
  });
}

/** System error codes such as ECONNREFUSED; never a message, which may show content. */
function reachProblem(thrown: unknown): string {
  const code = (thrown as { cause?: { code?: unknown } } | null)?.cause?.code;
  return `not reached (${typeof code === 'string' ? code : 'no connection'})`;
}

async function readBytes(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > AUTH.ISSUER_DOCUMENT_BYTES_MAX) break;
      chunks.push(chunk);
    }
  } catch {
    throw new Error(signal.aborted ? 'no complete answer in time' : 'the answer broke off');
  }
  if (bytes > AUTH.ISSUER_DOCUMENT_BYTES_MAX) throw new Error('the document is too large');
  return Buffer.concat(chunks);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the document is no JSON');
  }
}
