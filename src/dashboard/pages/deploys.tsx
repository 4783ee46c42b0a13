import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AuditPlace } from '../../model/audit.ts';
import type { DeployHold } from '../../model/deploy.ts';
import type { RfcRecord } from '../../model/records.ts';
import { ask, useLoaded } from '../api.ts';
import { Chart, duration, grouped, percent, Tile } from '../charts.tsx';
import { Field, ReasonField, reasonProblem, useSend } from '../forms.tsx';
import { Table } from '../lists.tsx';
import { FailureBox, Folded, Untrusted } from '../parts.tsx';
import { searchOf } from '../route.ts';
import { abilities } from '../session.ts';

const FAILURES = {
  failed: 'failed',
  rolled_back: 'rolled back',
  replaced: 'replaced by an older commit',
  reverted: 'reverted by a later commit',
  incident: 'incident',
  defect: 'defect',
} as const;

/** How the deploys of one place went (`GET deploys/figures`). */
interface Figures {
  repo: string;
  component: string | null;
  environment: string;
  days: { date: string; deploys: number; failed: number }[];
  deploys: number;
  failures: Record<keyof typeof FAILURES, number>;
  restore_seconds: number | null;
  restored: number;
  unrestored: number;
}

type Hold = Pick<DeployHold, 'kind' | 'reason' | 'freeze' | 'may_decide'>;

/** Whether the newest change may be deployed there (`GET prod-check`). */
interface Check {
  allowed: boolean;
  reason: string;
  rfcId?: string | null;
  latest_rfc_id?: string;
  deploy?: { holds: Hold[] };
}

interface Props {
  repo: string;
  /** The period of the page. */
  days: number;
  /** Days or Mondays of the charts, their names, and to which of them a day belongs. */
  dates: readonly string[];
  labels: readonly string[];
  dateOf(day: string): string;
}

/** The answer, and the commit that it is about; null: the RFC has none. */
type Checked = Check & { commit: string | null };

/** By `keyOf`; null: there was no answer. */
type Checks = ReadonlyMap<string, Checked | null>;

function keyOf({ environment, repo, component }: Figures): string {
  return JSON.stringify([environment, repo, component]);
}

/** As the service keeps outcomes. */
const DAYS_MAX = 90;
const PLACES_MAX = 50;
/** Places that are asked whether a deploy is held: each is a question of its own. */
const CHECKED_MAX = 10;

/** How deploys go; nothing where none was reported. */
export function Deploys({ repo, days: period, ...time }: Props) {
  const days = String(Math.min(period, DAYS_MAX));
  const figures = useLoaded<Figures[]>(
    `deploys/figures?${searchOf({ days, repo, limit: String(PLACES_MAX) })}`,
  );
  const checks = useSignal<Checks>(new Map());
  const places = figures.data.value;
  useEffect(() => {
    const abort = new AbortController();
    checkAll(places ?? [], abort.signal).then(
      (all) => {
        checks.value = all;
      },
      () => undefined,
    );
    return () => abort.abort();
  }, [places]);
  if (figures.failure.value !== null) {
    return <FailureBox failure={figures.failure.value} retry={figures.reload} />;
  }
  if (places === null || places.length === 0) return null;
  return (
    <section class="deploys">
      <h2>Deploys</h2>
      <Tiles places={places} checks={checks.value} />
      <div class="charts">
        <PerDay places={places} {...time} />
      </div>
      <Places places={places} checks={checks.value} days={Number(days)} />
      {figures.nextCursor.value !== null && (
        <p class="quiet">Of the first {PLACES_MAX} places; a repository narrows them.</p>
      )}
      {period > DAYS_MAX && <p class="quiet">Of the last {DAYS_MAX} days.</p>}
    </section>
  );
}

async function checkAll(places: readonly Figures[], signal: AbortSignal): Promise<Checks> {
  const asked = places.slice(0, CHECKED_MAX).map(async (place) => {
    return [keyOf(place), await checkPlace(place, signal)] as const;
  });
  return new Map(await Promise.all(asked));
}

/**
 * Asks about the commit that would be deployed next: that of the newest RFC. Only of a commit does
 * the answer show all changes since what runs there. Null: not known.
 */
async function checkPlace(place: Figures, signal: AbortSignal): Promise<Checked | null> {
  const { repo, environment, component } = place;
  const path = repo.split('/').map(encodeURIComponent).join('/');
  const check = async (sha: string) => {
    const of = searchOf({ environment, component: component ?? '', sha });
    const reply = await ask<Check>(`prod-check/${path}?${of}`, { signal });
    return reply.kind === 'data' ? reply.data : null;
  };
  const newest = await check('');
  if (newest?.latest_rfc_id === undefined) return newest && { ...newest, commit: null };
  const rfc = await ask<Pick<RfcRecord, 'commit_sha'>>(
    `rfc/${encodeURIComponent(newest.latest_rfc_id)}`,
    { signal },
  );
  // A deleted RFC still refuses its change; without the commit nothing else is sure.
  if (rfc.kind !== 'data' && newest.allowed) return null;
  const commit = rfc.kind === 'data' ? rfc.data.commit_sha : null;
  const exact = commit === null ? newest : await check(commit);
  return exact && { ...exact, commit };
}

function Tiles(props: { places: readonly Figures[]; checks: Checks }) {
  const { places, checks } = props;
  const sum = (read: (one: Figures) => number) => places.reduce((all, one) => all + read(one), 0);
  const deploys = sum((one) => one.deploys);
  const failed = sum(failedOf);
  const known = places.flatMap((place) => checks.get(keyOf(place)) ?? []);
  const held = known.filter(({ allowed }) => !allowed).length;
  const slowest = Math.max(-1, ...places.map((one) => one.restore_seconds ?? -1));
  return (
    <dl class="tiles">
      <Tile title="Deploys held" value={known.length === 0 ? '–' : held}>
        {held > 0 && 'the newest commit may not go out; '}of {known.length}{' '}
        {known.length === 1 ? 'place' : 'places'} asked
      </Tile>
      <Tile title="Deploys" value={grouped(deploys)}>
        reported as succeeded or failed
      </Tile>
      <Tile title="Change failure share" value={deploys === 0 ? '–' : percent(failed / deploys)}>
        {grouped(failed)} of {grouped(deploys)} deploys
      </Tile>
      <Tile title="Time to restore" value={slowest < 0 ? '–' : duration(slowest)}>
        {slowest < 0 ? 'nothing was restored' : 'half of the failures, in the slowest place'};{' '}
        {sum((one) => one.unrestored)} not restored
      </Tile>
    </dl>
  );
}

function failedOf({ failures }: Figures): number {
  return Object.values(failures).reduce((sum, count) => sum + count, 0);
}

function PerDay(
  props: { places: readonly Figures[] } & Pick<Props, 'dates' | 'labels' | 'dateOf'>,
) {
  const { places, dates, labels, dateOf } = props;
  const sums = new Map<string, { good: number; bad: number }>();
  for (const { date, deploys, failed } of places.flatMap((one) => one.days)) {
    const key = dateOf(date);
    const { good, bad } = sums.get(key) ?? { good: 0, bad: 0 };
    sums.set(key, { good: good + deploys - failed, bad: bad + failed });
  }
  const each = (read: (sum: { good: number; bad: number }) => number) =>
    dates.map((date) => {
      const sum = sums.get(date);
      return sum === undefined ? null : read(sum);
    });
  const common = { labels, empty: 'No deploy was reported in this time.' };
  return (
    <>
      <Chart
        title="Deploys over time"
        kind="columns"
        {...common}
        series={[
          { name: 'failed', tone: 'bad', values: each(({ bad }) => bad) },
          { name: 'succeeded', tone: 'good', values: each(({ good }) => good) },
        ]}
        isWide={true}
      >
        Failed: by the report of the deploy, or by what became of its commit since.
      </Chart>
      <Chart
        title="Change failure share"
        kind="lines"
        {...common}
        empty="No deploy failed in this time."
        series={[
          { name: 'failed', tone: 'bad', values: each(({ good, bad }) => bad / (good + bad)) },
        ]}
        format={percent}
      >
        Of the deploys of a day or week.
      </Chart>
    </>
  );
}

function Places(props: { places: readonly Figures[]; checks: Checks; days: number }) {
  const { places, checks, days } = props;
  const columns = ['Environment', 'Held now', 'Deploys', 'A day', 'Failed', 'Restored within'];
  return (
    <section class="box chart wide">
      <h2>By component</h2>
      <p class="quiet">
        A failure ends when another commit runs there; half of the failures end in this time.
      </p>
      <Table columns={columns}>
        {places.map((one) => (
          <tr key={keyOf(one)}>
            <th scope="row">
              <Untrusted text={nameOf(one)} max={200} />
            </th>
            <td data-title="Held now">
              <Held place={one} check={checks.get(keyOf(one)) ?? null} />
            </td>
            <td class="number" data-title="Deploys">
              {grouped(one.deploys)}
            </td>
            <td class="number" data-title="A day">
              {Number((one.deploys / days).toPrecision(2))}
            </td>
            <td data-title="Failed">{failuresIn(one)}</td>
            <td class="number" data-title="Restored within">
              {one.restore_seconds === null ? '–' : duration(one.restore_seconds)}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

function nameOf({ environment, repo, component }: Figures): string {
  return `${environment}: ${repo}${component === null ? '' : ` / ${component}`}`;
}

function Held({ place, check }: { place: Figures; check: Checked | null }) {
  if (check === null) return <span class="quiet">unknown</span>;
  const commit = check.commit !== null && (
    <code title={check.commit}>{check.commit.slice(0, 10)}</code>
  );
  if (check.allowed) return <span class="quiet">no {commit}</span>;
  const reason = <Untrusted text={check.reason} max={200} />;
  const holds = check.deploy?.holds ?? [];
  const freezes = holds.filter(({ kind }) => kind === 'freeze');
  // A freeze is not about the RFC that the answer names.
  const rfcId = holds[0]?.kind === 'freeze' ? null : (check.rfcId ?? null);
  return (
    <>
      {commit} {rfcId === null ? reason : <a href={`#/rfc/${rfcId}`}>{reason}</a>}
      {freezes.map((freeze) => (
        <div key={freeze.reason}>
          {freeze.reason !== check.reason && <Untrusted text={freeze.reason} max={200} />}
          {freeze.may_decide !== null && (
            <span class="quiet"> A {freeze.may_decide} may let a commit pass, with a reason.</span>
          )}
          {freeze.may_decide !== null &&
            freeze.freeze !== null &&
            abilities.value.has('reject') && (
              <FreezePass place={place} freeze={freeze.freeze} next={check.commit ?? ''} />
            )}
        </div>
      ))}
    </>
  );
}

/** A full commit id: SHA-1 or SHA-256. */
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/** Lets one commit pass a freeze; the service decides whether the role of the person is enough. */
function FreezePass(props: { place: Figures; freeze: string; next: string }) {
  const { place, freeze, next } = props;
  const commit = useSignal(next);
  const reason = useSignal('');
  const problem = useSignal<string | null>(null);
  const passed = useSignal<{ sha: string; seq: number } | null>(null);
  const { isSending, failure, send } = useSend<{ audit: AuditPlace }>();
  const pass = async () => {
    const sha = commit.value.trim();
    problem.value = COMMIT.test(sha)
      ? reasonProblem(reason.value)
      : 'Give the full commit id: 40 or 64 hexadecimal digits.';
    if (problem.value !== null) return;
    const { repo, environment, component } = place;
    const about = { repo, environment, ...(component !== null && { component }) };
    const body = { ...about, sha, freeze, reason: reason.value.trim() };
    const answer = await send('deploys/pass-freeze', { method: 'POST', body });
    if (answer !== null) passed.value = { sha, seq: answer.audit.seq };
  };
  if (passed.value !== null) {
    const { sha, seq } = passed.value;
    return (
      <p role="status">
        Commit <code>{sha.slice(0, 12)}</code> may pass this freeze: entry {seq} of the audit trail.
      </p>
    );
  }
  return (
    <Folded title="Let a commit pass">
      {() => (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void pass();
          }}
        >
          <Field
            title="Commit"
            isCode={true}
            value={commit.value}
            change={(value) => (commit.value = value)}
          />
          <ReasonField value={reason.value} change={(value) => (reason.value = value)} />
          {problem.value !== null && <p role="alert">{problem.value}</p>}
          {failure.value !== null && <FailureBox failure={failure.value} />}
          <button type="submit">{isSending.value ? 'Sending…' : 'Let it pass'}</button>
        </form>
      )}
    </Folded>
  );
}

function failuresIn(one: Figures): string {
  const kinds = Object.entries(FAILURES).flatMap(([kind, words]) => {
    const count = one.failures[kind as keyof typeof FAILURES];
    return count === 0 ? [] : [`${count} ${words}`];
  });
  if (kinds.length === 0) return one.deploys === 0 ? '–' : '0 %';
  return `${percent(failedOf(one) / one.deploys)}: ${kinds.join(', ')}`;
}
