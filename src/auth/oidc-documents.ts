import { AUTH } from '../limits.ts';

/**
 * Fetches one JSON document of an issuer. Rejects with an Error whose message is a reason for the
 * log: nothing of what was received is in it. Redirects are not followed, as they could lead to
 * plain http; what is large or slow is cut off.
 */
export async function fetchDocument(url: URL): Promise<Readonly<Record<string, unknown>>> {
  const signal = AbortSignal.timeout(AUTH.ISSUER_TIMEOUT_MS);
  const headers = { Accept: 'application/json' };
  const response = await fetch(url, { signal, headers, redirect: 'error' }).catch((thrown) => {
    throw new Error(signal.aborted ? 'no answer in time' : reachProblem(thrown));
  });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new Error(`status ${response.status}`);
  }
  const text = await readText(response.body, signal);
  const document = parse(text);
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new Error('the document is no JSON object');
  }
  return document as Readonly<Record<string, unknown>>;
}

/** System error codes such as ECONNREFUSED; never a message, which may show content. */
function reachProblem(thrown: unknown): string {
  const code = (thrown as { cause?: { code?: unknown } } | null)?.cause?.code;
  return `not reached (${typeof code === 'string' ? code : 'no connection'})`;
}

async function readText(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<string> {
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
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the document is no JSON');
  }
}
