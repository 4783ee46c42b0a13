import { randomUUID } from 'node:crypto';
import canonicalize from 'canonicalize';
import {
  AUDIT_KINDS,
  AUDIT_PHASES,
  type AuditDetails,
  type AuditEntry,
  type AuditEvent,
  plainEvent,
} from '../model/audit.ts';
import { ROLES } from '../model/principal.ts';
import { ENTRY } from './limits.ts';

/** An entry, or the problem of a text that is not one: a phrase like "seq: must be ...". */
type EntryReading = { entry: AuditEntry; problem: null } | { entry: null; problem: string };

/** Reads the bytes of an entry: canonical JSON (RFC 8785) with exactly the fields of one. */
export function readEntry(text: string): EntryReading {
  if (Buffer.byteLength(text) > ENTRY.ENTRY_BYTES_MAX) {
    return flawed(`has more than ${ENTRY.ENTRY_BYTES_MAX} bytes`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return flawed('is not JSON');
  }
  const problem = problemOfEntry(value);
  if (problem !== null) return flawed(problem);
  if (!isCanonical(text, value)) return flawed('is not canonical JSON (RFC 8785)');
  return { entry: value as AuditEntry, problem: null };
}

/** The first fault in the form of an entry: a phrase; null: it has none. */
export function problemOfEntry(value: unknown): string | null {
  if (!isObject(value)) return 'is not a JSON object';
  const problem = problemOfFields(value, ENTRY_FIELDS);
  if (problem !== null) return problem;
  const { principal, details } = value;
  if (principal === null) return problemOfDetails(details, 0);
  if (!isObject(principal)) return 'principal: must be an object or null';
  // Only people whose token has the claim have an address.
  const fields = 'email' in principal ? [...PRINCIPAL_FIELDS, EMAIL] : PRINCIPAL_FIELDS;
  const within = problemOfFields(principal, fields);
  return within === null ? problemOfDetails(details, 0) : `principal.${within}`;
}

/** Whether a chain can have this name: it stands in a line of its checkpoints. */
export function isChainName(value: unknown): value is string {
  return typeof value === 'string' && CHAIN_NAME.test(value);
}

/** Whether this can be the hash of an entry. */
export function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value);
}

/** Whether this is the number of an entry or of entries. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Whether this is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const CHAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/;
const HASH = /^[0-9a-f]{64}$/;
const TIME = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Whether this is a time as entries have it: ISO 8601, UTC, with milliseconds. */
export function isTime(value: unknown): value is string {
  return typeof value === 'string' && TIME.test(value);
}

interface Field {
  isFine(value: unknown): boolean;
  must: string;
}

const TEXT: Field = { isFine: (value) => typeof value === 'string', must: 'be text' };
const NAME: Field = {
  isFine: (value) => typeof value === 'string' && value !== '',
  must: 'be text that is not empty',
};
const COUNT: Field = { isFine: isCount, must: 'be a whole number from 0' };

function orNull({ isFine, must }: Field): Field {
  return { isFine: (value) => value === null || isFine(value), must: `${must} or null` };
}

function oneOf(values: readonly string[]): Field {
  const known = new Set<unknown>(values);
  return { isFine: (value) => known.has(value), must: `be one of ${values.join(', ')}` };
}

/** All fields, in the order of their names. */
const ENTRY_FIELDS: readonly (readonly [string, Field])[] = [
  ['actor', orNull(TEXT)],
  ['chain', { isFine: isChainName, must: 'be the name of a chain' }],
  ['details', { isFine: isObject, must: 'be an object' }],
  ['kind', oneOf(AUDIT_KINDS)],
  ['mono_ms', COUNT],
  ['op_id', NAME],
  ['phase', oneOf(AUDIT_PHASES)],
  ['prev', { isFine: isHash, must: 'be 64 hex digits' }],
  ['principal', { isFine: () => true, must: 'be there' }],
  ['reason', orNull(TEXT)],
  ['repo_name', orNull(TEXT)],
  ['rfc_id', orNull(TEXT)],
  ['rfc_rev', orNull(COUNT)],
  ['seq', { isFine: (value) => isCount(value) && value > 0, must: 'be a whole number from 1' }],
  ['tenant_id', NAME],
  ['ts', { isFine: isTime, must: 'be a time (ISO 8601, UTC)' }],
  ['v', { isFine: (value) => value === 1, must: 'be 1' }],
];

const PRINCIPAL_FIELDS: readonly (readonly [string, Field])[] = [
  ['credential', NAME],
  ['id', TEXT],
  ['name', orNull(TEXT)],
  ['role', oneOf(ROLES)],
  ['tenant_id', NAME],
];

const EMAIL: readonly [string, Field] = ['email', NAME];

function problemOfFields(
  value: Record<string, unknown>,
  fields: readonly (readonly [string, Field])[],
): string | null {
  for (const [name, field] of fields) {
    const given = value[name];
    if (given === undefined) return `${name}: is missing`;
    if (!field.isFine(given)) return `${name}: must ${field.must}`;
  }
  const names = Object.keys(value);
  if (names.length === fields.length) return null;
  const known = new Set(fields.map(([name]) => name));
  return `${names.find((name) => !known.has(name))}: is not a field of an entry`;
}

/** Numbers are whole, so that every reader writes them the same way. */
function problemOfDetails(value: unknown, depth: number): string | null {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return null;
    case 'number':
      return Number.isSafeInteger(value) ? null : 'details: numbers must be whole';
    case 'object':
      break;
    default:
      return `details: ${typeof value} is not a JSON value`;
  }
  if (value === null) return null;
  if (depth === ENTRY.DETAILS_DEPTH_MAX) {
    return `details: must not be nested deeper than ${ENTRY.DETAILS_DEPTH_MAX}`;
  }
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    const problem = problemOfDetails(inner, depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}

/**
 * Whether the text is the canonical JSON of this value, which was parsed from it. JSON.stringify
 * differs from RFC 8785 in the order of names and in lone surrogates, which may hide in escapes
 * (the ordinary case is decided here: it costs a third of the library's time).
 */
function isCanonical(text: string, value: unknown): boolean {
  if (text.isWellFormed() && !text.includes('\\ud') && isSorted(value)) {
    if (JSON.stringify(value) === text) return true;
  }
  try {
    return canonicalize(value) === text;
  } catch {
    return false;
  }
}

function isSorted(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isSorted);
  let last: string | null = null;
  for (const name of Object.keys(value)) {
    if (last !== null && name <= last) return false;
    if (!isSorted((value as Record<string, unknown>)[name])) return false;
    last = name;
  }
  return true;
}

function flawed(problem: string): EntryReading {
  return { entry: null, problem };
}

/**
 * An administrator has accepted that the trail lacks entries: a chain is shorter than a checkpoint
 * says, or RFCs show decisions without entries. Written as entries of kind `accept`, which stand
 * behind the boot entry of a chain of their own.
 */
export interface Acceptance {
  /** The chain that lacks entries; UNKNOWN_CHAIN: only decisions lack theirs. */
  chain: string;
  /** The chain as it was accepted: its entries, and the hash of the newest; null: it was empty. */
  entries: number;
  head: string | null;
  /** op_ids of the decisions without entries. */
  decisions: readonly string[];
}

/** In place of a chain's name: the entries of decisions are missing, wherever they stood. */
export const UNKNOWN_CHAIN = 'unknown';

/** Their op_ids begin with this: an index finds them. */
const ACCEPT_PREFIX = 'accept:';

/** The entries of an acceptance: one for each ENTRY.ACCEPTED_NAMED_MAX decisions, at least one. */
export function acceptanceEvents(
  { chain, entries, head, decisions }: Acceptance,
  by: { actor: string; reason: string },
): AuditEvent[] {
  const id = randomUUID();
  const events: AuditEvent[] = [];
  for (let at = 0; at === 0 || at < decisions.length; at += ENTRY.ACCEPTED_NAMED_MAX) {
    const named = decisions.slice(at, at + ENTRY.ACCEPTED_NAMED_MAX);
    const details = { chain, entries, head, decisions: named } satisfies AuditDetails;
    const op_id = `${ACCEPT_PREFIX}${id}:${events.length}`;
    events.push(plainEvent({ kind: 'accept', op_id, principal: null, ...by, details }));
  }
  return events;
}

/** Reads the bytes of an entry; null: it is not an acceptance. */
export function readAcceptance(text: string): Acceptance | null {
  const { entry } = readEntry(text);
  if (entry?.kind !== 'accept' || !isObject(entry.details)) return null;
  const { chain, entries, head, decisions } = entry.details as Record<string, unknown>;
  if (typeof chain !== 'string' || !isCount(entries)) return null;
  if (!(head === null || isHash(head)) || !Array.isArray(decisions)) return null;
  return { chain, entries, head, decisions: decisions.filter((one) => typeof one === 'string') };
}

/** All that was accepted in a trail. */
export class Acceptances {
  readonly #chains = new Map<string, Acceptance>();
  readonly #decisions = new Set<string>();

  add(acceptance: Acceptance): void {
    this.#chains.set(acceptance.chain, acceptance);
    for (const opId of acceptance.decisions) this.#decisions.add(opId);
  }

  get isEmpty(): boolean {
    return this.#chains.size === 0;
  }

  /** The newest acceptance of a chain; undefined: it is absent. */
  of(chain: string): Acceptance | undefined {
    return this.#chains.get(chain);
  }

  /** Whether the chain was accepted exactly as it is now. */
  covers(chain: string, now: { seq: number; hash: string } | null): boolean {
    const accepted = this.#chains.get(chain);
    return accepted?.entries === (now?.seq ?? 0) && accepted.head === (now?.hash ?? null);
  }

  hasDecision(opId: string): boolean {
    return this.#decisions.has(opId);
  }
}
