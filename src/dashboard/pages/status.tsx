import { useEffect, useRef } from 'preact/hooks';
import { useLoaded } from '../api.ts';
import { Answer, useTitle } from '../lists.tsx';
import { Time, Untrusted } from '../parts.tsx';

/** Parts of `dispatcher/status` as the page reads them; what it does not know it shows as text. */
interface ServiceStatus {
  version: string;
  started_at: string;
  [part: string]: unknown;
}

const TITLES: Readonly<Record<string, string>> = {
  store: 'Store',
  audit: 'Audit trail',
  queue: 'Analysis queue',
  pushes: 'Pushes',
  git: 'Git',
  pool: 'Scan threads',
  rules: 'Rules',
  oidc: 'Identity provider',
  llm: 'LLM review',
  object_storage: 'Object storage',
};

/** What to do about a part that is not up. */
const ADVICE: Readonly<Record<string, string>> = {
  store: 'Decisions and analyses are refused until the store answers. Check its server and disk.',
  audit: 'Decisions are refused while the trail cannot be written. See docs/audit.md.',
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
  const parts = Object.entries(TITLES)
    .map(([name, title]) => ({ name, title, part: status[name] }))
    .filter(({ part }) => typeof part === 'object' && part !== null)
    .map((each) => ({ ...each, state: stateOf(each.part as Record<string, unknown>) }))
    .sort((one, other) => Number(GOOD.has(one.state)) - Number(GOOD.has(other.state)));
  const unused = parts.filter(({ state }) => state === UNUSED).map(({ title }) => title);
  const isFine = parts.every(({ state }) => GOOD.has(state));
  return (
    <section>
      <h1>{isFine ? 'Everything works' : 'The service needs attention'}</h1>
      <p class="quiet">
        Version {status.version}, started <Time at={status.started_at} />
      </p>
      <Storm pushes={status['pushes'] as Pushes | undefined} />
      {parts
        .filter(({ state }) => state !== UNUSED)
        .map(({ name, title, part, state }) => (
          <section key={name} class={GOOD.has(state) ? 'box' : 'box problem'}>
            <h2>
              {title}: {state}
            </h2>
            {!GOOD.has(state) && ADVICE[name] !== undefined && <p>{ADVICE[name]}</p>}
            <Facts part={part as Record<string, unknown>} />
          </section>
        ))}
      {unused.length > 0 && <p class="quiet">Not configured: {unused.join(', ')}.</p>}
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

function stateOf({ state }: Record<string, unknown>): string {
  return typeof state === 'string' ? state : 'unknown';
}

function Facts({ part }: { part: Record<string, unknown> }) {
  const facts = Object.entries(part).filter(([name]) => name !== 'state');
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name.replaceAll('_', ' ')}</dt>
          <dd>
            <Untrusted text={textOf(value)} max={1_000} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function textOf(value: unknown): string {
  if (value === null) return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.map(textOf).join('; ');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${textOf(each)}`)
    .join(', ');
}
