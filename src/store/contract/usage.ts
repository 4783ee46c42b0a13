import type { UsageDay, UsageRecord, UsageSums } from '../../model/usage.ts';
import { type Client, read, write } from '../../rpc/service.ts';
import { STORE } from './limits.ts';

/** The LLM cost ledger at rest. The promises of `Records` hold here, too. */
export const Usage = {
  name: 'Usage',
  methods: {
    /** The same `usage_id` again is the same record. */
    logUsage: write<{ record: UsageRecord }, { usage_id: string }>(STORE.CALL_DEADLINE_MS),
    /** Sums over the records with at_ms >= since_ms: exact to the millisecond, over millions. */
    usageTotal: read<{ tenant_id: string; since_ms: number }, UsageSums>(STORE.CALL_DEADLINE_MS),
    /**
     * The same by day, provider and model, oldest day first, then by name; null when they are
     * more than `limit`.
     */
    usageDays: read<
      { tenant_id: string; since_ms: number; limit: number },
      { days: UsageDay[] | null }
    >(STORE.CALL_DEADLINE_MS),
  },
} as const;

export type UsageStore = Client<typeof Usage>;
