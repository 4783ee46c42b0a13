import { type Agent, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { EVENTS } from './limits.ts';
import type { Message } from './message.ts';
import { isPrivateNumber, lookupPublic, PRIVATE } from './public-address.ts';
import type { Subscription } from './subscription.ts';

/** How a delivery ended. The reason is a sentence of ours: it quotes neither URL nor answer. */
export type Delivered =
  | { outcome: 'delivered' }
  /**
   * `failed`: may be tried again; `refused`: the same, and the receiver answers: it may take other
   * events; `gone`: the receiver wants no more of it (410).
   */
  | { outcome: 'failed' | 'refused' | 'gone'; reason: string; retryAfterMs: number };

export interface DeliverOptions {
  /** Keeps connections open between deliveries. */
  agent: Agent;
  signal: AbortSignal;
  nowMs: number;
  deadlineMs: number;
}

/**
 * Posts a message. Never rejects. Any answer of 200 to 299 is a delivery; redirects are not
 * followed, as they could lead anywhere. Without `allowPrivate` a connection is made to public
 * addresses alone: the address is checked that is connected to, not the name, so that a name which
 * changes between two look-ups (DNS rebinding) leads nowhere else.
 */
export function deliver(
  { url, allowPrivate }: Pick<Subscription, 'url' | 'allowPrivate'>,
  message: Message,
  { agent, signal, nowMs, deadlineMs }: DeliverOptions,
): Promise<Delivered> {
  const target = new URL(url);
  if (!allowPrivate && isPrivateNumber(target)) return Promise.resolve(failed(PRIVATE));
  return new Promise((resolve) => {
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const length = String(Buffer.byteLength(message.body));
    const outgoing = send(target, {
      method: 'POST',
      headers: { ...message.headers, 'content-length': length },
      agent,
      signal,
      ...(allowPrivate ? {} : { lookup: lookupPublic }),
    });
    const timer = setTimeout(() => {
      resolve(failed('no answer in time'));
      outgoing.destroy();
    }, deadlineMs);
    outgoing.on('close', () => clearTimeout(timer));
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve(failed(reasonOf(error))));
    outgoing.on('response', (response) => {
      const { statusCode = 0, headers } = response;
      resolve(answered(statusCode, headers['retry-after'], nowMs));
      // The rest is read so that the connection can be used again; it may be endless.
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > EVENTS.ANSWER_BYTES_MAX) outgoing.destroy();
      });
      response.on('error', () => outgoing.destroy());
    });
    outgoing.end(message.body);
  });
}

function failed(reason: string, retryAfterMs = 0): Delivered {
  return { outcome: 'failed', reason, retryAfterMs };
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (message === PRIVATE) return PRIVATE;
  return `not reached (${code ?? 'no connection'})`;
}

function answered(status: number, retryAfter: string | undefined, nowMs: number): Delivered {
  if (status >= 200 && status < 300) return { outcome: 'delivered' };
  const reason = `it answered ${status}`;
  if (status === 410) return { outcome: 'gone', reason, retryAfterMs: 0 };
  const waitMs = retryAfterMs(retryAfter, nowMs);
  if (REFUSALS.has(status) && waitMs === 0) return { outcome: 'refused', reason, retryAfterMs: 0 };
  return failed(reason, waitMs);
}

/** Answers about the request, not about the receiver (RFC 9110, 15.5). */
const REFUSALS: ReadonlySet<number> = new Set([400, 409, 413, 415, 422]);

/** RFC 9110, 10.2.3: seconds or a date. */
function retryAfterMs(value: string | undefined, nowMs: number): number {
  if (value === undefined) return 0;
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.min(EVENTS.RETRY_AFTER_MS_MAX, Math.max(0, ms)) : 0;
}
