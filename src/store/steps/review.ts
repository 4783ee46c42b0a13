import type { UsageRecord } from '../../model/usage.ts';
import type { OpenCall, ReservedCall } from '../contract/records.ts';

/** Whether a call fits into its budgets, given what their scopes hold. */
export function fitsBudgets(call: ReservedCall, spentIn: (scope: string) => number): boolean {
  return call.scopes.every(
    ({ scope, limitNanoUsd }) =>
      limitNanoUsd === null || spentIn(scope) + call.reserved_nano_usd <= limitNanoUsd,
  );
}

/** A reserved call until its end is reported. */
export function openCall(call: ReservedCall): OpenCall {
  const { call_id, owner, reserved_nano_usd, usage } = call;
  return { call_id, owner, reserved_nano_usd, scopes: scopesOf(call), usage };
}

/** The scopes against which a call counts. */
export function scopesOf({ scopes }: ReservedCall): string[] {
  return scopes.map(({ scope }) => scope);
}

/** What each scope of a call holds more when it ends (nano-dollars; less: negative). */
export function settledDifference(call: OpenCall, usage: UsageRecord): number {
  return usage.cost_nano_usd - call.reserved_nano_usd;
}
