import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { GateName } from '../../model/finding.ts';
import type { Provider } from '../../model/push.ts';
import { Icon, type IconName } from '../icons.tsx';
import { Bar, Folded, StatusLabel, Time, Untrusted, Words } from '../parts.tsx';
import { rfcLink } from '../route.ts';
import { isGrave, openFindings } from '../row.ts';
import { nameOf, session } from '../session.ts';
import type { Deployed, ShownRfc } from './actions.ts';

interface HeadProps {
  rfc: ShownRfc;
  /** What runs of its repository, where the RFC holds what is deployed next; else null. */
  held: readonly Deployed[] | null;
}

/** The head of an RFC: its verdict and why, who changed what, what the gates say, the score. */
export function Head({ rfc, held }: HeadProps) {
  return (
    <header class="rfc-head">
      <h1>
        <StatusLabel status={rfc.overall_status} />{' '}
        <span>
          <Why rfc={rfc} />
        </span>
      </h1>
      <Message text={rfc.commit_message} />
      <Facts rfc={rfc} held={held} />
      <div class="standing">
        <GateStates rfc={rfc} />
        <Score rfc={rfc} />
      </div>
      <Carried ids={rfc.carried_from ?? []} />
    </header>
  );
}

/** Why the change has its status, in a sentence. */
function Why({ rfc }: { rfc: ShownRfc }) {
  const last = rfc.override_history.at(-1);
  const awaited = rfc.required_reports?.filter(({ state }) => state === 'awaited') ?? [];
  switch (rfc.overall_status) {
    case 'BLOCKED':
      return <Blocked rfc={rfc} />;
    case 'DRAFT':
      return awaited.length > 0 ? (
        <>
          The gates have run; the verdict waits for reports of{' '}
          {awaited.map(({ tool }) => tool).join(', ')}
          <span class="quiet">
            , due <Time at={lastOf(awaited.map(({ due_at: at }) => at))} />
          </span>
        </>
      ) : (
        <>
          The gates still look at it
          <Waiting since={rfc.queue?.queued_at ?? rfc.created_at} />
        </>
      );
    case 'SUPERSEDED':
      return (
        <>
          A newer push of its branch replaced it
          {rfc.push?.superseded_by && (
            <>
              : <a href={rfcLink(rfc.push.superseded_by)}>{rfc.push.superseded_by}</a>
            </>
          )}
        </>
      );
    case 'PASSED':
      return <Passed rfc={rfc} />;
    default:
      if (last === undefined) return <>The same change was decided before</>;
      return (
        <>
          <Untrusted text={last.actor} max={80} /> decided <Time at={last.at} />: “
          <Untrusted text={last.reason} max={160} />”
        </>
      );
  }
}

/** The last of times in ISO 8601, UTC. */
function lastOf(times: readonly string[]): string {
  return times.reduce((last, time) => (time > last ? time : last), '');
}

/** What one attempt to judge a change may take, by the service. */
const ATTEMPT_SECONDS_MAX = 110;
const SECOND_MS = 1_000;

/** For how long a change has waited for its verdict, second by second. */
function Waiting({ since }: { since: string }) {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((now.value - Date.parse(since)) / SECOND_MS));
  const left = ATTEMPT_SECONDS_MAX - seconds;
  return (
    <span class="quiet">
      {left > 0
        ? `: a verdict within ${left} s, unless it waits behind others`
        : `, for ${Math.round(seconds / 60)} min: it waits behind others, or is tried again`}
    </span>
  );
}

/** The gravest finding and its file, and how many others block, too. */
function Blocked({ rfc }: { rfc: ShownRfc }) {
  const [worst, ...others] = openFindings(rfc).filter(isGrave);
  if (worst !== undefined) {
    return (
      <>
        <Words text={worst.title ?? worst.message} max={200} />
        {worst.file !== null && (
          <>
            {' in '}
            <code>
              <Untrusted text={worst.file} max={120} />
            </code>
          </>
        )}
        {others.length > 0 && <span class="quiet">, and {others.length} more</span>}
      </>
    );
  }
  return rfc.gates.llm.held === true ? (
    <>No model reviewed it, though no gate found anything that blocks</>
  ) : (
    <>A gate failed without a critical or high finding</>
  );
}

function Passed({ rfc }: { rfc: ShownRfc }) {
  const lesser = openFindings(rfc).length;
  if (lesser === 0) return <>No gate found anything</>;
  return <>Nothing blocks it: {counted(lesser, 'finding')} below high</>;
}

/** `1 finding`, `2 findings`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** Of a long message the first line, and the rest on demand. */
function Message({ text }: { text: string }) {
  const [first = '', ...rest] = text.trim().split('\n');
  const more = rest.join('\n').trim();
  if (first === '') return null;
  const title = <Untrusted text={first} max={200} />;
  if (more === '' && first.length <= 200) return <p class="message">{title}</p>;
  return (
    <Folded kind="message" title={title}>
      {() => (
        <pre>
          <Untrusted text={first.length > 200 ? text.trim() : more} />
        </pre>
      )}
    </Folded>
  );
}

/** Who changed what, where and when, with links to the pages of the Git host. */
function Facts({ rfc, held }: HeadProps) {
  const { submitted_by: submitter, push, stats, pull_request: pull } = rfc;
  const links = linksOf(rfc);
  return (
    <ul class="line">
      <li>
        <strong>
          <HostLink to={links?.repository}>
            <Untrusted text={rfc.repo_name} />
          </HostLink>
        </strong>
      </li>
      <Fact icon="branch">
        <HostLink to={links?.branch}>
          <Untrusted text={rfc.branch} />
        </HostLink>
      </Fact>
      {rfc.commit_sha !== null && (
        <Fact icon="commit">
          <HostLink to={links?.commit}>
            <code title={rfc.commit_sha}>{rfc.commit_sha.slice(0, 10)}</code>
          </HostLink>
        </Fact>
      )}
      {pull !== undefined && (
        <li>
          <HostLink to={links?.pull}>
            #{pull.number} <Untrusted text={pull.title} max={80} />
          </HostLink>
        </li>
      )}
      <Fact icon="person">
        {push === null ? 'submitted' : 'pushed'} by{' '}
        <Untrusted text={push?.pusher ?? nameOf({ email: null, ...submitter })} />{' '}
        <Time at={rfc.created_at} />
      </Fact>
      <li>
        {counted(stats.files, 'file')}, <span class="plus">+{stats.additions}</span>{' '}
        <span class="minus">−{stats.deletions}</span>
      </li>
      {held !== null && <OnHold rfc={rfc} deployed={held} />}
    </ul>
  );
}

function HostLink(props: { to: string | null | undefined; children: ComponentChildren }) {
  const { to, children } = props;
  if (!to) return <>{children}</>;
  return (
    <a href={to} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}

/** Where a kind of host has the pages of a branch and of a commit, below a repository. */
const PAGES_AT: Readonly<Record<Provider, { branch: string; commit: string }>> = {
  github: { branch: 'tree/', commit: 'commit/' },
  gitea: { branch: 'src/branch/', commit: 'commit/' },
  forgejo: { branch: 'src/branch/', commit: 'commit/' },
  gitlab: { branch: '-/tree/', commit: '-/commit/' },
};

const COMMIT = /^[0-9a-f]{40,64}$/;

/**
 * The pages of a push at its host: below the address that the settings have for that host, whatever
 * the change says of itself. Null: it is of no host that has pages.
 */
function linksOf({ push, repo_full_name, repo_name, branch, commit_sha, pull_request }: ShownRfc) {
  const host = session.value?.hosts.find(({ id }) => id === push?.host);
  const parts = (repo_full_name ?? repo_name).split('/');
  if (host === undefined || !parts.every(isName)) return null;
  const repository = `${host.url}/${parts.map(encodeURIComponent).join('/')}`;
  const at = PAGES_AT[host.provider];
  const names = branch.split('/');
  const url = pull_request?.url ?? null;
  const isAtHost = url?.startsWith(`${host.url}/`) === true && URL.canParse(url);
  return {
    repository,
    branch: names.every(isName)
      ? `${repository}/${at.branch}${names.map(encodeURIComponent).join('/')}`
      : null,
    commit: COMMIT.test(commit_sha ?? '') ? `${repository}/${at.commit}${commit_sha}` : null,
    pull: isAtHost ? url : null,
  };
}

/** Whether a part of a path stays where it stands. */
function isName(part: string): boolean {
  return !/^\.{0,2}$/.test(part);
}

function Fact({ icon, children }: { icon: IconName; children: ComponentChildren }) {
  return (
    <li>
      <Icon name={icon} /> {children}
    </li>
  );
}

/** What does not go on before somebody decides, or before the verdict. */
function OnHold(props: { rfc: ShownRfc; deployed: readonly Deployed[] }) {
  const { rfc, deployed } = props;
  const { components = [], pull_request: pull, push } = rfc;
  const environments = new Set(deployed.map(({ environment }) => environment));
  const held = components.filter((one) => one.status === 'BLOCKED');
  return (
    <Fact icon="draft">
      <span class="quiet">on hold:</span>{' '}
      {pull !== undefined ? (
        `merge of pull request #${pull.number}, `
      ) : push !== null ? (
        <>
          later pushes to <Untrusted text={rfc.branch} max={80} />,{' '}
        </>
      ) : null}
      {environments.size === 0 ? 'deploys' : 'deploys to '}
      <Names of={[...environments]} />
      {held.length > 0 && (held.length === 1 ? ' of component ' : ' of components ')}
      <Names of={held.map(({ id }) => id)} />
    </Fact>
  );
}

/** Environments and components that are named; more are counted. */
const NAMED_MAX = 5;

function Names({ of: names }: { of: readonly string[] }) {
  const more = names.length - NAMED_MAX;
  return (
    <>
      <Untrusted text={names.slice(0, NAMED_MAX).join(', ')} max={400} />
      {more > 0 && ` and ${more} more`}
    </>
  );
}

function Carried({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return (
    <p>
      The same change was decided before:{' '}
      {ids.map((id) => (
        <a key={id} href={rfcLink(id)}>
          {id}
        </a>
      ))}
    </p>
  );
}

/** The gates by the names that pages give them. */
export const GATES: readonly [GateName, string][] = [
  ['risk', 'risk patterns'],
  ['ast', 'AST analysis'],
  ['llm', 'LLM review'],
];

/** Why a gate did not run, in words. */
export function skipWords(reason: string): string {
  return reason === 'no_tier' ? 'no model' : reason.replaceAll('_', ' ');
}

function GateStates({ rfc: { gates } }: { rfc: ShownRfc }) {
  return (
    <ul class="line" aria-label="Gates">
      {GATES.map(([name, title]) => {
        const { status, findings, skip_reason: why } = gates[name];
        return (
          <li key={name} class={`gate ${status}`}>
            <Icon name={status} /> {title} <strong>{status}</strong>
            {findings.length > 0 && ` ${findings.length}`}
            {why !== null && <span class="quiet"> ({skipWords(why)})</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** The score as a bar of its two causes; what they come of opens below it. */
function Score({ rfc: { score, risk_score } }: { rfc: ShownRfc }) {
  return (
    <details class="menu score">
      <summary>
        <strong>Risk {risk_score}</strong> of 100
        <svg class="bar-chart" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
          <rect width={score.change_risk} height="10" />
          <rect
            class="bad"
            x={score.change_risk}
            width={Math.max(0, score.findings_risk)}
            height="10"
          />
        </svg>
        <span class="quiet">
          change {score.change_risk}, findings {score.findings_risk}
        </span>
      </summary>
      <div>
        <h2>Why {risk_score} of 100</h2>
        <table class="bars">
          <tbody>
            {score.factors.map((factor) => (
              <Factor key={factor} factor={factor} />
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** `+77: critical finding vuln-01`: the points, a bar as long as they are many, and the reason. */
function Factor({ factor }: { factor: string }) {
  const [, points = '0', reason = factor] = /^([+-]\d+): (.*)$/s.exec(factor) ?? [];
  return (
    <tr>
      <td class="number">{points.replace('-', '−')}</td>
      <td>
        <Bar
          value={Math.abs(Number(points))}
          most={100}
          kind={points.startsWith('-') ? 'less' : 'bad'}
        />
      </td>
      <th scope="row">
        <Untrusted text={reason} max={200} />
      </th>
    </tr>
  );
}
