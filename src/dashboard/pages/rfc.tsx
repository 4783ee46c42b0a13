import { useEffect } from 'preact/hooks';
import type { Finding, GateName } from '../../model/finding.ts';
import type { Decision } from '../../model/records.ts';
import type { Gates } from '../../model/rfc.ts';
import { useLoaded } from '../loaded.ts';
import { FailureBox, Folded, SeverityLabel, StatusLabel, Time } from '../parts.tsx';
import { rfcLink } from '../route.ts';
import { nameOf } from '../session.ts';
import { Untrusted } from '../untrusted.tsx';
import { DecisionPanel, type ShownRfc } from './decide.tsx';

/** One RFC: what blocks it, why, and the decision. Every escalation leads here. */
export function RfcPage({ id }: { id: string }) {
  const { data, failure, isLoading, reload } = useLoaded<ShownRfc>(`rfc/${encodeURIComponent(id)}`);
  const rfc = data.value;
  const isDraft = rfc?.overall_status === 'DRAFT';
  useEffect(() => {
    document.title = `${rfc === null ? id : `${rfc.overall_status} ${rfc.repo_name}`} · cra`;
  }, [rfc, id]);
  useEffect(() => {
    if (!isDraft) return;
    const timer = setInterval(() => !document.hidden && reload(), DRAFT_POLL_MS);
    return () => clearInterval(timer);
  }, [isDraft]);
  if (rfc === null) {
    if (failure.value?.status === 404) return <UnknownRfc id={id} />;
    if (failure.value !== null) return <FailureBox failure={failure.value} retry={reload} />;
    return isLoading.value ? <p class="quiet late">Loading {id}…</p> : null;
  }
  return (
    <article>
      <Header rfc={rfc} />
      {failure.value !== null && <FailureBox failure={failure.value} retry={reload} />}
      <div class="columns">
        <div>
          <Findings rfc={rfc} />
          <Score rfc={rfc} />
          <Changes rfc={rfc} />
        </div>
        <aside>
          <DecisionPanel rfc={rfc} reload={reload} />
          <History decisions={rfc.override_history} />
        </aside>
      </div>
    </article>
  );
}

const DRAFT_POLL_MS = 3_000;

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

function Header({ rfc }: { rfc: ShownRfc }) {
  const { submitted_by: submitter, push } = rfc;
  return (
    <header class="rfc-header">
      <h1>
        <StatusLabel status={rfc.overall_status} /> <span class="score">{rfc.risk_score}/100</span>{' '}
        <Untrusted text={rfc.repo_name} />{' '}
        <span class="quiet">
          <Untrusted text={rfc.branch} />
        </span>
      </h1>
      <p>
        <Untrusted text={rfc.commit_message} max={500} />
      </p>
      <p class="quiet">
        {rfc.commit_sha !== null && <code>{rfc.commit_sha.slice(0, 10)}</code>}{' '}
        {push === null ? 'submitted' : 'pushed'} by{' '}
        <Untrusted text={push?.pusher ?? nameOf({ email: null, ...submitter })} />{' '}
        <Time at={rfc.created_at} /> · <code>{rfc.rfc_id}</code>
      </p>
      <GateStates gates={rfc.gates} />
      <Standing rfc={rfc} />
    </header>
  );
}

/** What the verdict rests on besides the gates. */
function Standing({ rfc: { gates, carried_from } }: { rfc: ShownRfc }) {
  const carried = carried_from ?? [];
  return (
    <>
      {gates.llm.held === true && (
        <p>It is blocked only because no model reviewed it: no gate found anything that blocks.</p>
      )}
      {carried.length > 0 && (
        <p>
          The same change was decided before:{' '}
          {carried.map((id) => (
            <a key={id} href={rfcLink(id)}>
              {id}
            </a>
          ))}
        </p>
      )}
    </>
  );
}

const GATES: readonly [GateName, string][] = [
  ['risk', 'risk patterns'],
  ['ast', 'AST analysis'],
  ['llm', 'LLM review'],
];

function GateStates({ gates }: { gates: Gates }) {
  return (
    <ul class="gates">
      {GATES.map(([name, title]) => {
        const { status, findings, skip_reason: why } = gates[name];
        return (
          <li key={name}>
            {title} <strong class={`gate ${status}`}>{status}</strong>
            {findings.length > 0 && ` ${findings.length}`}
            {why !== null && <span class="quiet"> ({why.replaceAll('_', ' ')})</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** Findings about what no gate could look at; they stand apart from what was found. */
const COVERAGE =
  /^(?:diff-|binary-file|outside-diff|ast-unparsed|scan-crashed|risk-un|findings-overflow|llm-unreviewed)/;

function Findings({ rfc }: { rfc: ShownRfc }) {
  const { risk, ast, llm } = rfc.gates;
  const all = [...risk.findings, ...ast.findings, ...llm.findings];
  const open = all.filter(({ suppressed }) => suppressed === null);
  const isGrave = ({ severity }: Finding) => severity === 'critical' || severity === 'high';
  const unseen = open.filter(({ id }) => COVERAGE.test(id));
  const found = open.filter(({ id }) => !COVERAGE.test(id));
  const groups: readonly [string, Finding[], boolean][] = [
    ['not looked at', unseen, unseen.some(isGrave)],
    ['medium, low and informational', found.filter((each) => !isGrave(each)), false],
    ['suppressed', all.filter(({ suppressed }) => suppressed !== null), false],
  ];
  const grave = found.filter(isGrave);
  return (
    <section aria-label="Findings">
      <h2>{grave.length === 0 ? 'No critical or high findings' : counted(grave.length)}</h2>
      <FindingList findings={grave} />
      {groups
        .filter(([, findings]) => findings.length > 0)
        .map(([title, findings, isOpen]) => (
          <Folded key={title} title={`${title} (${findings.length})`} isOpen={isOpen}>
            {() => <FindingList findings={findings} />}
          </Folded>
        ))}
    </section>
  );
}

function counted(count: number): string {
  return count === 1 ? '1 critical or high finding' : `${count} critical or high findings`;
}

/** More findings of one rule than this are one line that opens. */
const SAME_RULE_MAX = 20;

function FindingList({ findings }: { findings: Finding[] }) {
  const byRule = new Map<string, Finding[]>();
  for (const finding of findings) {
    const same = byRule.get(finding.id);
    if (same === undefined) byRule.set(finding.id, [finding]);
    else same.push(finding);
  }
  return (
    <ol class="findings">
      {[...byRule].map(([id, same]) => {
        const items = () =>
          same.map((finding) => <FindingItem key={finding.finding_id} finding={finding} />);
        if (same.length <= SAME_RULE_MAX) return items();
        return (
          <li key={id}>
            <Folded title={`${same.length} findings of ${id}`}>
              {() => <ol class="findings">{items()}</ol>}
            </Folded>
          </li>
        );
      })}
    </ol>
  );
}

function FindingItem({ finding }: { finding: Finding }) {
  const { id, severity, message, file, line, column, excerpt, fix, cwe } = finding;
  const place = [file ?? '', line, column].filter((part) => part !== null && part !== '').join(':');
  return (
    <li class="finding" tabIndex={-1} data-finding={finding.finding_id}>
      <p>
        <SeverityLabel severity={severity} /> <code>{id}</code>
        {cwe !== null && <span class="quiet"> {cwe}</span>}
      </p>
      <p>
        <Untrusted text={message} />
      </p>
      {place !== '' && (
        <p class="place">
          <Untrusted text={place} />
        </p>
      )}
      {excerpt !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus.
        <pre tabIndex={0}>
          <Untrusted text={excerpt} />
        </pre>
      )}
      {finding.why !== undefined && finding.why !== '' && (
        <p class="quiet">
          In the words of the model, which nobody has checked: “
          <Untrusted text={finding.why} />”
        </p>
      )}
      {fix !== null && (
        <p>
          <strong>Fix:</strong> <Untrusted text={fix} />
        </p>
      )}
      {finding.suppressed !== null && (
        <p class="quiet">
          Suppressed by <Untrusted text={finding.suppressed.by} />:{' '}
          <Untrusted text={finding.suppressed.reason} />
        </p>
      )}
      {finding.resolved !== null && (
        <p class="quiet">
          Marked fixed by <Untrusted text={finding.resolved.by} /> <Time at={finding.resolved.at} />
        </p>
      )}
    </li>
  );
}

function Score({ rfc: { score, risk_score } }: { rfc: ShownRfc }) {
  const parts: readonly [string, number][] = [
    ['The change itself', score.change_risk],
    ['Findings', score.findings_risk],
  ];
  return (
    <section>
      <h2>Why {risk_score} of 100</h2>
      <dl class="bars">
        {parts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <meter min={0} max={100} value={value} /> {value}
            </dd>
          </div>
        ))}
      </dl>
      <ul>
        {score.factors.map((factor) => (
          <li key={factor}>{factor}</li>
        ))}
      </ul>
    </section>
  );
}

function Changes({ rfc: { stats, ref, diff_hash, rules_revision } }: { rfc: ShownRfc }) {
  return (
    <Folded title="The change in figures">
      {() => (
        <dl>
          <dt>Size</dt>
          <dd>
            {stats.files} files, +{stats.additions} −{stats.deletions}, {stats.bytes} bytes
          </dd>
          {ref !== null && (
            <>
              <dt>Ref</dt>
              <dd>
                <Untrusted text={ref} />
              </dd>
            </>
          )}
          <dt>SHA-256 of the diff</dt>
          <dd>
            <code class="wrap">{diff_hash}</code>
          </dd>
          <dt>Rules revision</dt>
          <dd>
            <code>{rules_revision}</code>
          </dd>
        </dl>
      )}
    </Folded>
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
            <strong>{each.action}</strong> by <Untrusted text={each.actor} /> <Time at={each.at} />
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
