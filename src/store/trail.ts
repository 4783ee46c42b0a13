import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import canonicalize from 'canonicalize';
import { readUnverified } from '../audit/checkpoint.ts';
import type { TrailGap } from '../audit/continuity.ts';
import {
  type AuditDetails,
  type AuditEntry,
  type AuditEvent,
  type AuditPlace,
  plainEvent,
} from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import { TRAIL } from './limits.ts';

/** Keeps decisions out until the trail was compared with what it should hold. */
export interface TrailGate {
  /** Null: the trail lacks nothing. A sentence for the operator else. */
  readonly problem: string | null;
  readonly state: 'checking' | 'open' | 'refused';
  /**
   * Resolves when decisions may be made. While the comparison runs it waits TRAIL.GATE_WAIT_MS for
   * it. Rejects with UNAVAILABLE, `details.code` is `trail-check`: nothing was changed.
   */
  pass(): Promise<void>;
  /** Compares (again). Resolves when that has ended, whatever it found. */
  check(): Promise<void>;
}

/** Creates a gate that is closed until `check` has found no gap. */
export function createTrailGate(
  findGap: () => Promise<TrailGap | null>,
  waitMs: number = TRAIL.GATE_WAIT_MS,
): TrailGate {
  let state: TrailGate['state'] = 'checking';
  let problem: string | null = 'the audit trail is compared with its last checkpoint';
  let running: Promise<void> | null = null;

  async function compare(): Promise<void> {
    try {
      const gap = await findGap();
      state = gap === null ? 'open' : 'refused';
      problem = gap === null ? null : sentenceOf(gap);
    } catch (thrown) {
      state = 'refused';
      const { message } = CraError.fromUnknown(thrown);
      problem = `the audit trail could not be compared with its last checkpoint: ${message}`;
    } finally {
      running = null;
    }
  }

  function check(): Promise<void> {
    running ??= compare();
    return running;
  }

  return {
    get problem() {
      return problem;
    },
    get state() {
      return state;
    },
    check,
    async pass() {
      if (state === 'open') return;
      if (state === 'checking') {
        const waited = new AbortController();
        const { signal } = waited;
        const late = delay(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
        await Promise.race([check(), late]);
        waited.abort();
      }
      // It may have changed meanwhile.
      if ((state as TrailGate['state']) !== 'open') throw refusal(state);
    },
  };
}

function sentenceOf({ chain, seq, reason }: TrailGap): string {
  const place = seq === null ? '' : `chain ${chain}, entry ${seq}: `;
  const advice = `run cra audit verify; to go on, cra audit accept --chain ${chain} --reason TEXT`;
  return `the audit trail lacks entries, so decisions are refused (${place}${reason}): ${advice}`;
}

function refusal(state: TrailGate['state']): CraError {
  const message =
    state === 'checking'
      ? 'the audit trail is being checked after the start: nothing was changed, try again'
      : 'the audit trail lacks entries or could not be checked: nothing was changed; ' +
        'an administrator has to look at it';
  return new CraError('UNAVAILABLE', message, {
    details: { code: 'trail-check', changed: false },
  });
}

/** Copied off the machine, this note proves that nothing before it was changed. */
const NOTE_FILE = 'checkpoint.note';

/**
 * Puts a checkpoint into the data directory, durably and whole: a copy of it is never half. The
 * first is that of a chain with an entry behind its boot: a service that has recorded nothing yet
 * may be given another store, which lacks its boots.
 */
export function keepNote(dataDir: string, note: string): void {
  const isBootAlone = readUnverified(note)?.size === 1;
  if (isBootAlone && readKeptNote(dataDir) === null) return;
  const file = join(dataDir, NOTE_FILE);
  const descriptor = openSync(`${file}.new`, 'w', 0o600);
  try {
    writeSync(descriptor, note);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(`${file}.new`, file);
}

/** The checkpoint that was kept last; null: it is absent. */
export function readKeptNote(dataDir: string): string | null {
  try {
    return readFileSync(join(dataDir, NOTE_FILE), 'utf8');
  } catch {
    return null;
  }
}

/** What the entries of the trail say, whichever driver writes them. */

/** The newest entry of a chain. */
export interface ChainHead extends AuditPlace {
  /** Its hash, hex. */
  hash: string;
}

const RANDOM_BYTES = 8;

/** A name that no other boot has: `20261121T100000Z-` and 16 hex digits. */
export function newChainName(nowMs: number): string {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
  return `${time}-${randomBytes(RANDOM_BYTES).toString('hex')}`;
}

/** The first entry of a chain. `heads`: of other chains, as no entry before it names them. */
export function bootEvent(chain: string, version: string, heads: readonly ChainHead[]): AuditEvent {
  const named = heads.map(({ chain: name, seq, hash }) => ({ chain: name, seq, hash }));
  return ownEvent('boot', `${chain}:boot`, { version, heads: named });
}

/** What the first entry of a chain says. */
export interface BootFacts {
  /** The daemon that began it; null: this service did not write the entry. */
  instance: string | null;
  /** Of other chains. */
  heads: ChainHead[];
}

/** Reads it; `text`: the entry. */
export function bootFacts(text: string | undefined): BootFacts {
  try {
    const { details } = JSON.parse(text ?? '') as AuditEntry;
    const heads = (details['heads'] ?? []) as unknown as ChainHead[];
    return { instance: String(details['instance'] ?? ''), heads: [...heads] };
  } catch {
    // The entry was changed: the daemon starts all the same, and `cra audit verify` reports it.
    return { instance: null, heads: [] };
  }
}

/** What tells heads apart. */
export function headKey({ chain, seq, hash }: ChainHead): string {
  return `${chain} ${seq} ${hash}`;
}

/** A signed root over the first `size` entries, which stand before this one. */
export function checkpointEvent(chain: string, size: number, note: string): AuditEvent {
  return ownEvent('checkpoint', `${chain}:checkpoint:${size}`, { note });
}

/** The clock went back: the newest entry is of `from`, the next one of `to` (ISO 8601). */
export function clockStepEvent(place: AuditPlace, from: string, to: string): AuditEvent {
  return ownEvent('clock-step', `${place.chain}:clock-step:${place.seq}`, { from, to });
}

function ownEvent(kind: AuditEvent['kind'], op_id: string, details: AuditDetails): AuditEvent {
  return plainEvent({ kind, op_id, principal: null, details });
}

/** Whether an entry records this event: all fields but its time, place and role are compared. */
export function isSameEvent(entry: AuditEntry, event: AuditEvent): boolean {
  return contentOf(entry) === contentOf(event);
}

/** What tells an event from another one under the same op_id. */
export function contentOf(event: AuditEvent): string {
  const { kind, tenant_id, actor, rfc_id, rfc_rev, repo_name, reason, details } = event;
  const content = [kind, tenant_id, actor, rfc_id, rfc_rev, repo_name, reason, details];
  return canonicalize(content) ?? '';
}
