import { render } from 'preact';
import { isSessionOver } from './api.ts';
import { areKeysOn, KEYS, switchKeys } from './keys.ts';
import { QueuePage } from './pages/queue.tsx';
import { RfcPage } from './pages/rfc.tsx';
import { StatusPage } from './pages/status.tsx';
import { FailureBox, OfflineBar } from './parts.tsx';
import { route } from './route.ts';
import { loadSession, loginUrl, logOut, nameOf, session, sessionFailure } from './session.ts';

function App() {
  if (session.value === null) {
    return sessionFailure.value === null ? (
      <p class="quiet late">Loading…</p>
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
      {isSessionOver.value && (
        <div class="bar problem" role="alert">
          The session is over. What you typed is kept. <a href={loginUrl()}>Log in again</a>
        </div>
      )}
      <main>
        <Page />
      </main>
    </>
  );
}

function TopBar() {
  const { page } = route.value;
  const current = (name: string) => (page === name ? { 'aria-current': 'page' as const } : {});
  const person = session.value;
  return (
    <header class="top">
      <strong>cra</strong>
      <nav aria-label="Pages">
        <a href="#/queue" {...current('queue')}>
          Queue
        </a>
        <a href="#/status" {...current('status')}>
          Status
        </a>
        <a href="#/help" {...current('help')}>
          Help
        </a>
      </nav>
      {person !== null && (
        <span class="person">
          <bdi>{nameOf(person)}</bdi>, {person.role}{' '}
          {person.auth === 'on' && (
            <button type="button" onClick={() => void logOut()}>
              Log out
            </button>
          )}
        </span>
      )}
    </header>
  );
}

function Page() {
  const { page, id } = route.value;
  if (page === 'rfc') return <RfcPage key={id} id={id} />;
  if (page === 'queue') return <QueuePage />;
  if (page === 'status') return <StatusPage />;
  if (page === 'help') return <HelpPage />;
  return (
    <p>
      There is no such page. <a href="#/queue">Go to the queue</a>
    </p>
  );
}

function HelpPage() {
  return (
    <section>
      <h1>Help</h1>
      <p>
        A change that is BLOCKED is not deployed before somebody overrides it, with a reason that
        stays in the audit trail, or a later change removes what blocks it.
      </p>
      <h2>Keys</h2>
      <label class="tick">
        <input
          type="checkbox"
          checked={areKeysOn.value}
          onChange={(event) => switchKeys(event.currentTarget.checked)}
        />
        Single keys are on
      </label>
      <table>
        <tbody>
          {KEYS.map(([keys, does]) => (
            <tr key={keys}>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const root = document.querySelector('#page');
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
  void loadSession();
}
