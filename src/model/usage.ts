/** One call of an LLM, as logged. Cost is in nano-dollars (10^-9 USD), so that sums are exact. */
export interface UsageRecord {
  usage_id: string;
  tenant_id: string;
  /** ms since the epoch, by the service's clock. */
  at_ms: number;
  provider: string;
  model: string;
  input_tokens: number;
  output_tokens: number;
  cache_creation_tokens: number;
  cache_read_tokens: number;
  cost_nano_usd: number;
  context: string | null;
  logged_by: string;
}

/** Sums over records. The cost is decimal text of nano-dollars: it may exceed 2^53. */
export interface UsageSums {
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cache_creation_tokens: number;
  cache_read_tokens: number;
  cost_nano_usd: string;
}

/** The sums of one day (UTC), provider and model. */
export interface UsageDay extends UsageSums {
  /** `YYYY-MM-DD`. */
  date: string;
  provider: string;
  model: string;
}
