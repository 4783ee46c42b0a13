import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { RfcSummary } from '../../model/records.ts';
import { type LoadedList, useLoadedList } from '../api.ts';
import { Icon } from '../icons.tsx';
import { Later } from '../later.tsx';
import { Listing } from '../lists.tsx';
import {
  Bar,
  ChangeTitle,
  Empty as EmptyState,
  Pre,
  SeverityBadges,
  StatusLabel,
  Time,
  Untrusted,
  Words,
} from '../parts.tsx';
import { pageLink, rfcLink, searchOf } from '../route.ts';
import { openFindings } from '../row.ts';
import { termOf } from '../search.ts';
import { type Pulse, pulse } from '../session.ts';
import { Facets } from './facets.tsx';

/** Rows that the service gives at once, at most. */
const ROWS_MAX = 100;
/** Rows that are shown at first, and more of at a press. */
const ROWS_SHOWN = 50;
/** Parts of so many rows that are sorted by risk and waiting time. */
const SORTED_PARTS = 5;

/** The changes that a search finds, with its filters, and a preview of one of them. */
export function Changes({ q }: { q: string }) {
  const isBlocked = termOf(q, 'is')?.toUpperCase() === 'BLOCKED';
  const path = `rfcs?${searchOf({ q, limit: String(ROWS_MAX) })}`;
  const list = useLoadedList<RfcSummary>(path, isBlocked ? SORTED_PARTS : 1);
  const preview = useSignal<string | null>(null);
  const { rows, unseen, shownAt, showNew } = useSteadyRows(list);
  // Fixed, so that rows stay where they are while they wait.
  const openedAt = useRef(Date.now());
  const most = useSignal(ROWS_SHOWN);
  const isCut = (rows?.length ?? 0) > most.value;
  const ordered = isBlocked ? byUrgency(rows, openedAt.current) : rows;
  useReread(() => list.reload(true));
  return (
    <>
      <div class="list-head pill">
        {list.failure.value === null && <Facets q={q} shownAt={shownAt} />}
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
        <Later
          key={preview.value}
          load={loadPreview}
          props={{
            id: preview.value,
            close() {
              preview.value = null;
            },
          }}
        />
      )}
    </>
  );
}

const loadPreview = () => import('./preview.tsx');

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

/** Between two readings of the list, when changes arrive faster. */
const REREAD_MS = 10_000;
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
function useSteadyRows({ rows: newest, isReread }: LoadedList<RfcSummary>) {
  const shown = useSignal<readonly string[] | null>(null);
  const shownAt = useSignal(0);
  const known = useRef(new Map<string, RfcSummary>());
  for (const row of newest ?? []) {
    // A row that is as it was stays the same object, and is not made again.
    if (known.current.get(row.rfc_id)?.rev !== row.rev) known.current.set(row.rfc_id, row);
  }
  const all = newest?.map(({ rfc_id: id }) => id) ?? null;
  useEffect(() => {
    if (all === null) return;
    // The first rows, and requested older rows, come at once.
    const ids = shown.value ?? [];
    if (isReread && ids.length > 0) return;
    const old = new Set(ids);
    const last = ids.at(-1);
    const after = last === undefined ? 0 : all.indexOf(last) + 1;
    const added = ids.length === 0 ? all : after === 0 ? [] : all.slice(after);
    const next = [...ids, ...added.filter((id) => !old.has(id))];
    if (shown.value === null || next.length !== ids.length) shown.value = next;
    if (isReread && next.length > 0) shownAt.value += 1;
  }, [newest]);
  const ids = shown.value ?? all ?? [];
  const visible = new Set(ids);
  return {
    rows: newest === null ? null : ids.flatMap((id) => known.current.get(id) ?? []),
    unseen: (all ?? []).filter((id) => !visible.has(id)).length,
    /** Another number when new rows are shown: counts of the filters stay as they are till then. */
    shownAt: shownAt.value,
    showNew() {
      shown.value = all;
      shownAt.value += 1;
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
          Nothing matches this search. <a href={pageLink('queue', { q: 'is:any' })}>Show all</a>
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
  return useMemo(
    () => (
      <tr
        onClick={(event) => {
          if (!(event.target as HTMLElement).closest('a')) preview();
        }}
      >
        <td>
          <StatusLabel status={row.overall_status} />
        </td>
        <td class="number">
          {row.risk_score}
          <Bar value={row.risk_score} most={100} />
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
          <div class="quiet">
            <ChangeTitle row={row} />
          </div>
        </td>
        <td>
          <Untrusted text={row.repo_name} max={120} />
          <div class="quiet">
            <Icon name="branch" />
            <Untrusted text={row.branch} max={80} />
            {row.components?.map((id) => (
              <span key={id} class="badge">
                <Untrusted text={id} max={40} />
              </span>
            ))}
          </div>
        </td>
        <td>
          <SeverityBadges findings={openFindings(row)} />
          {Object.values(row.gates).some(hasMore) && <span class="quiet">and more</span>}
        </td>
        <td>
          <Untrusted text={row.submitted_by.name ?? row.submitted_by.id} max={80} />
        </td>
        <td>
          <Time at={row.created_at} />
        </td>
      </tr>
    ),
    [row],
  );
}

/** Whether a gate found more than the list has, which is the worst of each gate. */
function hasMore({ findings, findings_total }: RfcSummary['gates']['risk']): boolean {
  return findings_total > findings.length;
}

/** The worst finding of a change in a sentence, else that nothing was found. */
function Why({ row }: { row: RfcSummary }) {
  const [worst] = openFindings(row);
  if (worst !== undefined) return <Words text={worst.title ?? worst.message} max={160} />;
  return <>{row.overall_status === 'DRAFT' ? 'The gates still look at it' : 'Nothing was found'}</>;
}
