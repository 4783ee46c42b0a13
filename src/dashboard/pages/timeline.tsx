import type { ComponentChildren } from 'preact';
import type { Principal } from '../../model/principal.ts';
import { useLoaded } from '../api.ts';
import { Icon, type IconName } from '../icons.tsx';
import { Time, Untrusted } from '../parts.tsx';
import { rfcLink } from '../route.ts';
import { abilities, nameOf } from '../session.ts';
import type { Deployed, ShownRfc } from './actions.ts';
import { GATES, skipWords } from './head.tsx';

/** What happened to a change; `at` in ISO 8601. */
interface Event {
  at: string;
  key: string;
  icon: IconName;
  text: ComponentChildren;
}

/** An entry of the audit trail (`GET audit`). */
interface Entry {
  ts: string;
  kind: string;
  phase: string;
  op_id: string;
  principal: Principal | null;
  actor: string | null;
  reason: string | null;
}

/**
 * What happened to a change, the newest last: by its record, by what runs of its repository
 * (`deployed`) and, for auditors, by the trail.
 */
export function Timeline(props: { rfc: ShownRfc; deployed: readonly Deployed[] }) {
  const { rfc, deployed } = props;
  const events = [...ofRecord(rfc), ...ofPeople(rfc), ...ofDeploys(rfc, deployed)];
  return (
    <section aria-label="Timeline">
      {abilities.value.has('audit') ? (
        <WithTrail rfc={rfc} events={events} />
      ) : (
        <Events events={events} />
      )}
    </section>
  );
}

/** Entries of the trail that are shown. */
const ENTRIES_MAX = 100;

function WithTrail({ rfc, events }: { rfc: ShownRfc; events: Event[] }) {
  const path = `audit?rfc_id=${encodeURIComponent(rfc.rfc_id)}&limit=${ENTRIES_MAX}`;
  const { data, failure } = useLoaded<Entry[]>(path);
  const known = new Set(rfc.override_history.map(({ decision_id: id }) => id));
  const others = (data.value ?? []).filter(
    ({ op_id: id, phase, kind }) => !known.has(id) && phase !== 'intent' && !TOLD.has(kind),
  );
  return (
    <>
      {failure.value !== null && (
        <p class="quiet">Could not load the audit trail: {failure.value.error}</p>
      )}
      <Events events={[...events, ...others.map(ofEntry)]} />
    </>
  );
}

/** What the record itself tells, with its text. */
const TOLD: ReadonlySet<string> = new Set(['finding', 'comment', 'request', 'terraform-plan']);

function Events({ events }: { events: Event[] }) {
  const sorted = events.toSorted((one, other) => (one.at < other.at ? -1 : 1));
  return (
    <ol class="timeline">
      {sorted.map(({ at, key, icon, text }) => (
        <li key={key}>
          <Icon name={icon} /> <div>{text}</div> <Time at={at} />
        </li>
      ))}
    </ol>
  );
}

/** What the service did, by the record. */
function ofRecord(rfc: ShownRfc): Event[] {
  const { push, submitted_by, created_at, updated_at, gates, landed_blocked: landed } = rfc;
  const carried = rfc.carried_from ?? [];
  const events: (Event | false)[] = [
    {
      at: created_at,
      key: 'submitted',
      icon: 'commit',
      text: (
        <>
          {push === null ? 'Submitted' : 'Pushed'} by{' '}
          <Untrusted text={push?.pusher ?? nameOf({ email: null, ...submitted_by })} max={120} />
        </>
      ),
    },
    ...GATES.map(([name, title]): Event | false => {
      const { status, duration_ms: ms, findings, skip_reason: why } = gates[name];
      const isOver = ms !== null || (why !== null && why !== 'pending');
      return (
        isOver && {
          at: created_at,
          key: name,
          icon: status,
          text: (
            <span class={`gate ${status}`}>
              {title} <strong>{status}</strong>:{' '}
              {ms === null ? skipWords(why ?? '') : `${findings.length} found in ${durationOf(ms)}`}
            </span>
          ),
        }
      );
    }),
    carried.length > 0 && {
      at: updated_at,
      key: 'carried',
      icon: 'link',
      text: (
        <>
          The decision about the same change holds for this one:{' '}
          {carried.map((id) => (
            <a key={id} href={rfcLink(id)}>
              {id}{' '}
            </a>
          ))}
        </>
      ),
    },
    push?.superseded_by != null && {
      at: updated_at,
      key: 'superseded',
      icon: 'superseded',
      text: (
        <>
          A newer push of its branch replaced it:{' '}
          <a href={rfcLink(push.superseded_by)}>{push.superseded_by}</a>
        </>
      ),
    },
    landed !== undefined && {
      at: landed.at,
      key: 'landed',
      icon: 'high',
      text: 'It landed against its verdict',
    },
    rfc.vcs_status === null &&
      rfc.post_vcs_status &&
      rfc.overall_status !== 'DRAFT' && {
        at: updated_at,
        key: 'status',
        icon: 'branch',
        text: `Commit status for the Git host: ${rfc.overall_status}`,
      },
    rfc.vcs_status !== null && {
      at: updated_at,
      key: 'status',
      icon: 'fail',
      text: (
        <>
          The commit status could not be posted: <Untrusted text={rfc.vcs_status.reason} />
        </>
      ),
    },
  ];
  return events.filter((event) => event !== false);
}

/** Where its commit runs now, since when. */
function ofDeploys({ commit_sha: commit }: ShownRfc, deployed: readonly Deployed[]): Event[] {
  return deployed.flatMap(({ environment, component, runs }) =>
    runs
      .filter(({ sha }) => sha === commit)
      .map(({ since, by }) => ({
        at: since,
        key: `deploy ${environment} ${component}`,
        icon: 'branch' as const,
        text: (
          <>
            Deployed to <Untrusted text={environment} max={80} />
            {component !== null && (
              <>
                , component <Untrusted text={component} max={120} />
              </>
            )}
            , reported by <Untrusted text={by} max={120} />
          </>
        ),
      })),
  );
}

/** Decisions, reviews, plans and remarks. */
function ofPeople(rfc: ShownRfc): Event[] {
  const { findings, comments, requests = [] } = rfc.discussion ?? { findings: [], comments: [] };
  const reviews = rfc.review_history ?? [];
  const plan = rfc.terraform_plan;
  const reports = rfc.reports ?? [];
  return [
    ...rfc.override_history.map((each) => ({
      at: each.at,
      key: each.decision_id,
      icon: DECISION_ICONS[each.action],
      text: (
        <>
          <strong>{each.emergency ? 'emergency override' : each.action}</strong> by{' '}
          <Untrusted text={each.actor} max={120} />: <Untrusted text={each.reason} max={400} />
        </>
      ),
    })),
    ...reviews.map((each) => ({
      at: each.at,
      key: each.review_id,
      icon: 'draft' as const,
      text: (
        <>
          Reviewed again by a model: {each.result}, {each.findings_added} findings added
        </>
      ),
    })),
    ...reports.map((each) => ({
      at: each.at,
      key: `report ${each.tool}`,
      icon: 'info' as const,
      text: (
        <>
          Report of <Untrusted text={each.tool} max={80} />: {each.finding_ids.length} of{' '}
          {each.results} results are findings
        </>
      ),
    })),
    ...(plan === undefined
      ? []
      : [
          {
            at: plan.at,
            key: plan.sha256,
            icon: 'info' as const,
            text: `A plan of Terraform was judged: ${plan.finding_ids.length} findings`,
          },
        ]),
    ...findings.map((each) => ({
      at: each.at,
      key: each.finding_id,
      icon: each.severity,
      text: (
        <>
          <Untrusted text={nameOf({ email: null, ...each.by })} max={120} /> added a {each.severity}{' '}
          finding: <Untrusted text={each.message} max={400} />
        </>
      ),
    })),
    ...comments.map((each) => ({
      at: each.at,
      key: each.comment_id,
      icon: 'person' as const,
      text: (
        <>
          <Untrusted text={nameOf({ email: null, ...each.by })} max={120} /> commented:{' '}
          <Untrusted text={each.text} max={400} />
        </>
      ),
    })),
    ...requests.map((each) => ({
      at: each.at,
      key: each.request_id,
      icon: 'person' as const,
      text: (
        <>
          <Untrusted text={nameOf({ email: null, ...each.by })} max={120} /> asked{' '}
          <Untrusted text={each.asked} max={120} /> to decide
        </>
      ),
    })),
  ];
}

const DECISION_ICONS = {
  override: 'overridden',
  approve: 'approved',
  reject: 'rejected',
  confirm: 'approved',
  object: 'rejected',
} as const satisfies Record<string, IconName>;

function ofEntry({ ts, kind, phase, op_id, principal, actor, reason }: Entry): Event {
  const by = actor ?? (principal === null ? null : nameOf({ email: null, ...principal }));
  return {
    at: ts,
    key: `${op_id} ${phase}`,
    icon: 'info',
    text: (
      <>
        {kind.replaceAll('-', ' ')}
        {phase !== 'whole' && phase !== 'done' && ` (${phase})`}
        {by !== null && (
          <>
            {' by '}
            <Untrusted text={by} max={120} />
          </>
        )}
        {reason !== null && (
          <>
            : <Untrusted text={reason} max={400} />
          </>
        )}
      </>
    ),
  };
}

function durationOf(ms: number): string {
  return ms < 1_000 ? `${Math.ceil(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
