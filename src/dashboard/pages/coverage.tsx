import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { HostCoverage, RepositoryCoverage } from '../../model/coverage.ts';
import { useLoaded } from '../api.ts';
import { Icon, type IconName } from '../icons.tsx';
import { Answer, Choices, FilterForm, REPOSITORY_FIELD, Table, useTitle } from '../lists.tsx';
import { Empty, Time, Untrusted } from '../parts.tsx';
import { pageLink, route } from '../route.ts';

type State = RepositoryCoverage['coverage'];

/** What needs somebody comes first. */
const STATES: readonly State[] = ['gap', 'unknown', 'covered'];
const ALL = 'all';

const LOOKS: Readonly<Record<State, { icon: IconName; kind: string; word: string }>> = {
  gap: { icon: 'blocked', kind: 'blocked', word: 'gap' },
  unknown: { icon: 'draft', kind: 'draft', word: 'not known' },
  covered: { icon: 'passed', kind: 'passed', word: 'covered' },
};

/** Rows that one host shows; a search finds the others. */
const ROWS_MAX = 200;
const POLL_MS = 15_000;

/** Whether each repository of the configured owners is covered by the gate. */
export function Page() {
  useTitle('Coverage');
  const coverage = useLoaded<HostCoverage[]>('coverage');
  const { query } = route.value;
  const state: State | typeof ALL = STATES.find((each) => each === query.get('state')) ?? ALL;
  const filters = { state, repo: query.get('repo') ?? '' };
  const isUnderWay = coverage.data.value?.some(({ started_at }) => started_at !== null) === true;
  useEffect(() => {
    if (!isUnderWay) return;
    const timer = setInterval(() => !document.hidden && coverage.reload(true), POLL_MS);
    return () => clearInterval(timer);
  }, [isUnderWay]);
  return (
    <section>
      <h1>Coverage</h1>
      <Answer of={coverage}>
        {(hosts) =>
          hosts.length === 0 ? (
            <Empty>
              <p>No owners are configured.</p>
              <p>
                Name organizations, groups or users in <code>owners</code> of a host
                (SERVICE_VCS_CONFIG): then this page shows whether each of their repositories has
                the webhook and requires <code>cra/gate</code>.
              </p>
            </Empty>
          ) : (
            <Shown hosts={hosts} filters={filters} />
          )
        }
      </Answer>
    </section>
  );
}

function Shown(props: {
  hosts: readonly HostCoverage[];
  filters: Readonly<{ state: State | typeof ALL; repo: string }>;
}) {
  const { hosts, filters } = props;
  const part = filters.repo.toLowerCase();
  const named = hosts.map((host) => ({
    host,
    found: host.repositories.filter(({ repo }) => repo.toLowerCase().includes(part)),
  }));
  const all = named.flatMap(({ found }) => found);
  const countOf = (state: string) =>
    all.filter(({ coverage }) => state === ALL || coverage === state).length;
  return (
    <>
      <FilterForm page="coverage" filters={filters} fields={REPOSITORY_FIELD}>
        <Choices
          label="State"
          values={[ALL, ...STATES]}
          current={filters.state}
          link={(each) => pageLink('coverage', { ...filters, state: each })}
          text={(each) => `${each === 'unknown' ? LOOKS.unknown.word : each} ${countOf(each)}`}
        />
      </FilterForm>
      {named.map(({ host, found }) => (
        <Host
          key={host.host}
          host={host}
          rows={found.filter(({ coverage }) => [ALL, coverage].includes(filters.state))}
        />
      ))}
    </>
  );
}

function Host({ host, rows }: { host: HostCoverage; rows: readonly RepositoryCoverage[] }) {
  const { host: id, owners, started_at, finished_at, listed, checked, problem } = host;
  const sorted = rows.toSorted(
    (one, other) =>
      STATES.indexOf(one.coverage) - STATES.indexOf(other.coverage) ||
      one.repo.localeCompare(other.repo),
  );
  return (
    <section>
      <h2>{id}</h2>
      <p class="quiet">
        <Untrusted text={owners.join(', ')} max={1_000} />.{' '}
        {finished_at === null ? (
          'No round has ended yet.'
        ) : (
          <>
            Checked <Time at={finished_at} />.
          </>
        )}
        {started_at !== null && ` A round is under way: ${checked} of ${listed} are checked.`}
      </p>
      {problem !== null && (
        <p class="box warning" role="status">
          <Untrusted text={problem} max={400} />
        </p>
      )}
      {sorted.length === 0 ? (
        <p>{host.repositories.length === 0 ? 'No repository is known yet.' : 'None matches.'}</p>
      ) : (
        <Table
          columns={[
            'Repository',
            'State',
            'Webhook',
            'Default branch',
            'May bypass',
            'Newest push',
          ]}
        >
          {sorted.slice(0, ROWS_MAX).map((row) => (
            <Repository key={row.repo} row={row} />
          ))}
        </Table>
      )}
      {sorted.length > ROWS_MAX && (
        <p class="quiet">{sorted.length - ROWS_MAX} more: search for a part of their names.</p>
      )}
    </section>
  );
}

function Repository({ row }: { row: RepositoryCoverage }) {
  const { repo, coverage, checked_at, last_delivery_at: delivered, bypass } = row;
  const { icon, kind, word } = LOOKS[coverage];
  return (
    <tr>
      <th scope="row">
        <a href={pageLink('queue', { q: `is:any repo:${repo}` })}>
          <Untrusted text={repo} max={300} />
        </a>
      </th>
      <td>
        <span class={`badge ${kind}`}>
          <Icon name={icon} /> {word}
        </span>{' '}
        <span class="quiet">
          <Time at={checked_at} />
        </span>
      </td>
      <td>
        {WEBHOOKS[row.webhook]}
        {delivered !== null && (
          <>
            , last delivery <Time at={delivered} />
          </>
        )}
      </td>
      <td>
        <GateOf row={row} />
      </td>
      <td>
        {bypass === null ? (
          <span class="quiet">not known</span>
        ) : (
          <Untrusted text={bypass.join(', ') || 'nobody'} max={400} />
        )}
      </td>
      <td>{PUSHES[row.newest_push]}</td>
    </tr>
  );
}

const WEBHOOKS: Readonly<Record<RepositoryCoverage['webhook'], ComponentChildren>> = {
  active: 'works',
  failing: <strong>fails</strong>,
  missing: <strong>is missing</strong>,
  unknown: <span class="quiet">not known</span>,
};

const PUSHES: Readonly<Record<RepositoryCoverage['newest_push'], ComponentChildren>> = {
  judged: 'judged',
  waiting: 'waits for its verdict',
  unjudged: <strong>not judged</strong>,
  none: <span class="quiet">no push is known</span>,
};

/** Whether the default branch requires the gate, and who may set its status. */
function GateOf({ row: { default_branch, gate, gate_source } }: { row: RepositoryCoverage }) {
  if (default_branch === null) return <span class="quiet">empty repository</span>;
  const branch = <Untrusted text={default_branch} max={200} />;
  if (gate === 'unknown') {
    return (
      <>
        {branch}: <span class="quiet">not known</span>
      </>
    );
  }
  if (gate === 'missing') {
    return (
      <>
        {branch} <strong>does not require cra/gate</strong>
      </>
    );
  }
  return (
    <>
      {branch} requires cra/gate {gate_source === 'app' ? 'of the App' : 'of anybody'}
    </>
  );
}
