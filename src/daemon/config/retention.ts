import { isDeepStrictEqual } from 'node:util';
import { AUTH } from '../../auth/limits.ts';
import { CraError } from '../../model/errors.ts';
import { RETENTION } from '../../model/limits.ts';
import { DEFAULT_TENANT, type Principal } from '../../model/principal.ts';
import {
  LEAVING_STATUSES,
  type LegalHold,
  RETENTION_DAYS_MIN,
  type Retention,
  type RetentionRule,
} from '../../model/retention.ts';
import { parseSearch, type Search } from '../../model/search.ts';
import { createJsonFields, type JsonFields, type Reader, readJsonFile } from './reader.ts';

const FILE = 'SERVICE_RETENTION_CONFIG';

/**
 * Reads the file that SERVICE_RETENTION_CONFIG names; without one nothing leaves the store. Every
 * problem is reported with its place in the file.
 */
export function readRetention(reader: Reader): Retention {
  const path = reader.text(FILE, '');
  const { DIFF_DAYS_DEFAULT, DIFF_DAYS_MIN, DIFF_DAYS_MAX } = RETENTION;
  if (path === '') return Object.freeze({ diffDays: DIFF_DAYS_DEFAULT, rules: [], holds: [] });
  const problem = (at: string, message: string) => reader.problem(FILE, `${at} ${message}`);
  const fields = createJsonFields(readJsonFile(reader, FILE, path), '', problem);
  const rules = fields.objects('archive', RETENTION.ENTRIES_MAX).map(readRule);
  const holds = fields.objects('holds', RETENTION.ENTRIES_MAX).map(readHold);
  const diffs = fields.object('diffs');
  const diffDays = diffs?.integer('days', DIFF_DAYS_MIN, DIFF_DAYS_MAX) ?? DIFF_DAYS_DEFAULT;
  diffs?.finish();
  fields.finish();
  return Object.freeze({ diffDays, rules, holds });
}

function readRule(entry: JsonFields): RetentionRule {
  const { DAYS_MAX } = RETENTION;
  if (!entry.has('days')) entry.problem('days', 'is required');
  const days = entry.integer('days', RETENTION_DAYS_MIN, DAYS_MAX) ?? DAYS_MAX;
  const rule = { tenantId: readTenant(entry), filter: readFilter(entry), days };
  entry.finish();
  return Object.freeze(rule);
}

function readHold(entry: JsonFields): LegalHold {
  if (!entry.has('name')) entry.problem('name', 'is required');
  const hold = {
    name: entry.text('name') ?? '',
    tenantId: readTenant(entry),
    filter: readFilter(entry),
    since: readTime(entry, 'since'),
    until: readTime(entry, 'until'),
  };
  const { since, until } = hold;
  if (since !== null && until !== null && since > until) {
    entry.problem('since', 'must not be after until');
  }
  entry.finish();
  return Object.freeze(hold);
}

function readTenant(entry: JsonFields): string {
  const tenant = entry.text('tenant') ?? DEFAULT_TENANT;
  if (tenant.length > AUTH.TENANT_CHARS_MAX) {
    entry.problem('tenant', `must have at most ${AUTH.TENANT_CHARS_MAX} characters`);
  }
  return tenant;
}

/** A search as in `GET rfcs?q=`, without times and the caller; absent: all RFCs. */
function readFilter(entry: JsonFields): Search {
  const q = entry.text('q') ?? '';
  try {
    const filter = searchOf(q, 'one');
    const { status, since, until } = filter;
    if (since !== null || until !== null) {
      entry.problem('q', 'must not have age: rules have days, holds since and until');
    } else if (!isDeepStrictEqual(filter, searchOf(q, 'another'))) {
      entry.problem('q', 'must not have me: name the person');
    } else if (status !== null && !LEAVING_STATUSES.some((one) => one === status)) {
      const allowed = LEAVING_STATUSES.join(' or ');
      entry.problem('q', `finds RFCs that never leave: is: may be ${allowed}`);
    }
    return filter;
  } catch (thrown) {
    if (!(thrown instanceof CraError)) throw thrown;
    entry.problem('q', thrown.message);
  }
  return searchOf('', 'one');
}

/** The search that a caller of this id asks for. */
function searchOf(q: string, id: string): Search {
  const principal: Principal = {
    id,
    name: null,
    credential: 'api-token',
    role: 'viewer',
    tenant_id: DEFAULT_TENANT,
  };
  return parseSearch(q, { principal, nowMs: Date.now() });
}

/** A time or day of UTC, as the first moment for `since` and the last for `until`. */
function readTime(entry: JsonFields, key: 'since' | 'until'): string | null {
  const text = entry.text(key);
  if (text === null) return null;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const time = isDay ? `${text}T${key === 'since' ? '00:00:00.000' : '23:59:59.999'}Z` : text;
  const ms = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time) ? Date.parse(time) : Number.NaN;
  // Of a day that its month does not have, JavaScript makes a day of the next month.
  if (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(time.slice(0, 10))) {
    return new Date(ms).toISOString();
  }
  entry.problem(key, 'must be a day (YYYY-MM-DD) or a time in UTC, as 2026-01-31T12:00:00Z');
  return null;
}
