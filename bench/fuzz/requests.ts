import { readFileSync } from 'node:fs';
import { ROUTES } from '../../src/http/api/all-routes.ts';
import { type Example, examplesOf, pathOf, readCalls } from '../../src/http/openapi/document.ts';
import type { Route } from '../../src/http/server/dispatch.ts';
import { createRandom, type Random } from '../random.ts';
import { mutate, oddBytes, oddQuery, oddSegment } from './odd.ts';
import { oddWire } from './wire.ts';

/** Somebody with the right to everything, together. */
export interface Tokens {
  api: string;
  override: string;
  admin: string;
}

/** Ids of what there is. */
export interface Known {
  rfcId: string;
  findingId: string;
  taskId: string;
}

/** One request of the fuzzer: the same for the same seed and number. */
export interface FuzzRequest {
  kind: 'wire' | 'json';
  route: string;
  pieces: Buffer[];
}

const routes: readonly (Route & { name: string })[] = ROUTES;
/** Requests of docs/reference/api.md and its parts, by the name of their route. */
const CALLS = readCalls((path) => readFileSync(path, 'utf8'));
const EXAMPLES = examplesOf(CALLS, routes);
const WIRE_SHARE = 0.35;
/** Each try of rules takes a process of its own: a few of them are enough. */
const RULES_SHARE = 0.02;

/** Makes the request of this number. */
export function fuzzRequest(
  seed: number,
  number: number,
  tokens: Tokens,
  known: Known,
): FuzzRequest {
  const random = createRandom((seed * 1_000_003 + number) | 0);
  // The first numbers of neighbouring seeds are alike.
  for (let count = 0; count < 5; count += 1) random.next();
  const route = pickRoute(random);
  const path = oddPath(route, known, random);
  if (random.next() < WIRE_SHARE) {
    return { kind: 'wire', route: route.name, pieces: oddWire(path, tokens.api, random) };
  }
  return {
    kind: 'json',
    route: route.name,
    pieces: jsonRequest(route, path, tokens, known, random),
  };
}

function pickRoute(random: Random): Route & { name: string } {
  const route = random.pick(routes);
  return route.name === 'rules-put' && random.next() > RULES_SHARE * routes.length
    ? pickRoute(random)
    : route;
}

/** The example of a route with the ids of things that exist. */
function exampleOf(route: Route, known: Known): Example {
  const example = EXAMPLES.get(route.name) ?? { path: {}, query: {}, answer: {} };
  const text = JSON.stringify({ ...example, answer: {} })
    .replaceAll(/F-[0-9A-F]{27}-\d+/g, known.findingId)
    .replaceAll(/RFC-[0-9A-F]{27}/g, known.rfcId)
    .replaceAll(/T-[0-9a-f-]{36}/g, known.taskId);
  return JSON.parse(text) as Example;
}

/** The body of a change with a finding. */
export const CHANGE = EXAMPLES.get('analyze')?.body ?? {};

function oddPath(route: Route & { name: string }, known: Known, random: Random): string {
  const { path, query } = exampleOf(route, known);
  const filled = pathOf(route).replace(/\{(\w+)\}/g, (_, name: string) =>
    random.next() < 0.5 ? (path[name] ?? 'x') : oddSegment(random),
  );
  const choice = random.next();
  if (choice < 0.3) return filled;
  if (choice < 0.6) {
    const asked = Object.entries(query).map(
      ([name, value]) => `${name}=${encodeURIComponent(value)}`,
    );
    return `${filled}?${asked.join('&')}`;
  }
  return `${filled}?${oddQuery(random)}`;
}

function jsonRequest(
  route: Route & { name: string },
  path: string,
  tokens: Tokens,
  known: Known,
  random: Random,
): Buffer[] {
  const { body = {} } = exampleOf(route, known);
  const changed = random.next() < 0.15 ? body : mutate(body, random);
  const bytes = oddBytes(JSON.stringify(changed) ?? '', random);
  const method = random.next() < 0.93 ? route.method : random.pick(['PATCH', 'OPTIONS', 'HEAD']);
  const isChunked = random.next() < 0.2;
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    `X-Forwarded-For: 10.${random.between(0, 256)}.${random.between(0, 256)}.1`,
    ...credentialOf(route, tokens, random),
    ...(random.next() < 0.5 ? ['Content-Type: application/json'] : []),
    ...(random.next() < 0.1
      ? [`Idempotency-Key: ${random.pick(['a', ' ', 'é', 'k'.repeat(300)])}`]
      : []),
    ...(random.next() < 0.1
      ? [`If-Match: ${random.pick(['*', '"x"', '""', ',,,', 'W/"1"'])}`]
      : []),
    isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes.length}`,
  ];
  const start = Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1');
  return [start, ...(isChunked ? chunked(bytes, random) : [bytes])];
}

function chunked(bytes: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = Math.min(bytes.length, from + random.between(1, bytes.length + 2));
    const size = Buffer.from(`${(to - from).toString(16)}\r\n`);
    pieces.push(Buffer.concat([size, bytes.subarray(from, to), Buffer.from('\r\n')]));
    from = to;
  }
  return [...pieces, Buffer.from('0\r\n\r\n')];
}

function credentialOf({ auth }: Route, tokens: Tokens, random: Random): string[] {
  const choice = random.next();
  if (choice < 0.05) return [];
  if (choice < 0.1) return ['Authorization: Bearer nobody'];
  if (choice < 0.13) return [`X-API-Key: ${tokens.api}`];
  if (choice < 0.15) return ['Cookie: cra_session=x; cra_session=y'];
  if (auth.apiToken && random.next() < 0.8) return [`Authorization: Bearer ${tokens.api}`];
  if (auth.overrideToken && random.next() < 0.8)
    return [`Authorization: Bearer ${tokens.override}`];
  return [`Authorization: Bearer ${tokens.admin}`];
}
