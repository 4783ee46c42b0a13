import { effect, signal } from '@preact/signals';
import { type FunctionComponent, render } from 'preact';
import { isSessionOver } from './api.ts';
import { Icon } from './icons.tsx';
import { HelpPage } from './keys.tsx';
import { Later } from './later.tsx';
import { QueuePage } from './pages/queue.tsx';
import { RfcPage } from './pages/rfc.tsx';
import { FailureBox, isUtc, Loading, OfflineBar, switchUtc, Time } from './parts.tsx';
import { type PageName, route } from './route.ts';
import {
  counted,
  endsSoon,
  loadSession,
  loginUrl,
  logOut,
  nameOf,
  pulse,
  session,
  sessionFailure,
  startPulse,
  watchSession,
} from './session.ts';
import { Toast } from './toast.tsx';

/** Pages that load when they are opened first; each module exports its page as `Page`. */
const LATER: Partial<Record<PageName, () => Promise<{ Page: FunctionComponent }>>> = {
  bulk: () => import('./pages/bulk.tsx'),
  overview: () => import('./pages/overview.tsx'),
  audit: async () => ({ Page: (await import('./pages/follow-up.tsx')).AuditPage }),
  suppressions: async () => ({ Page: (await import('./pages/follow-up.tsx')).SuppressionsPage }),
  rules: () => import('./pages/rules.tsx'),
  coverage: () => import('./pages/coverage.tsx'),
  status: async () => ({ Page: (await import('./pages/status.tsx')).StatusPage }),
  tasks: async () => ({ Page: (await import('./pages/follow-up.tsx')).TasksPage }),
  styles: () => import('./pages/styles.tsx'),
  usage: () => import('./pages/usage.tsx'),
};

function App() {
  if (session.value === null) {
    return sessionFailure.value === null ? (
      <Loading />
    ) : (
      <main>
        <FailureBox failure={sessionFailure.value} retry={() => void loadSession()} />
      </main>
    );
  }
  return (
    <>
      <TopBar />
      <OfflineBar />
      {session.value.auth === 'off' && (
        <div class="bar warning" role="status">
          Development mode: no login is needed. Set SERVICE_AUTH_ENABLED=true before others can
          reach this service.
        </div>
      )}
      <SessionEnd />
      {isSessionOver.value && (
        <div class="bar problem" role="alert">
          The session is over. What you typed is kept. <a href={loginUrl()}>Log in again</a>
        </div>
      )}
      <main>
        <Page />
      </main>
      <Toast />
    </>
  );
}

/** Warns before the session ends, as nothing that the page asks by itself prolongs it. */
function SessionEnd() {
  const end = isSessionOver.value ? null : endsSoon();
  if (end === null) return null;
  return (
    <div class="bar warning" role="status">
      Your session ends <Time at={end} />.{' '}
      <button type="button" onClick={() => void loadSession()}>
        Stay logged in
      </button>
    </div>
  );
}

const MAIN_PAGES: readonly (readonly [PageName, string])[] = [
  ['overview', 'Overview'],
  ['queue', 'Queue'],
  ['status', 'Status'],
  ['suppressions', 'Suppressions'],
  ['rules', 'Rules'],
];
const MORE_PAGES: readonly (readonly [PageName, string])[] = [
  ['coverage', 'Coverage'],
  ['bulk', 'Bulk override'],
  ['audit', 'Audit trail'],
  ['tasks', 'Tasks'],
  ['usage', 'Usage'],
  ['help', 'Help'],
];

function TopBar() {
  const { page } = route.value;
  const link = ([name, title]: readonly [PageName, string]) => (
    <a key={name} href={`#/${name}`} {...(page === name && { 'aria-current': 'page' as const })}>
      {title}
      {name === 'queue' && <Blocked />}
      {name === 'status' && <Problems />}
    </a>
  );
  return (
    <header class="top">
      <strong>cra</strong>
      <nav aria-label="Pages">
        {MAIN_PAGES.map(link)}
        <details class="menu" key={location.hash}>
          <summary>
            More <Icon name="more" />
          </summary>
          <div>
            {/* The bar of a narrow window has room for the first two. */}
            <div class="narrow">{MAIN_PAGES.slice(2).map(link)}</div>
            {MORE_PAGES.map(link)}
          </div>
        </details>
      </nav>
      <Person />
    </header>
  );
}

/** How many changes are BLOCKED; room for its digits is kept, so that nothing moves. */
function Blocked() {
  return <span class="count"> {pulse.value !== null && counted(pulse.value, 'BLOCKED')}</span>;
}

function Problems() {
  const problems = pulse.value?.problems ?? [];
  if (problems.length === 0) return null;
  return (
    <span class="severity high">
      {' '}
      <Icon name="high" /> {problems.length}
    </span>
  );
}

const SCHEME = 'cra-scheme';
type Scheme = 'light' | 'dark';

const system = matchMedia('(prefers-color-scheme: dark)');
/** The colours in use: the person's choice, else the system's. */
const scheme = signal<Scheme>(chosen() ?? ofSystem());

system.addEventListener('change', () => {
  scheme.value = chosen() ?? ofSystem();
});
effect(() => {
  document.documentElement.style.colorScheme = scheme.value;
});

/** Changes between light and dark; the system's own scheme is not stored as a choice. */
function switchScheme(): void {
  const next = scheme.value === 'dark' ? 'light' : 'dark';
  if (next === ofSystem()) localStorage.removeItem(SCHEME);
  else localStorage.setItem(SCHEME, next);
  scheme.value = next;
}

function chosen(): Scheme | null {
  const stored = localStorage.getItem(SCHEME);
  return stored === 'light' || stored === 'dark' ? stored : null;
}

function ofSystem(): Scheme {
  return system.matches ? 'dark' : 'light';
}

const DENSITY = 'cra-density';
const isCompact = signal(localStorage.getItem(DENSITY) !== null);
effect(() => {
  document.documentElement.dataset['density'] = isCompact.value ? 'compact' : 'comfortable';
});

/** Changes between rows with air and more rows at once. */
function switchDensity(): void {
  isCompact.value = !isCompact.value;
  if (isCompact.value) localStorage.setItem(DENSITY, '1');
  else localStorage.removeItem(DENSITY);
}

/** Who is logged in, and how that person likes to look at the page. */
function Person() {
  const person = session.value;
  if (person === null) return null;
  return (
    <details class="menu person">
      <summary>
        <Icon name="person" /> <bdi>{nameOf(person)}</bdi> <Icon name="more" />
      </summary>
      <div>
        <p class="quiet">Role: {person.role}</p>
        <button type="button" onClick={switchUtc} aria-pressed={isUtc.value}>
          Times in UTC
        </button>
        <button type="button" onClick={switchScheme}>
          {scheme.value === 'dark' ? 'Light colours' : 'Dark colours'}
        </button>
        <button type="button" onClick={switchDensity} aria-pressed={isCompact.value}>
          Compact rows
        </button>
        {person.auth === 'on' && (
          <button type="button" onClick={() => void logOut()}>
            Log out
          </button>
        )}
      </div>
    </details>
  );
}

function Page() {
  const { page, rest } = route.value;
  if (page === 'rfc') return <RfcPage key={rest} id={rest} />;
  if (page === 'queue') return <QueuePage />;
  if (page === 'help') return <HelpPage />;
  const isHidden = page === 'styles' && session.value?.auth !== 'off';
  const load = page === 'unknown' || isHidden ? undefined : LATER[page];
  if (load !== undefined) return <Later key={page} load={load} props={{}} />;
  return (
    <div class="box">
      <h1>There is no such page</h1>
      <p>
        <a href="#/queue">Go to the queue</a>
      </p>
    </div>
  );
}

const root = document.querySelector('#page');
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
  void loadSession().then(() => {
    if (session.value === null) return;
    startPulse();
    watchSession();
  });
}
