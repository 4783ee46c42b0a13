import type { TierSettings } from './tier.ts';

/** Limits of money in nano-dollars (10^-9 USD); null: none. */
export interface PeriodBudget {
  day: number | null;
  month: number | null;
}

/** The models of gate 3 and what they may cost; holds their keys. */
export interface LlmSettings {
  /** Empty: gate 3 does not run. */
  tiers: readonly TierSettings[];
  budgets: PeriodBudget & {
    rfc: number | null;
    /** By tenant. */
    tenants: Readonly<Record<string, PeriodBudget>>;
  };
}
