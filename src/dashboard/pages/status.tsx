import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLoaded } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Answer, Table, useTitle } from '../lists.tsx';
import { Fact, Time, Untrusted, Words } from '../parts.tsx';

/** `dispatcher/status`; fields that have no words here are for machines. */
interface ServiceStatus {
  version: string;
  started_at: string;
  [part: string]: unknown;
}

type Part = Readonly<Record<string, unknown>>;

interface PartWords {
  title: string;
  /** Where it stands in the map. */
  stage: Stage;
  /** The histogram of what it does (docs/how-to/operations.md). */
  measured?: string;
  /** Lines of it that say how long callers chose to wait. */
  waits?: RegExp;
  /** The job of the part, in a few words. */
  does: string;
  /** Its fields in words, the most important first. */
  facts: Readonly<Record<string, string | ((value: unknown) => ComponentChildren)>>;
}

/** The way of a change through the service. */
const STAGES = { in: 'Comes in', work: 'Is judged', kept: 'Is kept', out: 'Others' } as const;
type Stage = keyof typeof STAGES;

const PARTS: Readonly<Record<string, PartWords>> = {
  front: {
    title: 'Front end',
    does: 'answers people, machines and Git hosts',
    stage: 'in',
    measured: 'cra_http_request_duration_seconds',
    waits: /route="(?:rfc|webhook-status)"/,
    facts: { in_flight: 'Under way', failed: 'Answered with a failure of ours' },
  },
  store: {
    title: 'Store',
    does: 'keeps changes, decisions and the audit trail',
    stage: 'kept',
    measured: 'cra_store_call_duration_seconds',
    facts: { driver: 'Kind', error: 'Problem' },
  },
  audit: {
    title: 'Audit trail',
    does: 'has every decision, written once',
    stage: 'kept',
    measured: 'cra_audit_append_duration_seconds',
    facts: {
      worm: 'Protection',
      seq: 'Entries in this chain',
      bytes: (value) => <Fact title="Size">{sizeOf(Number(value))}</Fact>,
      open_intents: 'Decisions on their way',
      missing_entries: 'Missing entries',
      last_checkpoint: (value) => (
        <Fact title="Last checkpoint">
          <Time at={(value as { at: string }).at} />
        </Fact>
      ),
      problems: (value) => (
        <div class="long">
          <dt>To know</dt>
          <dd>
            <Words text={textOf(value)} />
          </dd>
        </div>
      ),
    },
  },
  queue: {
    title: 'Analyses',
    does: 'takes submitted diffs one after another',
    stage: 'in',
    facts: {
      running: 'Running',
      waiting: 'Waiting',
      oldest_seconds: (value) => <Seconds title="Longest wait" value={value} />,
      drafts: 'Changes without a verdict',
    },
  },
  pushes: {
    title: 'Pushes',
    does: 'judges what Git hosts report, and answers them',
    stage: 'in',
    measured: 'cra_push_verdict_duration_seconds',
    facts: {
      waiting: 'Waiting',
      running: 'Running',
      oldest_seconds: (value) => <Seconds title="Longest wait" value={value} />,
      landed_blocked: 'Blocked, yet on a protected branch',
      statuses_due: 'Statuses to post',
      statuses_posted: 'Statuses posted',
      statuses_failed: 'Statuses given up',
      webhooks_ignored: 'Webhooks that asked for nothing',
    },
  },
  git: {
    title: 'Git',
    does: 'fetches and compares',
    stage: 'work',
    measured: 'cra_git_duration_seconds',
    facts: { version: 'Version' },
  },
  pool: {
    title: 'Scan threads',
    does: 'run the gates',
    stage: 'work',
    measured: 'cra_gate_duration_seconds',
    facts: {
      busy: 'Busy',
      alive: 'Alive',
      threads: 'Configured',
      children: 'Parsing processes',
      replaced: 'Replaced since the start',
    },
  },
  rules: {
    title: 'Rules',
    does: 'say what blocks',
    stage: 'work',
    facts: {
      built_in: (value) => (
        <Fact title="In force">
          {value === true ? 'the built-in rules' : 'rules of this service'}
        </Fact>
      ),
      number: 'Revision',
      problems: 'Problems',
      warnings: 'Warnings',
    },
  },
  oidc: { title: 'Identity provider', does: 'logs people in', stage: 'out', facts: {} },
  llm: {
    title: 'LLM review',
    does: 'has models read the redacted diff',
    stage: 'work',
    measured: 'cra_llm_call_seconds',
    facts: {
      waiting: 'Reviews waiting',
      oldest_seconds: (value) => <Seconds title="Longest wait" value={value} />,
      spent_today_usd: 'Spent today, US$',
    },
  },
  object_storage: {
    title: 'Object storage',
    does: 'has sealed copies of the audit trail',
    stage: 'kept',
    facts: { last_sealed_at: 'Last sealed', behind: 'Segments to seal', problem: 'Problem' },
  },
};

/** What to do about a part that is not up. */
const ADVICE: Readonly<Record<string, string>> = {
  store: 'Decisions and analyses are refused until the store answers. Check its server and disk.',
  audit: 'Decisions are refused while the trail cannot be written. See /cra/docs/why/audit.html.',
  pushes: 'Webhooks wait. Check the Git hosts below, and the disk.',
  git: 'Pushes are not judged. Install git 2.39 or newer.',
  rules: 'The last good rules stay in force. Fix the file, or restore a revision.',
  oidc: 'People cannot log in; API tokens work. Check the identity provider.',
  llm: 'Changes may be held until a tier answers.',
};

const UNUSED = 'not configured';
const GOOD = new Set(['up', UNUSED, 'ok']);

/** The state of the service, problems first. */
export function StatusPage() {
  const status = useLoaded<ServiceStatus>('dispatcher/status');
  useTitle('Status');
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && status.reload(true), POLL_MS);
    return () => clearInterval(timer);
  }, []);
  return <Answer of={status}>{(shown) => <Parts status={shown} />}</Answer>;
}

function Parts({ status }: { status: ServiceStatus }) {
  const metrics = useMetrics(status);
  const all: ServiceStatus = { ...status, front: frontEnd(metrics.value?.now ?? '') };
  const parts = Object.entries(PARTS)
    .map(([name, words]) => ({ name, words, part: all[name] }))
    .filter((each): each is typeof each & { part: Part } => isPart(each.part))
    .map((each) => ({ ...each, state: stateOf(each.part) }))
    .sort((one, other) => Number(GOOD.has(one.state)) - Number(GOOD.has(other.state)));
  const used = parts.filter(({ state }) => state !== UNUSED);
  const unused = parts.filter(({ state }) => state === UNUSED);
  const broken = parts.filter(({ state }) => !GOOD.has(state)).map(({ words }) => words.title);
  const isFine = broken.length === 0;
  return (
    <section>
      <h1>
        <span class={isFine ? 'badge passed' : 'badge blocked'}>
          <Icon name={isFine ? 'passed' : 'blocked'} />{' '}
          {isFine ? 'Everything works' : `The service needs attention: ${broken.join(', ')}`}
        </span>
      </h1>
      <p class="quiet">
        Version {status.version}, started <Time at={status.started_at} />
      </p>
      <Storm pushes={status['pushes'] as Pushes | undefined} />
      <div class="map">
        {Object.entries(STAGES).map(([stage, title]) => (
          <section key={stage}>
            <h2>{title}</h2>
            {used
              .filter(({ words }) => words.stage === stage)
              .map(({ name, words, part, state }) => (
                <section key={name} class={GOOD.has(state) ? 'box' : 'box problem'}>
                  <header>
                    <h3>{words.title}</h3>
                    <State of={state} />
                  </header>
                  <p class="quiet">{words.does}</p>
                  {!GOOD.has(state) && ADVICE[name] !== undefined && <p>{ADVICE[name]}</p>}
                  <Facts part={part} words={words} metrics={metrics.value} />
                </section>
              ))}
            {stage === 'out' && <Hosts of={status['pushes']} />}
          </section>
        ))}
      </div>
      <Tiers of={status['llm']} />
      {unused.length > 0 && (
        <>
          <h2>Not configured</h2>
          <ul class="quiet">
            {unused.map(({ name, words }) => (
              <li key={name}>
                {words.title}: {words.does}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function isPart(part: unknown): part is Part {
  return typeof part === 'object' && part !== null;
}

/** The state of a part or host as a word with its icon. */
function State({ of }: { of: string }) {
  const kind = GOOD.has(of) ? 'passed' : of === 'off' || of === UNUSED ? 'superseded' : 'blocked';
  return (
    <span class={`badge ${kind}`}>
      <Icon name={kind} /> {of}
    </span>
  );
}

/** A row of a list within a part. */
type Row = Readonly<Record<string, unknown>>;

/** The Git hosts, and whether they take the statuses. */
function Hosts({ of }: { of: unknown }) {
  const hosts = isPart(of) ? ((of['hosts'] ?? []) as readonly Row[]) : [];
  return (
    <>
      {hosts.map(({ id, state, posted, failed, error }) => (
        <section key={textOf(id)} class={state === 'up' || state === 'off' ? 'box' : 'box problem'}>
          <header>
            <h3>
              <Untrusted text={textOf(id)} max={60} />
            </h3>
            <State of={textOf(state)} />
          </header>
          <p class="quiet">
            {state === 'off' ? 'has no credentials: nothing is posted' : 'takes commit statuses'}
          </p>
          <dl class="facts">
            <Fact title="Statuses posted">{textOf(posted)}</Fact>
            <Fact title="Given up">{textOf(failed)}</Fact>
          </dl>
          {error !== null && (
            <p>
              Last problem: <Untrusted text={textOf(error)} max={400} />
            </p>
          )}
        </section>
      ))}
    </>
  );
}

/** The models of the LLM review. */
function Tiers({ of }: { of: unknown }) {
  const tiers = isPart(of) ? ((of['tiers'] ?? []) as readonly Row[]) : [];
  if (tiers.length === 0) return null;
  return (
    <section>
      <h2>Models</h2>
      <Table columns={['Model', 'Does', 'State', 'Calls', 'Waiting', 'US$ today', 'Last problem']}>
        {tiers.map((tier) => (
          <tr key={textOf(tier['name'])}>
            <td>
              {textOf(tier['name'])} <span class="quiet">{textOf(tier['model'])}</span>
            </td>
            <td>{textOf(tier['role'])}</td>
            <td>
              <State of={tier['breaker'] === 'open' ? 'paused' : textOf(tier['state'])} />
            </td>
            <td class="number">{textOf(tier['calls'])}</td>
            <td class="number">{textOf(tier['waiting'])}</td>
            <td class="number">{textOf(tier['spent_today_usd'])}</td>
            <td>
              <Untrusted text={textOf(tier['last_error'])} max={400} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

/** What the service measured, as the text that Prometheus reads: at first, and now. */
interface Metrics {
  first: string;
  firstAt: number;
  now: string;
  nowAt: number;
}

/** Reads what was measured each time that the state was read. */
function useMetrics(status: ServiceStatus): Signal<Metrics | null> {
  const metrics = useSignal<Metrics | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const read = async () => {
      const headers = { Accept: 'text/plain', 'X-CRA-Background': '1' };
      const reply = await fetch('/api/cra/dispatcher/status', { headers, signal: abort.signal });
      if (!reply.ok) return;
      const now = await reply.text();
      const nowAt = Date.now();
      const { first = now, firstAt = nowAt } = metrics.value ?? {};
      metrics.value = { first, firstAt, now, nowAt };
    };
    // The state stays without it.
    read().catch(() => undefined);
    return () => abort.abort();
  }, [status]);
  return metrics;
}

/** Sums of the lines of a metric, by the value of one label; '' stands for lines without it. */
function sumsOf(text: string, name: string, label: string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (!line.startsWith(name) || !/[ {]/.test(line.charAt(name.length))) continue;
    const key = new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1] ?? '';
    sums.set(key, (sums.get(key) ?? 0) + Number(line.slice(line.lastIndexOf(' '))));
  }
  return sums;
}

/** All lines of a metric together. */
function totalOf(text: string, name: string): number {
  return [...sumsOf(text, name, '').values()].reduce((sum, each) => sum + each, 0);
}

/** The upper end of the bucket in which 99 % of the calls were done; null: there was no call. */
function p99(text: string, { measured, waits }: Measure): number | null {
  const lines = text.split('\n').filter((line) => waits?.test(line) !== true);
  const buckets = [...sumsOf(lines.join('\n'), `${measured}_bucket`, 'le')]
    .map(([end, count]) => ({ end: end === '+Inf' ? Infinity : Number(end), count }))
    .sort((one, other) => one.end - other.end);
  const all = buckets.at(-1)?.count ?? 0;
  return all === 0 ? null : (buckets.find(({ count }) => count >= 0.99 * all)?.end ?? null);
}

type Measure = Required<Pick<PartWords, 'measured'>> & Pick<PartWords, 'waits'>;

/** How often a part worked since the page is open, and how long it took. */
function Measured({ of, metrics }: { of: Measure; metrics: Metrics }) {
  const { first, firstAt, now, nowAt } = metrics;
  const minutes = (nowAt - firstAt) / 60_000;
  const count = totalOf(now, `${of.measured}_count`);
  const more = count - totalOf(first, `${of.measured}_count`);
  const slow = p99(now, of);
  return (
    <>
      <Fact title="Calls">
        {count}
        {minutes > 0 && `, now ${Math.round(more / minutes)} a minute`}
      </Fact>
      <Fact title="99 % within">
        {slow === null ? '–' : slow === Infinity ? 'longer than is measured' : shortTime(slow)}
      </Fact>
    </>
  );
}

function shortTime(seconds: number): string {
  return seconds < 1 ? `${Number((1_000 * seconds).toPrecision(3))} ms` : `${seconds} s`;
}

/** The state of the front end; it has answered, so it is up. */
function frontEnd(metrics: string): Part {
  const codes = [...sumsOf(metrics, 'cra_http_requests_total', 'code')];
  const failed = codes.filter(([code]) => code.startsWith('5'));
  return {
    state: 'up',
    in_flight: totalOf(metrics, 'cra_http_requests_in_flight'),
    failed: failed.reduce((sum, [, count]) => sum + count, 0),
  };
}

const POLL_MS = 5_000;

/** Numbers of the pushes on their way to a verdict. */
interface Pushes {
  waiting: number;
  oldest_seconds: number | null;
  running: number;
  statuses_due: number;
}

/** How a storm of pushes goes down: shown while pushes wait. */
function Storm({ pushes }: { pushes: Pushes | undefined }) {
  const first = useRef<{ waiting: number; at: number } | null>(null);
  if (pushes === undefined || pushes.waiting === 0) {
    first.current = null;
    return null;
  }
  first.current ??= { waiting: pushes.waiting, at: Date.now() };
  const minutes = (Date.now() - first.current.at) / 60_000;
  const fewer = first.current.waiting - pushes.waiting;
  const rate = minutes < 0.2 ? null : Math.round(fewer / minutes);
  return (
    <section class="box warning">
      <h2>{pushes.waiting} pushes wait for their verdict</h2>
      <p>
        The oldest waits for {pushes.oldest_seconds ?? 0} s; {pushes.running} run now;{' '}
        {pushes.statuses_due} commit statuses are due.
        {rate !== null &&
          (rate > 0
            ? ` Since this page is open, ${rate} fewer wait each minute.`
            : ' Since this page is open, the number does not fall.')}
      </p>
    </section>
  );
}

function stateOf({ state }: Part): string {
  return typeof state === 'string' ? state : 'unknown';
}

/** What a part says of itself, in words; what says nothing is left out. */
function Facts(props: { part: Part; words: PartWords; metrics: Metrics | null }) {
  const { part, words, metrics } = props;
  const { measured, waits } = words;
  const known = Object.entries(words.facts).filter(([name]) => textOf(part[name]) !== '–');
  return (
    <dl class="facts">
      {measured !== undefined && metrics !== null && (
        <Measured of={{ measured, ...(waits && { waits }) }} metrics={metrics} />
      )}
      {known.map(([name, fact]) =>
        typeof fact === 'string' ? (
          <Fact key={name} title={fact}>
            <Untrusted text={textOf(part[name])} max={1_000} />
          </Fact>
        ) : (
          fact(part[name])
        ),
      )}
    </dl>
  );
}

function Seconds({ title, value }: { title: string; value: unknown }) {
  return <Fact title={title}>{value === 0 ? 'nothing waits' : `${textOf(value)} s`}</Fact>;
}

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} KB` : `${Math.round(bytes / 1e6)} MB`;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(textOf).join('; ');
  return String(value);
}
