import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { RfcSummary } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import { ask, useLoaded, useLoadedList } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Later } from '../later.tsx';
import { Answer, FilterForm, Listing, useTitle } from '../lists.tsx';
import {
  Bar,
  Empty as EmptyState,
  Field,
  Pre,
  SeverityBadges,
  SeverityLabel,
  StatusLabel,
  Time,
  Untrusted,
  Words,
} from '../parts.tsx';
import { pageLink, rfcLink, route, searchOf } from '../route.ts';
import { isGrave, openFindings, worstFirst } from '../row.ts';
import { statusCounts, termFor, termOf, withTerm } from '../search.ts';
import { counted, type Pulse, pulse } from '../session.ts';
import { say } from '../toast.tsx';
import type { ShownRfc } from './actions.ts';
import { Head } from './head.tsx';

/** Stands for no filter: without one, the queue shows what waits for a decision. */
const ALL = 'ALL';

/** Emergency overrides that somebody has to review. */
const EMERGENCIES = 'EMERGENCIES';

/** The filters, in the order in which lists show them. */
const STATUSES = [
  ...(['BLOCKED', 'DRAFT', 'REJECTED', 'OVERRIDDEN'] as const),
  ...(['APPROVED', 'PASSED', 'SUPERSEDED'] as const),
] as const satisfies readonly RfcStatus[];

/** Between two readings of the list, when changes arrive faster. */
const REREAD_MS = 10_000;

/** RFCs that a search finds, which stands in the address: a view that is saved is a link. */
export function QueuePage() {
  useTitle('Queue');
  const { query } = route.value;
  const isReviews = query.get('status') === EMERGENCIES;
  const q = isReviews ? (query.get('q') ?? '') : searchIn(query);
  return (
    <section>
      <header class="search-head">
        <h1>Queue</h1>
        <FilterForm page="queue" filters={{ q }} fields={SEARCH_FIELD} button="Search" />
        {!isReviews && <SaveView key={q} q={q} />}
      </header>
      <div class="list-head">
        <Views q={q} isReviews={isReviews} />
        <SavedViews q={q} />
      </div>
      {isReviews ? <Emergencies repo={termOf(q, 'repo') ?? ''} /> : <Changes key={q} q={q} />}
    </section>
  );
}

const SEARCH_FIELD = {
  q: {
    title: 'Search',
    type: 'search',
    placeholder: 'repo:acme/shop rule:vuln-01 severity:high author:me age:>3d text',
  },
} as const;

/** The search of an address; links name a status or a repository, too. */
function searchIn(query: URLSearchParams): string {
  const q = query.get('q');
  if (q !== null) return q;
  const status = query.get('status') ?? 'BLOCKED';
  const repo = query.get('repo');
  return [`is:${status === ALL ? ANY : status.toLowerCase()}`, repo ? termFor('repo', repo) : '']
    .join(' ')
    .trim();
}

const ANY = 'any';

/** Views of one person, in place of the search. */
const PERSONAL = [
  ['to decide', 'is:blocked -author:me', 'BLOCKED changes of other people'],
  ['asked of me', 'is:blocked asked:me', 'BLOCKED changes that somebody asked you to decide about'],
  ['my changes', 'author:me', 'Changes with commits of yours'],
] as const;

/** Of all changes the pulse counts them. */
function countOf(status: RfcStatus, rest: string): string {
  if (rest !== '') return statusCounts.value?.rest === rest ? statusCounts.value.of(status) : '';
  return pulse.value === null ? '' : counted(pulse.value, status);
}

/** Links to the same search with another status, and to the views of the person. */
function Views({ q, isReviews }: { q: string; isReviews: boolean }) {
  const isPersonal = PERSONAL.some(([, search]) => search === q);
  const status = isReviews || isPersonal ? null : (termOf(q, 'is') ?? ANY).toUpperCase();
  const current = (is: boolean) => (is ? { 'aria-current': 'true' as const } : {});
  const rest = isReviews || isPersonal ? '' : withTerm(q, 'is', null);
  return (
    <nav aria-label="Status" class="choices">
      {STATUSES.map((each) => (
        <a
          key={each}
          href={pageLink('queue', { q: withTerm(q, 'is', each.toLowerCase()) })}
          {...current(each === status)}
        >
          {each.toLowerCase()}
          <span class="count"> {countOf(each, rest)}</span>
        </a>
      ))}
      <a
        href={pageLink('queue', { q: withTerm(q, 'is', ANY) })}
        {...current(status === ANY.toUpperCase())}
      >
        all
      </a>
      <a
        href={pageLink('queue', { status: EMERGENCIES, q: withTerm(q, 'is', null) })}
        {...current(isReviews)}
      >
        <ToReview />
      </a>
      {PERSONAL.map(([name, search, title], index) => (
        <a
          key={name}
          href={pageLink('queue', { q: search })}
          title={title}
          {...current(q === search)}
        >
          {index === 0 && <Icon name="person" />} {name}
        </a>
      ))}
    </nav>
  );
}

/** A search that somebody kept under a name, in this browser. */
interface SavedView {
  name: string;
  q: string;
}

const SAVED = 'cra-views';
const SAVED_MAX = 20;
const NAME_CHARS_MAX = 40;

const saved = signal(readSaved());

function readSaved(): SavedView[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(SAVED) ?? '[]');
    return Array.isArray(read) ? (read as SavedView[]).slice(0, SAVED_MAX) : [];
  } catch {
    return [];
  }
}

function keepSaved(views: SavedView[]): void {
  saved.value = views.slice(0, SAVED_MAX);
  localStorage.setItem(SAVED, JSON.stringify(saved.value));
}

/** The searches that this person kept. */
function SavedViews({ q }: { q: string }) {
  if (saved.value.length === 0) return null;
  return (
    <nav aria-label="Saved views" class="choices">
      {saved.value.map((view) => (
        <a
          key={view.name}
          href={pageLink('queue', { q: view.q })}
          {...(view.q === q && { 'aria-current': 'true' as const })}
        >
          <Untrusted text={view.name} max={NAME_CHARS_MAX} />
        </a>
      ))}
    </nav>
  );
}

/** A way to keep the search that is shown under a name, or to forget it. */
function SaveView({ q }: { q: string }) {
  const name = useSignal('');
  const others = saved.value.filter((view) => view.name !== name.value.trim());
  const current = saved.value.find((view) => view.q === q);
  if (current !== undefined) {
    return (
      <button
        type="button"
        class="link"
        onClick={() => keepSaved(saved.value.filter((view) => view !== current))}
      >
        Forget this view
      </button>
    );
  }
  return (
    <details class="menu">
      <summary class="link">Save this view</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.value.trim() === '') return;
          keepSaved([{ name: name.value.trim().slice(0, NAME_CHARS_MAX), q }, ...others]);
          say('View saved in this browser');
        }}
      >
        <Field title="Name" value={name.value} change={(value) => (name.value = value)} />
        <button type="submit">Save</button>
      </form>
    </details>
  );
}

/** Rows that the service gives at once, at most. */
const ROWS_MAX = 100;
/** Rows that are shown at first, and more of at a press. */
const ROWS_SHOWN = 50;
/** Parts of so many rows that are sorted by risk and waiting time. */
const SORTED_PARTS = 5;

function Changes({ q }: { q: string }) {
  const isBlocked = termOf(q, 'is')?.toUpperCase() === 'BLOCKED';
  const path = `rfcs?${searchOf({ q, limit: String(ROWS_MAX) })}`;
  const list = useLoadedList<RfcSummary>(path, isBlocked ? SORTED_PARTS : 1);
  const preview = useSignal<string | null>(null);
  const { rows, unseen, showNew } = useSteadyRows(list.rows);
  // Counts of the filters, too, stay as they are until new rows are shown.
  const at = rows?.map(({ rfc_id }) => rfc_id).join(' ') ?? '';
  // Fixed, so that rows stay where they are while they wait.
  const openedAt = useRef(Date.now());
  const most = useSignal(ROWS_SHOWN);
  const isCut = (rows?.length ?? 0) > most.value;
  const ordered = isBlocked ? byUrgency(rows, openedAt.current) : rows;
  useReread(() => list.reload(true));
  return (
    <>
      <div class="list-head pill">
        {rows !== null && list.failure.value === null && (
          <Later load={loadFacets} props={{ q, at }} />
        )}
        <p class="actions" aria-live="polite">
          {unseen > 0 && (
            <button type="button" class="main" data-key="r" onClick={showNew}>
              {unseen} new: show (r)
            </button>
          )}
        </p>
        {rows !== null && (
          <p class="actions">
            <Order isBlocked={isBlocked} sorted={list.hasOlder ? rows.length : 0} />
          </p>
        )}
      </div>
      <Listing
        list={{
          ...list,
          hasOlder: isCut || list.hasOlder,
          async loadOlder() {
            if (!isCut) await list.loadOlder();
            most.value += ROWS_SHOWN;
          },
        }}
        rows={ordered?.slice(0, most.value) ?? null}
        columns={['Status', 'Risk', 'Change', 'Repository', 'Findings', 'By', 'When']}
        kind="queue"
        empty={<Empty q={q} hasOlder={list.hasOlder} />}
      >
        {(row) => (
          <Row
            key={row.rfc_id}
            row={row}
            preview={() => {
              preview.value = row.rfc_id;
            }}
          />
        )}
      </Listing>
      {preview.value !== null && (
        <Preview
          key={preview.value}
          id={preview.value}
          close={() => {
            preview.value = null;
          }}
        />
      )}
    </>
  );
}

const loadFacets = () => import('./facets.tsx');

/** The order of the rows; `sorted`: how many of the newest, where there are more. */
function Order({ isBlocked, sorted }: { isBlocked: boolean; sorted: number }) {
  if (!isBlocked) return <span class="quiet">By status, the newest first</span>;
  return (
    <span
      class="quiet"
      title="Hours of waiting, and one more, times the risk: after an hour a risk of 50 stands where a new risk of 100 does"
    >
      Sorted by risk and waiting time{sorted > 0 && `, of the newest ${sorted}`}
    </span>
  );
}

const HOUR_MS = 3_600_000;

/** What waits longest against its risk. */
function byUrgency(rows: RfcSummary[] | null, now: number): RfcSummary[] | null {
  const urgency = ({ risk_score, created_at }: RfcSummary) =>
    risk_score * (1 + Math.max(0, now - Date.parse(created_at)) / HOUR_MS);
  return rows?.toSorted((one, other) => urgency(other) - urgency(one)) ?? null;
}

/** Reads the list again when the pulse says that something changed, but not too often. */
function useReread(reread: () => void): void {
  const newest = pulse.value === null ? null : stateOf(pulse.value);
  const last = useRef({ newest, at: Date.now() });
  useEffect(() => {
    if (newest === null || newest === last.current.newest) return;
    const isFirst = last.current.newest === null;
    last.current.newest = newest;
    if (isFirst) return;
    const wait = Math.max(0, last.current.at + REREAD_MS - Date.now());
    const timer = setTimeout(() => {
      last.current.at = Date.now();
      reread();
    }, wait);
    return () => clearTimeout(timer);
  }, [newest]);
}

/** Another text when an RFC is new or has another status. */
function stateOf({ newest, counts }: Pulse): string {
  return JSON.stringify([newest, counts]);
}

/**
 * Rows that stay where they are while somebody reads: shown rows change in place, new rows wait
 * until they are asked for.
 */
function useSteadyRows(newest: RfcSummary[] | null) {
  const shown = useSignal<readonly string[] | null>(null);
  const known = useRef(new Map<string, RfcSummary>());
  for (const row of newest ?? []) known.current.set(row.rfc_id, row);
  const all = newest?.map(({ rfc_id: id }) => id) ?? null;
  useEffect(() => {
    if (all === null) return;
    // The first rows, and requested older rows, come at once.
    const ids = shown.value ?? [];
    const old = new Set(ids);
    const last = ids.at(-1);
    const after = last === undefined ? 0 : all.indexOf(last) + 1;
    const added = ids.length === 0 ? all : after === 0 ? [] : all.slice(after);
    const next = [...ids, ...added.filter((id) => !old.has(id))];
    if (shown.value === null || next.length !== ids.length) shown.value = next;
  }, [newest]);
  const ids = shown.value ?? all ?? [];
  const visible = new Set(ids);
  return {
    rows: newest === null ? null : ids.flatMap((id) => known.current.get(id) ?? []),
    unseen: (all ?? []).filter((id) => !visible.has(id)).length,
    showNew() {
      shown.value = all;
    },
  };
}

function Empty({ q, hasOlder }: { q: string; hasOlder: boolean }) {
  const counts = pulse.value?.counts;
  const isFirst = counts !== undefined && Object.values(counts).every((count) => count === 0);
  if (hasOlder) {
    return (
      <EmptyState>
        <p>Nothing was found in the newest changes; “Show more” searches on.</p>
      </EmptyState>
    );
  }
  if (!isFirst && q.toLowerCase() === 'is:blocked') {
    return (
      <EmptyState icon="passed">
        <p>Nothing is blocked{counts !== undefined && `; ${counts.PASSED} changes have passed`}.</p>
        <p class="quiet">What a gate stops stands here until somebody decides.</p>
      </EmptyState>
    );
  }
  if (!isFirst) {
    return (
      <EmptyState>
        <p>
          Nothing matches this search. <a href={pageLink('queue', { status: ALL })}>Show all</a>
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState>
      <p>No change has been analyzed yet. Submit the first one:</p>
      <Pre text={`cra analyze --range HEAD~1..HEAD --server ${location.origin}`} />
    </EmptyState>
  );
}

function Row({ row, preview }: { row: RfcSummary; preview: () => void }) {
  return (
    <tr
      onClick={(event) => {
        if (!(event.target as HTMLElement).closest('a')) preview();
      }}
    >
      <td>
        <StatusLabel status={row.overall_status} />
      </td>
      <td class="number">
        {row.risk_score} <Bar value={row.risk_score} most={100} />
      </td>
      <td>
        <a
          href={rfcLink(row.rfc_id)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            event.stopPropagation();
            preview();
          }}
        >
          <Why row={row} />
        </a>
        <br />
        <span class="quiet">
          <Title row={row} />
        </span>
      </td>
      <td>
        <Untrusted text={row.repo_name} max={120} />
        <br />
        <span class="quiet">
          <Icon name="branch" /> <Untrusted text={row.branch} max={80} />
          {row.components?.map((id) => (
            <span key={id} class="badge">
              <Untrusted text={id} max={40} />
            </span>
          ))}
        </span>
      </td>
      <td>
        <SeverityCounts row={row} />
      </td>
      <td>
        <Untrusted text={row.submitted_by.name ?? row.submitted_by.id} max={80} />
      </td>
      <td>
        <Time at={row.created_at} />
      </td>
    </tr>
  );
}

/** A change beside the queue: its head and what was found, before it is opened. */
function Preview({ id, close }: { id: string; close: () => void }) {
  const rfc = useLoaded<ShownRfc>(`rfc/${encodeURIComponent(id)}`);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog.
    <dialog
      ref={dialog}
      class="drawer"
      aria-label="Preview"
      onClose={close}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close();
      }}
    >
      <p class="actions">
        <a class="button main" autofocus href={rfcLink(id)}>
          Open the change
        </a>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close (Esc)
        </button>
      </p>
      <Answer of={rfc}>
        {(shown) => (
          <>
            <Head rfc={shown} held={null} />
            <ul class="history">
              {worstFirst(openFindings(shown))
                .slice(0, PREVIEWED_MAX)
                .map((finding) => (
                  <li key={finding.finding_id}>
                    <SeverityLabel severity={finding.severity} />{' '}
                    <Words text={finding.title ?? finding.message} max={200} />{' '}
                    {finding.file !== null && (
                      <code>
                        <Untrusted text={`${finding.file}:${finding.line ?? ''}`} max={160} />
                      </code>
                    )}
                  </li>
                ))}
            </ul>
            {openFindings(shown).length > PREVIEWED_MAX && (
              <p class="quiet">{openFindings(shown).length - PREVIEWED_MAX} more findings</p>
            )}
          </>
        )}
      </Answer>
    </dialog>
  );
}

/** Findings of a preview; the page of the change has all. */
const PREVIEWED_MAX = 10;

/** The worst finding of a change in a sentence, else that nothing was found. */
function Why({ row }: { row: RfcSummary }) {
  const [worst] = openFindings(row);
  if (worst !== undefined) return <Words text={worst.title ?? worst.message} max={160} />;
  return <>{row.overall_status === 'DRAFT' ? 'The gates still look at it' : 'Nothing was found'}</>;
}

/** How many findings of each severity count; the list has the worst of each gate. */
function SeverityCounts({ row }: { row: RfcSummary }) {
  const isCut = Object.values(row.gates).some((gate) => gate.findings_total > gate.findings.length);
  return (
    <span class="counts">
      <SeverityBadges findings={openFindings(row)} />
      {isCut && <span class="quiet">and more</span>}
    </span>
  );
}

/** The first line of the commit message, or the id where the message is empty. */
export function Title({ row }: { row: Pick<RfcSummary, 'rfc_id' | 'commit_message'> }) {
  const [line = ''] = row.commit_message.trim().split('\n');
  return line === '' ? row.rfc_id : <Untrusted text={line} max={120} />;
}

/** The worst finding in words, and how many more there are; `3 below high`; or nothing. */
export function Worst({ row }: { row: RfcSummary }) {
  const open = openFindings(row);
  const [worst, ...others] = open.filter(isGrave);
  if (worst === undefined) return <>{open.length === 0 ? '' : `${open.length} below high`}</>;
  return (
    <>
      <Words text={worst.title ?? worst.message} max={120} />{' '}
      <span class="quiet">
        <code>{worst.id}</code>
        {others.length > 0 && ` +${others.length}`}
      </span>
    </>
  );
}

/** A row of `GET emergencies`. */
interface EmergencyRow {
  rfc: RfcSummary;
  overdue: boolean;
}

/** How many emergency overrides are to be reviewed. */
function ToReview() {
  const { due, overdue } = pulse.value?.emergencies ?? { due: null, overdue: 0 };
  return (
    <>
      to review
      <span class="count">
        {' '}
        {due !== null && (overdue > 0 ? `${due}, ${overdue} overdue` : due)}
      </span>
    </>
  );
}

/** The emergency overrides to review, the earliest date first. */
function Emergencies({ repo }: { repo: string }) {
  const list = useLoadedList<EmergencyRow>('emergencies');
  const { due, overdue } = pulse.value?.emergencies ?? { due: null, overdue: null };
  const shown = useRef<string | null>(null);
  useEffect(() => {
    const state = due === null ? null : `${due} ${overdue}`;
    if (shown.current !== null && state !== shown.current) list.reload(true);
    shown.current = state;
  }, [due, overdue]);
  const name = repo.toLowerCase();
  const rows = list.rows?.filter(({ rfc }) => name === '' || rfc.repo_name.toLowerCase() === name);
  return (
    <Listing
      list={list}
      rows={rows ?? null}
      columns={['Review due', 'Change', 'Repository', 'Overridden by', 'Reason']}
      empty={
        <EmptyState>
          <p>No emergency override waits for a review.</p>
        </EmptyState>
      }
    >
      {({ rfc, overdue: isLate }) => (
        <tr key={rfc.rfc_id}>
          <td>
            {isLate && <strong class="severity high">overdue</strong>}{' '}
            {rfc.emergency !== undefined && <Time at={rfc.emergency.due_at} />}
          </td>
          <td>
            <a href={rfcLink(rfc.rfc_id)}>
              <Title row={rfc} />
            </a>
          </td>
          <td>
            <Untrusted text={rfc.repo_name} max={120} />
          </td>
          <td>
            <Untrusted text={rfc.override?.actor ?? ''} max={80} />
          </td>
          <td>
            <Untrusted text={rfc.override?.reason ?? ''} max={200} />
          </td>
        </tr>
      )}
    </Listing>
  );
}

/** Opens the worst change that is BLOCKED and is not this one. */
export function NextBlocked({ after }: { after: string }) {
  const isLast = useSignal(false);
  const open = async () => {
    const reply = await ask<RfcSummary[]>('rfcs?status=BLOCKED&limit=50');
    const rows = reply.kind === 'data' ? reply.data : [];
    const at = rows.findIndex(({ rfc_id: id }) => id === after);
    const next = rows[at + 1] ?? rows[0];
    if (next === undefined || next.rfc_id === after) isLast.value = true;
    else location.hash = rfcLink(next.rfc_id);
  };
  if (isLast.value) return <span class="quiet">No other change is blocked.</span>;
  return (
    <button type="button" class="small" data-key="n" onClick={() => void open()}>
      Next<span class="unseen"> blocked change</span> (n)
    </button>
  );
}
