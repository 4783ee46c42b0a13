import type { ComponentVerdict } from './components.ts';
import {
  type Discussion,
  type Finding,
  falseAlarms,
  type Severity,
  severityRank,
} from './finding.ts';
import { TRENDS } from './limits.ts';
import { isReviewNote } from './review.ts';
import { type Gates, isPassing, isRefusing, type RfcStatus } from './rfc.ts';

/**
 * What the trends count of one record: a pure function of the record, so that the sums of a store
 * always count the records that it holds. A change of a record adds the difference.
 */
export type Trend = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The sums over a tenant stand under this name, which no repository has. */
export const WHOLE_TENANT = '';

/** What of a record is counted. */
export interface Counted {
  overall_status: RfcStatus;
  created_at: string;
  gates: Gates;
  components?: readonly ComponentVerdict[];
  override_history: readonly { action: string; at: string }[];
  discussion?: Discussion;
}

/** Counters of a day (UTC), in the order in which answers show them. */
const DAY_COUNTERS = [
  'passed',
  'blocked',
  'carried',
  'overridden',
  'approved',
  'rejected',
] as const;
type DayCounter = (typeof DAY_COUNTERS)[number];
/** Counters of a rule; their names go before the id of the rule. */
const RULE_COUNTERS = [
  'hits',
  'blocked',
  'suppressed',
  'overridden',
  'rejected',
  'false_alarms',
] as const;
type RuleCounter = (typeof RULE_COUNTERS)[number];

/**
 * Counts a record: its verdict on the day on which it was created, and each decision on its own
 * day. Of a rule it counts the RFC once, however many findings there are. A DRAFT counts nothing.
 */
export function trendOf(record: Counted): Trend {
  const verdict = verdictOf(record);
  if (verdict === null) return {};
  const days = new Map<string, Map<string, number>>();
  const add = (at: string, counter: string) => {
    const day = days.get(at.slice(0, DAY_CHARS)) ?? new Map<string, number>();
    days.set(at.slice(0, DAY_CHARS), day);
    day.set(counter, (day.get(counter) ?? 0) + 1);
  };
  const { created_at } = record;
  add(created_at, verdict);
  const blocking: string[] = [];
  for (const rule of rulesOf(record.gates)) {
    add(created_at, ruleCounter('hits', rule.id));
    if (rule.isSuppressed) add(created_at, ruleCounter('suppressed', rule.id));
    if (!rule.blocks || verdict !== 'blocked') continue;
    add(created_at, ruleCounter('blocked', rule.id));
    blocking.push(rule.id);
  }
  for (const [id, counter] of componentsOf(record, verdict)) add(created_at, counter + id);
  for (const { outcome, at, isFirst } of decisionsOf(record, verdict)) {
    add(at, outcome);
    if (outcome !== 'approved') {
      for (const rule of blocking) add(at, ruleCounter(outcome, rule));
    }
    if (isFirst && verdict === 'blocked') add(at, waitCounter(created_at, at));
  }
  for (const [rule, at] of falseAlarmsOf(record)) add(at, ruleCounter('false_alarms', rule));
  return Object.fromEntries([...days].map(([day, counts]) => [day, Object.fromEntries(counts)]));
}

/** YYYY-MM-DD */
const DAY_CHARS = 10;

/** The same as a text; the empty text counts nothing. */
export function trendText(record: Counted): string {
  const { created_at, gates, override_history } = record;
  const { risk, ast, llm } = gates;
  const found = risk.findings.length + ast.findings.length + llm.findings.length;
  const isPlain = found + override_history.length === 0 && record.components === undefined;
  const verdict = isPlain ? verdictOf(record) : null;
  // Of most records nothing else is counted, and this is what JSON.stringify would say.
  if (verdict !== null) return `{"${created_at.slice(0, DAY_CHARS)}":{"${verdict}":1}}`;
  const trend = trendOf(record);
  return Object.keys(trend).length === 0 ? '' : JSON.stringify(trend);
}

/** One counter of one day, and the number that is added to it: never 0. */
export interface TrendStep {
  day: string;
  counter: string;
  by: number;
}

/** What leads from one `trendText` to another. */
export function trendSteps(before: string, next: string): TrendStep[] {
  if (before === next) return [];
  const sums = new Map<string, TrendStep>();
  for (const [text, sign] of [[before, -1] as const, [next, 1] as const]) {
    if (text === '') continue;
    for (const [day, counts] of Object.entries(JSON.parse(text) as Trend)) {
      for (const [counter, count] of Object.entries(counts)) {
        const key = `${day} ${counter}`;
        const step = sums.get(key) ?? { day, counter, by: 0 };
        sums.set(key, { ...step, by: step.by + sign * count });
      }
    }
  }
  return [...sums.values()].filter(({ by }) => by !== 0);
}

/** The verdict that stood before anybody decided; null when absent. */
function verdictOf({ overall_status, gates, override_history }: Counted): DayCounter | null {
  if (overall_status === 'DRAFT' || overall_status === 'SUPERSEDED') return null;
  if (overall_status === 'PASSED' || overall_status === 'APPROVED') return 'passed';
  if (overall_status === 'BLOCKED') return 'blocked';
  const passing = override_history.find(isPassing);
  if (overall_status === 'OVERRIDDEN') return passing === undefined ? 'carried' : 'blocked';
  // A rejection may come before the gates have run.
  if (gates.risk.duration_ms === null) return null;
  const isBlocked = [gates.risk, gates.ast, gates.llm].some(({ status }) => status === 'fail');
  return isBlocked || gates.llm.held === true ? 'blocked' : 'passed';
}

const COMPONENT = 'component:';
const COMPONENT_PASSED = 'component-passed:';

/**
 * The components that a change was judged for, and the counter of each: whether it was blocked or
 * passed by itself. Of a carried change it counts what passed.
 */
function componentsOf({ components = [] }: Counted, verdict: DayCounter): [string, string][] {
  const own = components.filter(({ same_as }) => same_as === null);
  const counted = own.flatMap(({ id, status, findings_total, held }): [string, string][] => {
    // A rejection is of all components, passed ones included.
    const isBlocked = status === 'REJECTED' ? findings_total > 0 || held === true : true;
    const hasPassed = !isBlocked || status === 'PASSED' || status === 'APPROVED';
    if (hasPassed || verdict === 'passed') return [[id, COMPONENT_PASSED]];
    return verdict === 'blocked' ? [[id, COMPONENT]] : [];
  });
  // Each by itself: of a large change with one blocked component, that one counts.
  const first = (wanted: string, max: number) =>
    counted.filter(([, counter]) => counter === wanted).slice(0, max);
  return [
    ...first(COMPONENT, TRENDS.COMPONENTS_PER_RFC_MAX),
    ...first(COMPONENT_PASSED, TRENDS.PASSED_COMPONENTS_PER_RFC_MAX),
  ];
}

/** The rules of which people say that a finding is a false alarm, and when they said so last. */
function falseAlarmsOf({ gates, discussion }: Counted): Map<string, string> {
  const rules = new Map<string, string>();
  if (discussion === undefined) return rules;
  const { risk, ast, llm } = gates;
  const all = [...risk.findings, ...ast.findings, ...llm.findings];
  for (const { finding_id: id, at } of falseAlarms(discussion)) {
    const rule = all.find(({ finding_id }) => finding_id === id)?.id;
    if (rule !== undefined) rules.set(rule.slice(0, TRENDS.RULE_CHARS_MAX), at);
  }
  return rules;
}

interface CountedRule {
  id: string;
  isSuppressed: boolean;
  blocks: boolean;
}

/** The rules that found something: the worst findings come first, so these are counted. */
function rulesOf({ risk, ast, llm }: Gates): CountedRule[] {
  const rules = new Map<string, CountedRule>();
  for (const { status, findings } of [risk, ast, llm]) {
    const blocks = blockingFrom(status, findings);
    for (const { id: name, severity, suppressed } of findings) {
      const id = name.slice(0, TRENDS.RULE_CHARS_MAX);
      const known = rules.get(id) ?? { id, isSuppressed: false, blocks: false };
      if (!rules.has(id) && rules.size === TRENDS.RULES_PER_RFC_MAX) continue;
      const isOpen = suppressed === null;
      rules.set(id, {
        id,
        isSuppressed: known.isSuppressed || !isOpen,
        blocks: known.blocks || (isOpen && severityRank(severity) <= blocks),
      });
    }
  }
  return [...rules.values()];
}

/**
 * Rank of the mildest severity that counts as blocking in a gate: high, or what is the worst of a
 * gate that fails for less, as the rules then say. Of a gate that did not fail, nothing.
 */
function blockingFrom(status: string, findings: readonly Finding[]): number {
  if (status !== 'fail') return -1;
  const open = findings.filter(({ suppressed }) => suppressed === null);
  const worst = Math.min(...open.map(({ severity }) => severityRank(severity)), Infinity);
  return Math.max(severityRank('high' satisfies Severity), worst);
}

interface CountedDecision {
  outcome: 'overridden' | 'approved' | 'rejected';
  at: string;
  isFirst: boolean;
}

/** The decisions that changed something: a second rejection does not. */
function decisionsOf({ override_history }: Counted, verdict: DayCounter): CountedDecision[] {
  const counted: CountedDecision[] = [];
  for (const { action, at } of override_history) {
    const passes = verdict === 'passed' ? 'approved' : 'overridden';
    const outcome = isRefusing({ action }) ? 'rejected' : passes;
    if (counted.at(-1)?.outcome === outcome) continue;
    counted.push({ outcome, at, isFirst: counted.length === 0 });
  }
  return counted;
}

function ruleCounter(counter: RuleCounter, rule: string): string {
  return `${counter}:${rule}`;
}

const WAIT = 'wait:';
/** Steps of a power of two seconds. */
const WAIT_STEPS = 2;

/** How long somebody waited for a decision, as one of few lengths: powers of the root of two. */
function waitCounter(from: string, to: string): string {
  const seconds = Math.max(1, (Date.parse(to) - Date.parse(from)) / 1000);
  const step = Math.ceil(WAIT_STEPS * Math.log2(seconds));
  return `${WAIT}${Math.min(step, TRENDS.WAIT_STEP_MAX)}`;
}

/** Sums of one counter on one day. */
export interface TrendSum {
  day: string;
  counter: string;
  count: number;
}

/** Counters of a day, and what the counters of rules add up to. */
export type TrendDay = Record<DayCounter, number> & {
  /** RFCs by rule, of the rules for secrets and of what models found. */
  secrets: number;
  llm_findings: number;
  /** RFCs by rule, of the rules whose finding is a false alarm. */
  false_alarms: number;
};

/** What a tenant or a repository shows between two days. */
export interface Trends {
  days: ({ date: string; decision_seconds: Waits } & TrendDay)[];
  totals: TrendDay;
  decision_seconds: Waits & { p95: number | null };
  rules: RuleTrend[];
  rules_total: number;
  components: ({
    component: string;
    /** Its days or weeks with changes, the oldest first. */
    days: ({ date: string } & ComponentSums)[];
  } & ComponentSums)[];
}

/** Changes that a component passed, and that it blocked. */
type ComponentSums = Record<'blocked' | 'passed', number>;

/** How long changes waited for a decision; null: nothing was decided. */
interface Waits {
  p50: number | null;
  p90: number | null;
}

export type RuleTrend = { rule: string } & Record<RuleCounter, number> & {
    decided: number;
    noise: number | null;
  };

/** How long an entry of `days` is. */
export const TREND_STEPS = ['day', 'week'] as const;
export type TrendStepName = (typeof TREND_STEPS)[number];

/**
 * Sums up; `sums` in any order, a counter more than once where several daemons counted. Weeks have
 * the date of their Monday.
 */
export function summariseTrends(sums: Iterable<TrendSum>, by: TrendStepName): Trends {
  const days = new Map<string, TrendDay>();
  const rules = new Map<string, Record<RuleCounter, number>>();
  const components = new Map<string, Map<string, ComponentSums>>();
  const waits = new Map<string, Map<number, number>>();
  for (const { day: date, counter, count } of sums) {
    const day = by === 'day' ? date : mondayOf(date);
    const at = counter.indexOf(':');
    const name = counter.slice(at + 1);
    if (at === -1) bump(days, day, noDays, counter, count);
    else if (counter.startsWith(COMPONENT) || counter.startsWith(COMPONENT_PASSED)) {
      const ofComponent = components.get(name) ?? new Map<string, ComponentSums>();
      components.set(name, ofComponent);
      const outcome = counter.startsWith(COMPONENT) ? 'blocked' : 'passed';
      bump(ofComponent, day, noChanges, outcome, count);
    } else if (counter.startsWith(WAIT)) {
      const ofDay = waits.get(day) ?? new Map<number, number>();
      waits.set(day, ofDay);
      addTo(ofDay, Number(name), count);
    } else {
      bump(rules, name, noRules, counter.slice(0, at), count);
      const kind = kindOf(counter.slice(0, at), name);
      if (kind !== null) bump(days, day, noDays, kind, count);
    }
  }
  const found = [...rules].filter(([, sum]) => Object.values(sum).some((count) => count > 0));
  const lines = found.map(([rule, sum]) => ruleTrend(rule, sum)).sort(worstFirst);
  const byDay = [...days].filter(([, sum]) => Object.values(sum).some((count) => count > 0));
  const allWaits = new Map<number, number>();
  for (const ofDay of waits.values()) {
    for (const [step, count] of ofDay) addTo(allWaits, step, count);
  }
  return {
    days: byDay
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([date, sum]) => ({ date, ...sum, decision_seconds: waitsOf(waits.get(date)) })),
    totals: byDay.reduce((total, [, sum]) => plus(total, sum), noDays()),
    decision_seconds: { ...waitsOf(allWaits), p95: quantile(allWaits, 0.95) },
    rules: lines.slice(0, TRENDS.RULES_SHOWN_MAX),
    rules_total: lines.length,
    components: [...components]
      .map(([component, ofDays]) => componentTrend(component, ofDays))
      .filter(({ blocked, passed }) => blocked + passed > 0)
      .sort(mostBlockedFirst)
      .slice(0, TRENDS.PLACES_SHOWN_MAX),
  };
}

type ComponentTrend = Trends['components'][number];

function componentTrend(
  component: string,
  ofDays: ReadonlyMap<string, ComponentSums>,
): ComponentTrend {
  const days = [...ofDays]
    .filter(([, { blocked, passed }]) => blocked + passed > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([date, sums]) => ({ date, ...sums }));
  const sumOf = (outcome: keyof ComponentSums) => days.reduce((sum, day) => sum + day[outcome], 0);
  return { component, blocked: sumOf('blocked'), passed: sumOf('passed'), days };
}

function mostBlockedFirst(a: ComponentTrend, b: ComponentTrend): number {
  return b.blocked - a.blocked || b.passed - a.passed || (a.component < b.component ? -1 : 1);
}

function noChanges(): ComponentSums {
  return { blocked: 0, passed: 0 };
}

const DAY_MS = 86_400_000;

function mondayOf(day: string): string {
  const ms = Date.parse(day);
  const daysSinceMonday = (new Date(ms).getUTCDay() + 6) % 7;
  return new Date(ms - daysSinceMonday * DAY_MS).toISOString().slice(0, DAY_CHARS);
}

/** BLOCKED RFCs of a repository on a day. */
export interface BlockedSum {
  repo_key: string;
  count: number;
}

/** The repositories with most BLOCKED RFCs. */
export function mostBlocked(sums: Iterable<BlockedSum>): { repo: string; blocked: number }[] {
  const repositories = new Map<string, number>();
  for (const { repo_key, count } of sums) addTo(repositories, repo_key, count);
  return mostFirst(repositories).map(([repo, blocked]) => ({ repo, blocked }));
}

/** The greatest of these sums, equal ones by their names. */
function mostFirst(sums: ReadonlyMap<string, number>): [string, number][] {
  const found = [...sums].filter(([, count]) => count > 0);
  return found
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .slice(0, TRENDS.PLACES_SHOWN_MAX);
}

function addTo<Key>(sums: Map<Key, number>, key: Key, count: number): void {
  sums.set(key, (sums.get(key) ?? 0) + count);
}

/** What a counter of a rule is counted as beside it; null: nothing. */
function kindOf(counter: string, rule: string): 'secrets' | 'llm_findings' | 'false_alarms' | null {
  if (counter === 'false_alarms') return counter;
  if (counter !== 'hits') return null;
  if (rule.startsWith('secret-')) return 'secrets';
  return rule.startsWith('llm-') && !isReviewNote({ id: rule }) ? 'llm_findings' : null;
}

function bump<Name extends string>(
  sums: Map<string, Record<Name, number>>,
  key: string,
  none: () => Record<Name, number>,
  counter: string,
  count: number,
): void {
  const sum = sums.get(key) ?? none();
  sums.set(key, sum);
  // A counter of a later version is not shown.
  if (counter in sum) sum[counter as Name] += count;
}

function noDays(): TrendDay {
  const decisions = { overridden: 0, approved: 0, rejected: 0 };
  return {
    passed: 0,
    blocked: 0,
    carried: 0,
    ...decisions,
    secrets: 0,
    llm_findings: 0,
    false_alarms: 0,
  };
}

function noRules(): Record<RuleCounter, number> {
  return { hits: 0, blocked: 0, suppressed: 0, overridden: 0, rejected: 0, false_alarms: 0 };
}

function plus(a: TrendDay, b: TrendDay): TrendDay {
  const sum = noDays();
  for (const name of Object.keys(sum) as (keyof TrendDay)[]) sum[name] = a[name] + b[name];
  return sum;
}

/** Noise: overridden RFCs among the RFCs that the rule blocked and a person decided about. */
function ruleTrend(rule: string, sum: Record<RuleCounter, number>): RuleTrend {
  const decided = sum.overridden + sum.rejected;
  const noise = decided > 0 ? Number((sum.overridden / decided).toFixed(3)) : null;
  return { rule, ...sum, decided, noise };
}

/** An RFC that was decided and has a false alarm counts twice: sums do not name their RFCs. */
function worstFirst(a: RuleTrend, b: RuleTrend): number {
  const order =
    b.false_alarms + b.decided - a.false_alarms - a.decided ||
    b.blocked - a.blocked ||
    b.hits - a.hits;
  return order || (a.rule < b.rule ? -1 : 1);
}

function waitsOf(waits: ReadonlyMap<number, number> = new Map()): Waits {
  return { p50: quantile(waits, 0.5), p90: quantile(waits, 0.9) };
}

/** Seconds within which that share was decided: the upper end of its step; null: nothing was. */
function quantile(waits: ReadonlyMap<number, number>, share: number): number | null {
  const steps = [...waits].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  const total = steps.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [step, count] of steps) {
    seen += count;
    if (seen >= share * total) return Math.round(2 ** (step / WAIT_STEPS));
  }
  return null;
}
