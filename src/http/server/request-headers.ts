import { isIP } from 'node:net';
import { CraError } from '../../model/errors.ts';
import { badFraming, headerGivenTwice } from './reply.ts';

/** The headers that the service reads; absent ones are empty. */
export interface RequestHeaders {
  authorization: string;
  apiKey: string;
  overrideToken: string;
  cookies: string;
  /** The name and port that the client asked for. */
  host: string;
  /** One of the headers with a credential came more than once; only the first is here. */
  isCredentialRepeated: boolean;
  idempotencyKey: string;
  ifMatch: string;
  /** X-CRA-Tenant: the tenant that a token reads. */
  tenant: string;
  /** X-CRA-Background: a page sent it by itself, nobody is using it. */
  background: string;
  ifNoneMatch: string;
  accept: string;
  acceptEncoding: string;
  contentLength: string;
  transferEncoding: string;
  contentType: string;
  /** Of browsers: the site that the request comes from. */
  origin: string;
  fetchSite: string;
  /** W3C Trace Context; empty as well when it came more than once. */
  traceparent: string;
}

/** Lists every header, as often as it came, with its name in lower case. */
interface HeaderSource {
  forEach(onHeader: (name: string, value: string) => void): void;
}

interface Field {
  name: Exclude<keyof RequestHeaders, 'isCredentialRepeated'>;
  /** Of its own. */
  bit: number;
}

const NAMES = [
  ['authorization', 'authorization'],
  ['x-api-key', 'apiKey'],
  ['x-cra-override-token', 'overrideToken'],
  ['cookie', 'cookies'],
  ['host', 'host'],
  ['idempotency-key', 'idempotencyKey'],
  ['if-match', 'ifMatch'],
  ['x-cra-tenant', 'tenant'],
  ['x-cra-background', 'background'],
  ['if-none-match', 'ifNoneMatch'],
  ['accept', 'accept'],
  ['accept-encoding', 'acceptEncoding'],
  ['content-length', 'contentLength'],
  ['transfer-encoding', 'transferEncoding'],
  ['content-type', 'contentType'],
  ['origin', 'origin'],
  ['sec-fetch-site', 'fetchSite'],
  ['traceparent', 'traceparent'],
] as const satisfies readonly (readonly [string, Field['name']])[];

const FIELDS: ReadonlyMap<string, Field> = new Map(
  NAMES.map(([header, name], index) => [header, { name, bit: 1 << index }]),
);

const CREDENTIALS =
  bitOf('authorization') | bitOf('x-api-key') | bitOf('x-cra-override-token') | bitOf('cookie');
const CONTENT_LENGTH = bitOf('content-length');
const TRANSFER_ENCODING = bitOf('transfer-encoding');
const CHUNKED = /^chunked$/i;
const HOST = bitOf('host');
const IDEMPOTENCY_KEY = bitOf('idempotency-key');
const ACCEPT = bitOf('accept');
const TRACEPARENT = bitOf('traceparent');

/**
 * Copies the headers in one walk and counts the bytes of all of them. Of a header that is repeated
 * it copies the first value; it throws 400 for a repeated header that may stand only once.
 */
export function readHeaders(source: HeaderSource): {
  headers: RequestHeaders;
  /** The last X-Forwarded-For; empty without one. */
  forwardedFor: string;
  bytes: number;
} {
  const headers = noHeaders();
  let forwardedFor = '';
  let bytes = 0;
  let seen = 0;
  let repeated = 0;
  source.forEach((name, value) => {
    bytes += name.length + value.length;
    const field = FIELDS.get(name);
    if (field === undefined) {
      if (name === 'x-forwarded-for') forwardedFor = value;
    } else if ((seen & field.bit) !== 0) {
      repeated |= field.bit;
      // A list may come in parts (RFC 9110, 5.3).
      if (field.bit === ACCEPT) headers.accept += `,${value}`;
    } else {
      seen |= field.bit;
      headers[field.name] = value;
    }
  });
  // A proxy in front of us might go by the other one.
  if ((repeated & CONTENT_LENGTH) !== 0) throw headerGivenTwice('Content-Length');
  if ((repeated & TRANSFER_ENCODING) !== 0) throw headerGivenTwice('Transfer-Encoding');
  // uWebSockets.js takes any value for `chunked`, and an empty length for 0.
  if ((seen & TRANSFER_ENCODING) !== 0 && !CHUNKED.test(headers.transferEncoding)) {
    throw badFraming('Transfer-Encoding must be "chunked"');
  }
  if ((seen & CONTENT_LENGTH) !== 0 && headers.contentLength === '') {
    throw badFraming('Content-Length is empty');
  }
  if ((repeated & HOST) !== 0) throw headerGivenTwice('Host');
  if ((repeated & IDEMPOTENCY_KEY) !== 0) {
    throw new CraError('INVALID_ARGUMENT', 'Idempotency-Key is given twice');
  }
  if ((repeated & TRACEPARENT) !== 0) headers.traceparent = '';
  headers.isCredentialRepeated = (repeated & CREDENTIALS) !== 0;
  return { headers, forwardedFor, bytes };
}

function noHeaders(): RequestHeaders {
  return {
    authorization: '',
    apiKey: '',
    overrideToken: '',
    cookies: '',
    host: '',
    isCredentialRepeated: false,
    idempotencyKey: '',
    ifMatch: '',
    tenant: '',
    background: '',
    ifNoneMatch: '',
    accept: '',
    acceptEncoding: '',
    contentLength: '',
    transferEncoding: '',
    contentType: '',
    origin: '',
    fetchSite: '',
    traceparent: '',
  };
}

function bitOf(header: (typeof NAMES)[number][0]): number {
  return FIELDS.get(header)?.bit ?? 0;
}

/**
 * The address of the client behind a proxy of ours: the last address in `X-Forwarded-For`,
 * which is what the nearest proxy saw; what stands before it, the client may have made up.
 * Without a usable one, the address that the connection came from.
 */
export function forwardedAddress(forwardedFor: string, remoteAddress: string): string {
  const last = forwardedFor.slice(forwardedFor.lastIndexOf(',') + 1).trim();
  const bare = /^\[(.+)\](?::\d+)?$/.exec(last)?.[1] ?? /^([\d.]+):\d+$/.exec(last)?.[1] ?? last;
  return isIP(bare) === 0 ? remoteAddress : plainAddress(bare);
}

/**
 * What stands for the address of clients of the Unix socket, in limits by address, logs and
 * the audit trail. No proxy of ours uses it: `X-Forwarded-For` means nothing there.
 */
export const UNIX_SOCKET = 'unix';

/**
 * An address as it is usually written: an IPv4 client of a socket for both families has one of
 * IPv6 (RFC 4291, 2.5.5.2), which uWebSockets.js writes out in full. Whatever counts by network
 * would take all of them for one.
 */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  const dotted = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  const [, high, low] = MAPPED.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  return [high, low].flatMap((pair) => [...Buffer.from(pair.padStart(4, '0'), 'hex')]).join('.');
}

const MAPPED = /^(?:(?:0{1,4}:){5}|::)ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i;

/** Names of a request in logs and exemplars. */
export interface RequestIds {
  /** As error answers name it. */
  request_id: string;
  /** Of the trace that its client belongs to; absent: the client named none. */
  trace_id?: string;
}

const TRACE_CONTEXT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const ZEROS = /^0+$/;

/**
 * The trace id in a `traceparent` (W3C Trace Context, 3.2 and 4.3); null where the header is
 * absent or not valid. Later versions may add fields; version ff is forbidden.
 */
export function traceIdOf(traceparent: string): string | null {
  const [, version, traceId = '', parentId = '', more] = TRACE_CONTEXT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff') return null;
  if (version === '00' && more !== undefined) return null;
  return ZEROS.test(traceId) || ZEROS.test(parentId) ? null : traceId;
}

/** The names of a request with this id. */
export function idsOf(request_id: string, headers: RequestHeaders | null): RequestIds {
  const trace_id = headers === null ? null : traceIdOf(headers.traceparent);
  return trace_id === null ? { request_id } : { request_id, trace_id };
}

/** An exemplar may have 128 characters in all (OpenMetrics 1.0, "Exemplars"). */
const PROXY_ID = /^[\w.:-]{1,64}$/;

/** The request id that a proxy of ours has given; anything but a short plain name is ignored. */
export function proxyIdOf(header: string): string | null {
  return PROXY_ID.test(header) ? header : null;
}

/** A representation that a resource has. */
export interface Offer {
  /** `type/subtype` in lower case. */
  type: string;
  /**
   * The values that each parameter of it may be asked for, in lower case; a range that asks for
   * another parameter or value does not fit.
   */
  parameters: Readonly<Record<string, readonly string[]>>;
}

interface Range {
  type: string;
  parameters: readonly (readonly [name: string, value: string])[];
  /** 0 to 1; 0: refused. */
  quality: number;
}

/** Ranges of one header that are read: the rest counts as absent. */
const RANGES_MAX = 64;

/**
 * The offer that an `Accept` header prefers (RFC 9110, 12.5.1): of each offer the most specific
 * range that fits says its quality; the highest wins, then the more specific range, then the
 * earlier offer. Without a header, and when none fits, the first one: better another
 * representation than no answer. Ranges that are malformed are left out.
 */
export function preferredOffer<First extends Offer, Other extends Offer>(
  accept: string,
  [first, ...others]: readonly [First, ...Other[]],
): First | Other {
  const ranges = accept.split(',', RANGES_MAX).flatMap(readRange);
  let best: First | Other = first;
  let bestRank: Rank = { quality: 0, specificity: 0 };
  for (const offer of [first, ...others]) {
    const rank = rankOf(offer, ranges);
    if (isHigher(rank, bestRank)) [best, bestRank] = [offer, rank];
  }
  return best;
}

interface Rank {
  quality: number;
  specificity: number;
}

function isHigher(one: Rank, other: Rank): boolean {
  if (one.quality !== other.quality) return one.quality > other.quality;
  return one.quality > 0 && one.specificity > other.specificity;
}

function rankOf(offer: Offer, ranges: readonly Range[]): Rank {
  let rank: Rank = { quality: 0, specificity: -1 };
  for (const range of ranges) {
    const specificity = specificityOf(range, offer);
    if (specificity === -1) continue;
    const { quality } = range;
    // The same range twice: the better word counts.
    const isBetter = specificity === rank.specificity && quality > rank.quality;
    if (specificity > rank.specificity || isBetter) rank = { quality, specificity };
  }
  return rank;
}

/** How closely a range names the offer; -1: it does not fit. */
function specificityOf({ type, parameters }: Range, offer: Offer): number {
  const fits = parameters.every(([name, value]) => offer.parameters[name]?.includes(value));
  if (!fits) return -1;
  if (type === '*/*') return 0;
  if (type.endsWith('/*')) return offer.type.startsWith(type.slice(0, -1)) ? 1 : -1;
  return type === offer.type ? 2 + parameters.length : -1;
}

const MEDIA_RANGE = /^(?:\*\/\*|[\w!#$%&'*+.^`|~-]+\/(?:\*|[\w!#$%&'*+.^`|~-]+))$/;
const PARAMETER = /^([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([\w!#$%&'*+.^`|~-]*))$/;
const QUALITY = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

function readRange(text: string): Range[] {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim().toLowerCase());
  if (!MEDIA_RANGE.test(type)) return [];
  const parameters: [string, string][] = [];
  for (const part of rest) {
    const [, name, quoted, plain] = PARAMETER.exec(part) ?? [];
    if (name === undefined) return [];
    const value = quoted ?? plain ?? '';
    if (name !== 'q') parameters.push([name, value]);
    // What follows the quality are extensions, which no longer exist (RFC 9110, 12.5.1).
    else return QUALITY.test(value) ? [{ type, parameters, quality: Number(value) }] : [];
  }
  return [{ type, parameters, quality: 1 }];
}
