import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLoaded } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Answer, Table, useTitle } from '../lists.tsx';
import { Time, Untrusted, Words } from '../parts.tsx';

/** `dispatcher/status`; fields that have no words here are for machines. */
interface ServiceStatus {
  version: string;
  started_at: string;
  [part: string]: unknown;
}

type Part = Readonly<Record<string, unknown>>;

interface PartWords {
  title: string;
  /** The job of the part, in a few words. */
  does: string;
  /** Its fields in words, the most important first. */
  facts: Readonly<Record<string, string | ((value: unknown) => ComponentChildren)>>;
}

const PARTS: Readonly<Record<string, PartWords>> = {
  store: {
    title: 'Store',
    does: 'keeps changes, decisions and the audit trail',
    facts: { driver: 'Kind', error: 'Problem' },
  },
  audit: {
    title: 'Audit trail',
    does: 'has every decision, written once',
    facts: {
      worm: 'Protection',
      seq: 'Entries in this chain',
      bytes: (value) => <Fact title="Size">{sizeOf(Number(value))}</Fact>,
      open_intents: 'Decisions on their way',
      missing_entries: 'Missing entries',
      last_checkpoint: 'Last checkpoint',
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
  git: { title: 'Git', does: 'fetches and compares', facts: { version: 'Version' } },
  pool: {
    title: 'Scan threads',
    does: 'run the gates',
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
  oidc: { title: 'Identity provider', does: 'logs people in', facts: {} },
  llm: {
    title: 'LLM review',
    does: 'has models read the redacted diff',
    facts: {
      waiting: 'Reviews waiting',
      oldest_seconds: (value) => <Seconds title="Longest wait" value={value} />,
      spent_today_usd: 'Spent today, US$',
    },
  },
  object_storage: {
    title: 'Object storage',
    does: 'has sealed copies of the audit trail',
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
  const parts = Object.entries(PARTS)
    .map(([name, words]) => ({ name, words, part: status[name] }))
    .filter((each): each is typeof each & { part: Part } => isPart(each.part))
    .map((each) => ({ ...each, state: stateOf(each.part) }))
    .sort((one, other) => Number(GOOD.has(one.state)) - Number(GOOD.has(other.state)));
  const used = parts.filter(({ state }) => state !== UNUSED);
  const unused = parts.filter(({ state }) => state === UNUSED);
  const isFine = parts.every(({ state }) => GOOD.has(state));
  return (
    <section>
      <h1>
        <span class={isFine ? 'badge passed' : 'badge blocked'}>
          <Icon name={isFine ? 'passed' : 'blocked'} />{' '}
          {isFine ? 'Everything works' : 'The service needs attention'}
        </span>
      </h1>
      <p class="quiet">
        Version {status.version}, started <Time at={status.started_at} />
      </p>
      <Storm pushes={status['pushes'] as Pushes | undefined} />
      <div class="cards">
        {used.map(({ name, words, part, state }) => (
          <section key={name} class={GOOD.has(state) ? 'box' : 'box problem'}>
            <header>
              <h2>{words.title}</h2>
              <State of={state} />
            </header>
            <p class="quiet">{words.does}</p>
            {!GOOD.has(state) && ADVICE[name] !== undefined && <p>{ADVICE[name]}</p>}
            <Facts part={part} words={words} />
          </section>
        ))}
      </div>
      <Hosts of={status['pushes']} />
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
  if (hosts.length === 0) return null;
  return (
    <section>
      <h2>Git hosts</h2>
      <Table columns={['Host', 'State', 'Statuses posted', 'Given up', 'Last problem']}>
        {hosts.map(({ id, state, posted, failed, error }) => (
          <tr key={textOf(id)}>
            <td>{textOf(id)}</td>
            <td>
              <State of={textOf(state)} />
              {state === 'off' && <span class="quiet"> no credentials: posts nothing</span>}
            </td>
            <td class="number">{textOf(posted)}</td>
            <td class="number">{textOf(failed)}</td>
            <td>
              <Untrusted text={textOf(error)} max={400} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
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
function Facts({ part, words }: { part: Part; words: PartWords }) {
  const known = Object.entries(words.facts).filter(([name]) => textOf(part[name]) !== '–');
  return (
    <dl class="facts">
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

function Fact({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
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
