import { randomUUID } from 'node:crypto';
import { type CraError, invalidField } from '../model/errors.ts';
import { USAGE } from '../model/limits.ts';
import type { Principal } from '../model/principal.ts';
import type { UsageEntry, UsageSums } from '../model/usage.ts';
import type { UsageStore } from '../store/contract/store.ts';

/** The LLM calls of a tenant. Answers are JSON text, as costs have more digits than doubles. */
export interface UsageLedger {
  log(principal: Principal, entry: UsageEntry): Promise<string>;
  /** Sums over the last `hours`. */
  total(principal: Principal, hours: number): Promise<string>;
  /**
   * Sums by day, provider and model since a day (`YYYY-MM-DD`, UTC; null: that of
   * USAGE.SUMMARY_DAYS_DEFAULT days ago). INVALID_ARGUMENT for a day that does not exist,
   * and when there are more than USAGE.SUMMARY_LINES_MAX of these sums.
   */
  summary(principal: Principal, since: string | null): Promise<string>;
  /** Calls and costs since a day, in all and by day; null where there are too many lines. */
  costs(principal: Principal, since: string): Promise<string>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NANO = 1_000_000_000;
const DIGITS = 9;

/** Creates the ledger over a store; `now` is ms since the epoch. */
export function createUsageLedger(store: UsageStore, now: () => number): UsageLedger {
  return {
    async log(principal, entry) {
      const record = {
        usage_id: randomUUID(),
        tenant_id: principal.tenant_id,
        at_ms: now(),
        provider: entry.provider,
        model: entry.model,
        input_tokens: entry.input_tokens,
        output_tokens: entry.output_tokens,
        cache_creation_tokens: entry.cache_creation_tokens ?? 0,
        cache_read_tokens: entry.cache_read_tokens ?? 0,
        cost_nano_usd: Math.round(entry.cost_usd * NANO),
        context: entry.context ?? null,
        logged_by: principal.id,
        source: 'api' as const,
      };
      await store.logUsage({ record });
      return JSON.stringify({ usage_id: record.usage_id });
    },

    async total(principal, hours) {
      const sinceMs = now() - hours * HOUR_MS;
      const sums = await store.usageTotal({ tenant_id: principal.tenant_id, sinceMs });
      return objectOf({ hours, since: new Date(sinceMs).toISOString() }, sums);
    },

    async summary(principal, asked) {
      const since = asked ?? dayOf(now() - USAGE.SUMMARY_DAYS_DEFAULT * DAY_MS);
      const sinceMs = startOfDay(since);
      const { tenant_id } = principal;
      const [{ days }, total] = await Promise.all([
        store.usageDays({ tenant_id, sinceMs, limit: USAGE.SUMMARY_LINES_MAX }),
        store.usageTotal({ tenant_id, sinceMs }),
      ]);
      if (days === null) throw tooManyLines();
      const lines = days.map(({ date, provider, model, ...sums }) =>
        objectOf({ date, provider, model }, sums),
      );
      return `{"since":${JSON.stringify(since)},"days":[${lines.join(',')}],"total":${objectOf({}, total)}}`;
    },

    async costs({ tenant_id }, since) {
      const sinceMs = startOfDay(since);
      const limit = USAGE.SUMMARY_LINES_MAX;
      const { days } = await store.usageDays({ tenant_id, sinceMs, limit });
      if (days === null) return 'null';
      const byDate = new Map<string, UsageSums[]>();
      for (const line of days) {
        const sums = byDate.get(line.date);
        if (sums === undefined) byDate.set(line.date, [line]);
        else sums.push(line);
      }
      const lines = [...byDate].map(([date, sums]) => costOf({ date }, sums));
      return costOf({}, days).replace(/}$/, `,"days":[${lines.join(',')}]}`);
    },
  };
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Midnight UTC of a day; INVALID_ARGUMENT for a day that does not exist. */
function startOfDay(day: string): number {
  const ms = Date.parse(`${day}T00:00:00Z`);
  if (Number.isFinite(ms) && dayOf(ms) === day) return ms;
  throw invalidField('since', 'is not a valid date (YYYY-MM-DD)');
}

function tooManyLines(): CraError {
  const most = USAGE.SUMMARY_LINES_MAX;
  return invalidField(
    'since',
    `more than ${most} lines of day, provider and model; ask since a later day`,
  );
}

/** An object of some fields and of sums, as JSON; the cost in dollars, all of its digits. */
function objectOf(fields: object, { cost_nano_usd, ...counts }: UsageSums): string {
  const head = JSON.stringify({ ...fields, ...counts }).slice(0, -1);
  return `${head},"cost_usd":${dollars(cost_nano_usd)}}`;
}

/** An object of some fields, the calls and their cost. */
function costOf(fields: object, sums: readonly UsageSums[]): string {
  const calls = sums.reduce((sum, each) => sum + each.calls, 0);
  const nano = sums.reduce((sum, each) => sum + BigInt(each.cost_nano_usd), 0n);
  const head = JSON.stringify({ ...fields, calls }).slice(0, -1);
  return `${head},"cost_usd":${dollars(String(nano))}}`;
}

function dollars(nano: string): string {
  const padded = nano.padStart(DIGITS + 1, '0');
  const fraction = padded.slice(-DIGITS).replace(/0+$/, '');
  const whole = padded.slice(0, -DIGITS);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
