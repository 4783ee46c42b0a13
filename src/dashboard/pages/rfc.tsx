import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Decision, RfcSummary } from '../../model/records.ts';
import { type Loaded, useLoaded } from '../api.ts';
import { useDraft } from '../draft.ts';
import { ReasonField, reasonProblem, useSend } from '../forms.tsx';
import { Later } from '../later.tsx';
import { useTitle } from '../lists.tsx';
import { ChangeTitle, Fact, FailureBox, Loading, StatusLabel, Time, Untrusted } from '../parts.tsx';
import { pageLink, rfcLink, route } from '../route.ts';
import { openFindings } from '../row.ts';
import { abilities, pulse, session } from '../session.ts';
import type { Deployed, Related, ShownRfc } from './actions.ts';
import { Components } from './components.tsx';
import { DecisionPanel, OLD } from './decide.tsx';
import { Findings } from './findings.tsx';
import { counted, Head } from './head.tsx';
import { Reviews } from './remarks.tsx';

/** One RFC: what blocks it, why, and the decision. Every escalation leads here. */
export function RfcPage({ id }: { id: string }) {
  const { data, failure, isLoading, reload } = useLoaded<ShownRfc>(`rfc/${encodeURIComponent(id)}`);
  const rfc = data.value;
  const latest = pulse.value?.rfc ?? null;
  const isOld = rfc !== null && latest?.rfc_id === rfc.rfc_id && latest.rev > rfc.rev;
  const tab = tabOf(route.value.query);
  const draft = useDraft(id);
  const related = useLoaded<Related>(`rfc/${encodeURIComponent(id)}/related`);
  const recent = useLoaded<RfcSummary[]>(rfc === null ? null : recentPath(rfc));
  const isHolding = rfc !== null && holdsDeploys(rfc, recent.data.value ?? []);
  const isDated = tab === 'timeline' && rfc?.commit_sha != null;
  const deploys = useLoaded<Deployed[]>(isHolding || isDated ? deploysPath(rfc) : null);
  const deployed = deploys.data.value ?? [];
  useTitle(rfc === null ? id : `${rfc.overall_status} ${rfc.repo_name}`);
  useEffect(() => {
    // Nobody decides about a DRAFT, so its verdict may appear by itself.
    if (isOld && rfc?.overall_status === 'DRAFT') reload(true);
  }, [isOld, latest?.rev]);
  useEffect(() => {
    // The next verdict may give an id to another finding, which nobody chose.
    const { accept_findings: accepted, ids_of } = draft.value;
    if (rfc === null || typeof accepted === 'boolean' || ids_of === rfc.updated_at) return;
    draft.value = { ...draft.value, accept_findings: false };
  }, [rfc?.updated_at]);
  if (rfc === null) {
    if (failure.value?.status === 404) return <UnknownRfc id={id} />;
    if (failure.value !== null) {
      return (
        <>
          <h1>This change could not be loaded</h1>
          <FailureBox failure={failure.value} retry={reload} />
        </>
      );
    }
    return isLoading.value ? <Loading what={id} /> : null;
  }
  return (
    <article>
      {isOld && rfc.overall_status !== 'DRAFT' && (
        <div class="bar warning" role="status">
          This change is {latest?.overall_status} now, and not what this page shows.{' '}
          <button type="button" data-key="r" onClick={() => reload()}>
            Show the newest state (r)
          </button>
        </div>
      )}
      <div class="columns">
        <div>
          <Head rfc={rfc} held={isHolding ? deployed : null} />
          <EmergencyReview rfc={rfc} isOld={isOld} reload={reload} />
          {failure.value !== null && <FailureBox failure={failure.value} retry={reload} />}
          <Components rfc={rfc} />
          <Tabs rfc={rfc} hasOthers={hasOthers(rfc, related, recent)} />
          {tab === 'findings' ? (
            <>
              <Findings rfc={rfc} draft={draft} related={related.data.value} reload={reload} />
              {isShort(rfc) && (
                <>
                  <h2>The change</h2>
                  <Later load={LATER.changes} props={{ rfc }} />
                </>
              )}
            </>
          ) : (
            <Later key={tab} load={LATER[tab]} props={{ rfc, deployed, related }} />
          )}
          <div class="beside">
            <History decisions={rfc.override_history} />
            <Reviews rfc={rfc} reload={reload} />
            <HereBefore rfc={rfc} recent={recent} />
            <Figures rfc={rfc} />
          </div>
        </div>
        <DecisionPanel rfc={rfc} draft={draft} related={related} isOld={isOld} reload={reload} />
      </div>
    </article>
  );
}

const TABS = ['findings', 'changes', 'dependencies', 'timeline', 'compare'] as const;

/** Findings and lines of a change that stand below each other on one page. */
const SHORT_FINDINGS = 2;
const SHORT_LINES = 200;

/** Whether there is room for the whole change below its findings. */
function isShort(rfc: ShownRfc): boolean {
  const { additions, deletions } = rfc.stats;
  return openFindings(rfc).length <= SHORT_FINDINGS && additions + deletions <= SHORT_LINES;
}

/** Tabs whose scripts come when they are opened. */
const LATER = {
  changes: async () => ({ Page: (await import('./changes.tsx')).Changes }),
  dependencies: async () => ({ Page: (await import('./dependencies.tsx')).Dependencies }),
  compare: async () => ({ Page: (await import('./compare.tsx')).Compare }),
  timeline: async () => ({ Page: (await import('./timeline.tsx')).Timeline }),
};

function tabOf(query: URLSearchParams): (typeof TABS)[number] {
  return TABS.find((each) => each === query.get('tab')) ?? 'findings';
}

/** The ways to look at a change: by its findings, its files, its packages, by what happened. */
function Tabs({ rfc, hasOthers }: { rfc: ShownRfc; hasOthers: boolean }) {
  const { added, removed, changed } = rfc.dependencies ?? { added: 0, removed: 0, changed: 0 };
  const packages = added + removed + changed;
  const tabs: [name: (typeof TABS)[number], title: string, count: number | string][] = [
    ['findings', 'Findings', openFindings(rfc).length],
    ['changes', 'Changes', rfc.stats.files],
    ['timeline', 'Timeline', ''],
  ];
  if (packages > 0) tabs.splice(2, 0, ['dependencies', 'Dependencies', packages]);
  const current = tabOf(route.value.query);
  if (hasOthers || current === 'compare') tabs.push(['compare', 'Compare', '']);
  return (
    <nav class="choices tabs" aria-label="Views of this change">
      {tabs.map(([name, title, count]) => (
        <a
          key={name}
          href={name === 'findings' ? rfcLink(rfc.rfc_id) : `${rfcLink(rfc.rfc_id)}?tab=${name}`}
          {...(name === current && { 'aria-current': 'true' as const })}
        >
          {title} {count}
        </a>
      ))}
    </nav>
  );
}

/** Whether other changes of the branch are known. */
function hasOthers(rfc: ShownRfc, related: Loaded<Related>, recent: Loaded<RfcSummary[]>): boolean {
  const isOther = (row: RfcSummary) => row.branch === rfc.branch && row.rfc_id !== rfc.rfc_id;
  return related.data.value?.previous != null || (recent.data.value ?? []).some(isOther);
}

/** Other changes of the repository that are shown. */
const OTHERS_MAX = 5;

/** The path of the newest changes of the repository of an RFC. */
function recentPath({ repo_name }: ShownRfc): string {
  return `rfcs?repo=${encodeURIComponent(repo_name)}&limit=${OTHERS_MAX + 1}`;
}

/**
 * Whether deploys wait for an RFC: it is open, and the newest of its branch, as far as the newest
 * changes of its repository tell.
 */
function holdsDeploys(rfc: ShownRfc, recent: readonly RfcSummary[]): boolean {
  if (rfc.overall_status !== 'BLOCKED' && rfc.overall_status !== 'DRAFT') return false;
  return recent.find(({ branch }) => branch === rfc.branch)?.rfc_id === rfc.rfc_id;
}

/** The path of what runs of the repository of an RFC. */
function deploysPath({ repo_full_name, repo_name }: ShownRfc): string {
  return `deploys?repo=${encodeURIComponent(repo_full_name ?? repo_name)}`;
}

/** The newest changes of the same repository, and what became of them. */
function HereBefore({ rfc, recent }: { rfc: ShownRfc; recent: Loaded<RfcSummary[]> }) {
  const { data, failure } = recent;
  const others = (data.value ?? [])
    .filter(({ rfc_id: id }) => id !== rfc.rfc_id)
    .slice(0, OTHERS_MAX);
  return (
    <section>
      <h2>In this repository</h2>
      {failure.value !== null && <p class="quiet">Could not load it: {failure.value.error}</p>}
      {data.value !== null && others.length === 0 && <p class="quiet">No other change yet.</p>}
      <ul class="history aligned">
        {others.map((row) => (
          <li key={row.rfc_id}>
            <StatusLabel status={row.overall_status} />
            <a href={rfcLink(row.rfc_id)}>
              <ChangeTitle row={row} />
            </a>
            <Time at={row.created_at} />
          </li>
        ))}
      </ul>
      <p>
        <a class="button small" href={pageLink('queue', { repo: rfc.repo_name })}>
          All of its changes
        </a>
      </p>
    </section>
  );
}

function UnknownRfc({ id }: { id: string }) {
  return (
    <div class="box">
      <h1>No RFC with this id</h1>
      <p>
        <Untrusted text={id} max={200} /> was deleted, or belongs to another tenant.
      </p>
      <p>
        <a href="#/queue">Go to the queue</a>
      </p>
    </div>
  );
}

function Figures({ rfc }: { rfc: ShownRfc }) {
  const { rfc_id, stats, ref, diff_hash, rules_revision } = rfc;
  return (
    <section>
      <h2>The change in figures</h2>
      <dl class="facts">
        <Fact title="RFC">
          <code class="wrap">{rfc_id}</code>
        </Fact>
        <Fact title="Size">
          {counted(stats.files, 'file')}, +{stats.additions} −{stats.deletions}, {stats.bytes} bytes
        </Fact>
        {ref !== null && (
          <Fact title="Ref">
            <Untrusted text={ref} />
          </Fact>
        )}
        <Fact title="Diff (SHA-256)">
          <code title={diff_hash}>{diff_hash.slice(0, 16)}…</code>
        </Fact>
        <Fact title="Rules revision">
          <code>{rules_revision}</code>
        </Fact>
      </dl>
    </section>
  );
}

function History({ decisions }: { decisions: Decision[] }) {
  return (
    <section>
      <h2>Decisions</h2>
      {decisions.length === 0 && <p class="quiet">Nobody has decided yet.</p>}
      <ol class="history">
        {decisions.toReversed().map((each) => (
          <li key={each.decision_id}>
            <strong>{each.emergency ? 'emergency override' : each.action}</strong> by{' '}
            <Untrusted text={each.actor} /> <Time at={each.at} />
            <br />
            <Untrusted text={each.reason} />
            {each.commit_sha !== null && (
              <span class="quiet">
                {' '}
                for <code>{each.commit_sha.slice(0, 10)}</code>
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

interface ReviewProps {
  rfc: ShownRfc;
  /** The RFC has changed since this page read it. */
  isOld: boolean;
  reload(): void;
}

/** What became of an emergency override, or the way for another person to review it. */
function EmergencyReview({ rfc, isOld, reload }: ReviewProps) {
  const { emergency, override_history: history, overall_status } = rfc;
  const made = history.find(({ decision_id: id }) => id === emergency?.decision_id);
  if (emergency === undefined || made === undefined) return null;
  const { review, due_at } = emergency;
  if (review !== 'due') {
    const by = history.findLast(({ action }) => action === REVIEWED[review].action);
    return by === undefined ? null : <Reviewed text={REVIEWED[review].text} by={by} />;
  }
  if (overall_status !== 'OVERRIDDEN') return null;
  const isLate = Date.parse(due_at) <= Date.now();
  return (
    <section class={isLate ? 'box problem' : 'box warning'} aria-label="Emergency">
      <h2>Emergency: another person has to review this override</h2>
      <p>
        <Untrusted text={made.actor} max={120} /> overrode it <Time at={made.at} />: “
        <Untrusted text={made.reason} max={400} />
        ”. The review {isLate ? 'was' : 'is'} due <Time at={due_at} />.
      </p>
      <ReviewForm made={made} rfc={rfc} isOld={isOld} reload={reload} />
    </section>
  );
}

const REVIEWED = {
  confirmed: { action: 'confirm', text: 'It was confirmed' },
  objected: { action: 'object', text: 'It was objected to, and revoked,' },
  rejected: { action: 'reject', text: 'It was rejected before it was reviewed,' },
} as const;

function Reviewed({ text, by }: { text: string; by: Decision }) {
  return (
    <p role="status">
      This was an emergency override. {text} by <Untrusted text={by.actor} max={120} />{' '}
      <Time at={by.at} />: “<Untrusted text={by.reason} max={400} />”
    </p>
  );
}

/** Whether the person at the page made the override, as the service compares it. */
function isOwn({ principal }: Decision): boolean {
  const person = session.value;
  if (person === null || principal.tenant_id !== person.tenant_id) return false;
  const address = principal.email?.toLowerCase();
  const isSameAddress = address !== undefined && address === person.email?.toLowerCase();
  return principal.id === person.id || isSameAddress;
}

function ReviewForm({ made, ...shown }: ReviewProps & { made: Decision }) {
  if (session.value === null) return null;
  if (isOwn(made)) return <p>You made this override, so another person has to review it.</p>;
  if (abilities.value.has('override')) return <Form {...shown} />;
  return (
    <p>
      Your role ({session.value.role}) may not review it. {session.value.decides}
    </p>
  );
}

function Form({ rfc, isOld, reload }: ReviewProps) {
  const reason = useSignal('');
  const problem = useSignal<string | null>(null);
  const { send, failure, isSending } = useSend<object>();
  const review = async (outcome: 'confirm' | 'object') => {
    problem.value = isOld ? OLD : reasonProblem(reason.value);
    if (problem.value !== null) return;
    const done = await send(`rfc/${encodeURIComponent(rfc.rfc_id)}/review-emergency`, {
      method: 'POST',
      body: { outcome, reason: reason.value.trim() },
      headers: { 'If-Match': `"${rfc.rev}"` },
    });
    const status = failure.value?.status;
    if (done !== null || status === 409 || status === 412) reload();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void review('confirm');
      }}
    >
      <ReasonField
        id="review-reason"
        value={reason.value}
        change={(text) => {
          reason.value = text;
        }}
      />
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      {failure.value !== null && <FailureBox failure={failure.value} />}
      <p class="actions">
        <button type="submit">{isSending.value ? 'Sending…' : 'Confirm the override'}</button>
        <button type="button" onClick={() => void review('object')}>
          Object and revoke it
        </button>
      </p>
    </form>
  );
}
