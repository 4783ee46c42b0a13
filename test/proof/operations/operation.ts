import { randomBytes, randomUUID } from 'node:crypto';
import type { HttpAnswer, HttpRequest } from '../../../bench/daemon/http-client.ts';
import type { Random } from '../../../bench/random.ts';
import { analyzeBody } from '../../../bench/request-body.ts';

export const OPERATION_KINDS = [
  'override',
  'approve',
  'reject',
  'delete',
  'bulk-override',
  'ops-log',
] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number] | 'rules';

/** A request that changes something, and what was answered. */
export interface Operation {
  kind: OperationKind;
  request: HttpRequest;
  rfcIds: readonly string[];
  /** Null: none came. */
  answer: HttpAnswer | null;
}

const KEY_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Looks like a key of AWS, each time another: what one change accepts counts for no other. */
function drawSecret(): string {
  const letters = [...randomBytes(16)].map((byte) => KEY_ALPHABET[byte % KEY_ALPHABET.length]);
  return `AKIA${letters.join('')}`;
}

/** Body of analyze: a small change like no other, BLOCKED (mostly) or PASSED. */
export function drawChange(random: Random): Buffer {
  return makeChange(random.next() < 0.7);
}

export function makeChange(isBlocked: boolean): Buffer {
  const name = randomUUID();
  const line = isBlocked
    ? `export AWS_ACCESS_KEY_ID=${drawSecret()}`
    : `a note of ${name} to the team`;
  const path = `deploy/${name}.sh`;
  const head = `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n`;
  return analyzeBody(`${head}+++ b/${path}\n@@ -0,0 +1,2 @@\n+#!/bin/sh ${name}\n+${line}\n`);
}

/** A decision about one of these RFCs (or several), under an Idempotency-Key of its own. */
export function drawOperation(random: Random, rfcIds: readonly string[]): Operation {
  return makeOperation(random.pick(OPERATION_KINDS), random, rfcIds);
}

/** An operation of one kind. */
export function makeOperation(
  kind: (typeof OPERATION_KINDS)[number],
  random: Random,
  rfcIds: readonly string[],
): Operation {
  const key = randomUUID();
  const rfcId = random.pick(rfcIds);
  const reason = `decided under ${key}`;
  const post = (path: string, body: object, ids: readonly string[] = [rfcId]): Operation => ({
    kind,
    request: requestOf('POST', path, body, key),
    rfcIds: ids,
    answer: null,
  });
  switch (kind) {
    case 'override': {
      const accept_findings = random.next() < 0.1;
      return post(`rfc/${rfcId}/override`, { actor: 'ann', reason, accept_findings });
    }
    case 'approve':
      return post(`approve/${rfcId}`, { reason });
    case 'reject':
      return post(`reject/${rfcId}`, { reason });
    case 'delete':
      return post(`rfc/${rfcId}/delete`, { reason });
    case 'bulk-override': {
      const several = [
        ...new Set([rfcId, ...Array.from({ length: 5 }, () => random.pick(rfcIds))]),
      ];
      return post('bulk-override', { reason, rfc_ids: several }, several);
    }
    case 'ops-log':
      return post('ops-log', { action: 'deploy', description: reason, repo: 'acme/shop' }, []);
  }
}

/**
 * New rules, like no others; a caller that asks for the same again makes another revision. They
 * are few, so that a start is short, and they find what `drawChange` puts in.
 */
export function makeRulesOperation(): Operation {
  const rule = {
    id: 'risk-key-id',
    description: `An access key, as ${randomUUID()} says`,
    regex: 'AWS_ACCESS_KEY_ID\\s*=\\s*\\w+',
    keywords: ['aws_access_key_id'],
    severity: 'critical',
    message: 'an access key is set',
    source: 'https://wiki.example/access-keys',
    examples: { match: ['AWS_ACCESS_KEY_ID = 1'], noMatch: ['AWS_REGION = 1'] },
  };
  const body = { version: 1, risk_patterns: [rule], allow_empty: true };
  return {
    kind: 'rules',
    request: requestOf('PUT', 'rules', body, null),
    rfcIds: [],
    answer: null,
  };
}

function requestOf(
  method: HttpRequest['method'],
  path: string,
  body: object,
  key: string | null,
): HttpRequest {
  const headers: Record<string, string> = key === null ? {} : { 'idempotency-key': key };
  return { method, path, body: Buffer.from(JSON.stringify(body)), headers };
}

/** `data` of a good answer. */
export function dataOf({ text }: HttpAnswer): Record<string, unknown> {
  return (JSON.parse(text) as { data: Record<string, unknown> }).data;
}
