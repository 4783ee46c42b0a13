import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isSafeUrl } from '../../core/credentials.ts';
import type {
  LlmSettings,
  PeriodBudget,
  TierPrices,
  TierSettings,
} from '../../gates/review/tier.ts';
import { LOCALITIES } from '../../model/rules.ts';
import { createJsonFields, type JsonFields, type Reader, readJsonFile } from './reader.ts';

/** The settings of gate 3, and the variables that hold its keys. */
export interface LlmConfig {
  readonly settings: LlmSettings;
  /** What the file names as `key_env`. */
  readonly keyVariables: readonly string[];
}

const FILE = 'SERVICE_LLM_CONFIG';

const TIERS_MAX = 16;
const CONCURRENCY_DEFAULT = 4;
const TIMEOUT_MS_DEFAULT = 60_000;
const OUTPUT_TOKENS_DEFAULT = 8_000;
const TENANTS_MAX = 1_000;
/** Sums of nano-dollars stay below 2^53. */
const USD_MAX = 1_000_000;
const NANO_PER_USD = 1_000_000_000;
/** USD a million tokens, as vendors publish prices, in nano-dollars a token. */
const NANO_PER_USD_OF_A_MILLION = 1_000;
const PRICE_USD_MAX = 10_000;

/**
 * Reads the file that SERVICE_LLM_CONFIG names, if any. Every problem is reported with its place
 * in the file, as `tiers[0].base_url`, and never with a value.
 */
export function readLlmConfig(reader: Reader): LlmConfig {
  const path = reader.text(FILE, '');
  const file = path === '' ? {} : readJsonFile(reader, FILE, path);
  const problem = (at: string, message: string) => reader.problem(FILE, `${at} ${message}`);
  const fields = createJsonFields(file, '', problem);
  const keyVariables: string[] = [];
  const place = { reader, keyVariables, folder: dirname(resolve(path)) };
  const entries = fields.objects('tiers', TIERS_MAX);
  const tiers = entries.map((entry) => readTier(entry, place));
  if (path !== '') checkTiers(fields, entries, tiers);
  const budgets = readBudgets(fields.object('budgets'));
  fields.finish();
  return { settings: Object.freeze({ tiers: Object.freeze(tiers), budgets }), keyVariables };
}

interface Place {
  reader: Reader;
  /** Paths in the file are relative to it. */
  folder: string;
  keyVariables: string[];
}

function readTier(entry: JsonFields, place: Place): TierSettings {
  for (const key of ['name', 'protocol', 'family', 'base_url', 'model', 'locality']) {
    if (!entry.has(key)) entry.problem(key, 'is required');
  }
  const name = entry.text('name') ?? '';
  if (name !== '' && !/^[a-z0-9][a-z0-9._-]{0,62}$/.test(name)) {
    entry.problem('name', 'must be lower-case letters, digits, dots, - and _, at most 63');
  }
  const protocol = entry.oneOf('protocol', ['anthropic', 'openai']) ?? 'openai';
  const locality = entry.oneOf('locality', LOCALITIES) ?? 'any';
  const byProtocol = protocol === 'anthropic' ? 'x-api-key' : 'bearer';
  const auth = entry.oneOf('auth', ['x-api-key', 'bearer', 'api-key', 'none']) ?? byProtocol;
  const tier: TierSettings = Object.freeze({
    name,
    protocol,
    locality,
    auth,
    role: entry.oneOf('role', ['review', 'confirm', 'fallback']) ?? 'review',
    family: entry.text('family') ?? '',
    baseUrl: readBaseUrl(entry, locality === 'local'),
    key: readKey(entry, auth !== 'none', place),
    model: entry.text('model') ?? '',
    effort: entry.text('effort'),
    maxOutputTokens: entry.integer('max_output', 256, 128_000) ?? OUTPUT_TOKENS_DEFAULT,
    timeoutMs: entry.integer('timeout_ms', 1_000, 110_000) ?? TIMEOUT_MS_DEFAULT,
    concurrency: entry.integer('concurrency', 1, 256) ?? CONCURRENCY_DEFAULT,
    schema: entry.oneOf('schema', ['strict', 'prompt']) ?? 'strict',
    prices: readPrices(entry, locality === 'local'),
  });
  entry.finish();
  return tier;
}

/** Text of changes does not cross a network unencrypted, unless to a machine of the site. */
function readBaseUrl(entry: JsonFields, isLocal: boolean): string {
  const url = (entry.text('base_url') ?? '').replace(/\/+$/, '');
  if (url === '') return url;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isPlain = isLocal && parsed?.protocol === 'http:';
  if (parsed === null || !(isPlain || isSafeUrl(parsed)) || /[?#]/.test(url)) {
    entry.problem(
      'base_url',
      'must be an https address without ? and # (http on loopback, or with locality "local")',
    );
  } else if (parsed.username !== '' || parsed.password !== '') {
    entry.problem('base_url', 'must not hold a credential: use key_env or key_file');
  }
  return url;
}

function readKey(entry: JsonFields, isNeeded: boolean, place: Place): string {
  const variable = entry.text('key_env');
  const file = entry.text('key_file');
  if (variable !== null && file !== null) {
    entry.problem('key_env', 'and key_file exclude each other');
  } else if (variable !== null) {
    if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(variable)) {
      entry.problem('key_env', 'must name a variable: capital letters, digits and _');
      return '';
    }
    place.keyVariables.push(variable);
    const key = place.reader.secret(variable);
    if (key === '' && isNeeded) entry.problem('key_env', `names ${variable}, which is not set`);
    return key;
  } else if (file !== null) {
    try {
      const key = readFileSync(resolve(place.folder, file), 'utf8').trim();
      place.reader.noteSecret(key);
      if (key !== '') return key;
    } catch {
      // Reported below.
    }
    entry.problem('key_file', 'names a file that is empty or cannot be read');
  } else if (isNeeded) {
    entry.problem('key_env', 'or key_file is required, or auth "none"');
  }
  return '';
}

/** A remote tier without prices would spend money that no budget sees. */
function readPrices(entry: JsonFields, isLocal: boolean): TierPrices {
  const prices = entry.object('prices');
  if (prices === null) {
    if (!isLocal) entry.problem('prices', 'are required unless locality is "local"');
    return { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 };
  }
  const price = (key: string) => {
    const usd = prices.number(key, 0, PRICE_USD_MAX);
    const nano = (usd ?? 0) * NANO_PER_USD_OF_A_MILLION;
    const whole = Math.round(nano);
    if (Math.abs(nano - whole) > ROUNDING) {
      prices.problem(key, 'must be USD a million tokens with at most 3 decimals');
    }
    return usd === null ? null : whole;
  };
  for (const key of ['input', 'output']) {
    if (!prices.has(key)) prices.problem(key, 'is required: USD a million tokens');
  }
  const input = price('input') ?? 0;
  const all = {
    input,
    output: price('output') ?? 0,
    cacheWrite: price('cache_write') ?? input,
    cacheRead: price('cache_read') ?? input,
  };
  prices.finish();
  if (!isLocal && (all.input === 0 || all.output === 0)) {
    entry.problem('prices', 'must not be 0 unless locality is "local"');
  }
  return all;
}

/** What binary fractions differ by from decimal ones. */
const ROUNDING = 1e-6;

function checkTiers(
  fields: JsonFields,
  entries: readonly JsonFields[],
  tiers: readonly TierSettings[],
): void {
  const names = new Set<string>();
  const families = new Set(
    tiers.filter(({ role }) => role === 'review').map(({ family }) => family),
  );
  if (families.size === 0) fields.problem('tiers', 'must hold a tier with the role "review"');
  for (const [index, { name, role, family }] of tiers.entries()) {
    if (names.has(name)) entries[index]?.problem('name', 'is that of another tier, too');
    names.add(name);
    if (role === 'confirm' && families.has(family)) {
      entries[index]?.problem('family', 'of a confirm tier must not be a family of a review tier');
    }
  }
}

function readBudgets(fields: JsonFields | null): LlmSettings['budgets'] {
  if (fields === null) return { rfc: null, day: null, month: null, tenants: {} };
  const tenants = fields.object('tenants');
  const named = (tenants?.keys() ?? []).slice(0, TENANTS_MAX).map((tenant) => {
    const own = tenants?.object(tenant) ?? null;
    return [tenant, own === null ? { day: null, month: null } : readPeriods(own)] as const;
  });
  tenants?.finish();
  const rfc = readUsd(fields, 'rfc');
  return Object.freeze({ rfc, ...readPeriods(fields), tenants: Object.fromEntries(named) });
}

function readPeriods(fields: JsonFields): PeriodBudget {
  const periods = { day: readUsd(fields, 'day'), month: readUsd(fields, 'month') };
  fields.finish();
  return periods;
}

/** In nano-dollars. */
function readUsd(fields: JsonFields, key: string): number | null {
  const usd = fields.number(key, 0, USD_MAX);
  return usd === null ? null : Math.round(usd * NANO_PER_USD);
}
