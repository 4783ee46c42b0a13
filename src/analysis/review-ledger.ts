import { createHash, createHmac, randomUUID } from 'node:crypto';
import { PROMPT_VERSION } from '../gates/review/prompt.ts';
import type { CallCost, Ledger, LlmSettings, TierSettings } from '../gates/review/tier.ts';
import type { RfcRecord } from '../model/records.ts';
import type { ReviewChunk, ReviewPlan } from '../model/review.ts';
import type { UsageRecord } from '../model/usage.ts';
import type { BudgetScope, ReviewStore } from '../store/contract/records.ts';

/** What the ledger of gate 3 needs. */
export interface LedgerOptions {
  settings: LlmSettings;
  store: ReviewStore;
  /** The name of this daemon, the same after a restart. */
  owner: string;
  /** HMAC key of fingerprints. */
  key: Uint8Array;
  now(): Date;
}

/**
 * Changes when answers are read differently: kept answers do not count then. 2: findings
 * without a line in the change are kept as findings.
 */
const READING_VERSION = 2;

/** What a review asks: its chunks, with a key of each. */
export interface RequestedPlan {
  plan: ReviewPlan;
  keys: readonly string[];
  /** Its answers are of this review alone; null: of everybody who asks the same. */
  reviewId: string | null;
}

/**
 * Holds money back in all scopes of a call, logs what it cost, and keeps its answer by what was
 * asked of which model. What was answered is not asked again, however often a daemon dies on the
 * way.
 */
export function createLedger(
  record: RfcRecord,
  { plan, keys, reviewId }: RequestedPlan,
  options: LedgerOptions,
): Ledger {
  const { store, owner, now } = options;
  const { rfc_id, tenant_id } = record;
  const keyOf = (chunk: ReviewChunk, settings: TierSettings) => {
    const { name, protocol, baseUrl, model, effort } = settings;
    const key = keys[plan.chunks.indexOf(chunk)];
    const asked = [key, name, protocol, baseUrl, model, effort, reviewId];
    return hashOf(JSON.stringify([...asked, READING_VERSION]));
  };
  const usageOf = (call_id: string, cost: CallCost, asked: PromptHashes): UsageRecord => ({
    usage_id: call_id,
    tenant_id,
    at_ms: now().getTime(),
    provider: cost.family,
    model: cost.model,
    cost_nano_usd: cost.costNanoUsd,
    input_tokens: cost.usage.input,
    output_tokens: cost.usage.output,
    cache_creation_tokens: cost.usage.cacheWrite,
    cache_read_tokens: cost.usage.cacheRead,
    context: JSON.stringify({
      rfc_id,
      tier: cost.tier,
      request_id: cost.requestId,
      estimated: cost.isEstimated,
      prompt_version: PROMPT_VERSION,
      ...asked,
    }),
    logged_by: 'gate',
    source: 'gate',
  });
  return {
    async find(chunk, settings) {
      const { json } = await store.findAnswer({ key: keyOf(chunk, settings) });
      return json === null ? null : JSON.parse(json);
    },
    async reserve(nanoUsd, { chunk, prompt }, settings) {
      const { name, family, model } = settings;
      const asked = { system: hashOf(prompt.system), payload: hashOf(prompt.user) };
      const call_id = randomUUID();
      const none = { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 };
      const lost: CallCost = {
        tier: name,
        family,
        model,
        usage: none,
        costNanoUsd: nanoUsd,
        isEstimated: true,
        requestId: null,
      };
      const { reserved } = await store.reserveCall({
        call: {
          call_id,
          owner,
          started_ms: now().getTime(),
          reserved_nano_usd: nanoUsd,
          scopes: [
            ...scopesOf(record, options),
            { scope: tierScope(name, now()), limitNanoUsd: null },
          ],
          usage: usageOf(call_id, lost, asked),
        },
      });
      if (!reserved) return null;
      return {
        async settle(cost, reading) {
          const json = reading === null ? null : JSON.stringify(reading);
          const answer = json === null ? null : { key: keyOf(chunk, settings), json };
          await store.settleCall({ call_id, usage: usageOf(call_id, cost, asked), answer });
        },
      };
    },
  };
}

/** Hashes of a prompt: what was asked can be proven later, and is not kept. */
interface PromptHashes {
  system: string;
  payload: string;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Days and months count in UTC. */
function scopesOf(
  { rfc_id, tenant_id }: RfcRecord,
  { settings: { budgets }, now }: Pick<LedgerOptions, 'settings' | 'now'>,
): BudgetScope[] {
  const month = monthScope(now());
  const own = budgets.tenants[tenant_id];
  const day = dayScope(now());
  return [
    { scope: `rfc ${rfc_id}`, limitNanoUsd: budgets.rfc },
    { scope: day, limitNanoUsd: budgets.day },
    { scope: month, limitNanoUsd: budgets.month },
    { scope: `tenant ${tenant_id} ${day}`, limitNanoUsd: own?.day ?? null },
    { scope: `tenant ${tenant_id} ${month}`, limitNanoUsd: own?.month ?? null },
  ];
}

/** The scope of the calls of one tier on a day (UTC): counted, without a limit. */
export function tierScope(name: string, now: Date): string {
  return `tier ${name} ${dayScope(now)}`;
}

/** The scope of all calls of a day (UTC). */
export function dayScope(now: Date): string {
  return `day ${now.toISOString().slice(0, 10)}`;
}

/** The scope of all calls of a month (UTC). */
export function monthScope(now: Date): string {
  return `month ${now.toISOString().slice(0, 7)}`;
}

/** A keyed hash, hex. `kind` keeps the uses of one key apart. */
export function hmac(key: Uint8Array, kind: string, text: string): string {
  return createHmac('sha256', key).update(`${kind}\0${text}`).digest('hex');
}
