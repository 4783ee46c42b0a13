import type { Loaded } from '../api.ts';
import { StatusLabel, Untrusted } from '../parts.tsx';
import { rfcLink } from '../route.ts';
import type { Action, Related, RelatedRfc, ShownRfc } from './actions.ts';

const VERBS: Readonly<Record<Action, string>> = {
  override: 'Overriding',
  approve: 'Approving',
  reject: 'Rejecting',
};

/** Consequences of a decision, in sentences made from the record and related RFCs. */
export function Consequences(props: { rfc: ShownRfc; action: Action; related: Loaded<Related> }) {
  const { rfc, action, related } = props;
  const { data, failure } = related;
  const commit = rfc.commit_sha === null ? 'this change' : rfc.commit_sha.slice(0, 10);
  const lets = action !== 'reject';
  return (
    <>
      <p>
        {VERBS[action]} <code>{commit}</code>:
      </p>
      <ul>
        <li>{lets ? 'lets it deploy' : 'stops it from being deployed'}</li>
        {rfc.post_vcs_status && (
          <li>turns its commit status {lets ? 'green' : 'red'} at the Git host</li>
        )}
        {rfc.push !== null && lets && (
          <>
            <li>makes it the base of later pushes: its findings are not reported again</li>
            <li>
              counts for the same change after a squash, merge or rebase in this repository, if it
              is the same byte for byte
            </li>
          </>
        )}
        {!lets && (
          <li>
            revokes what it let pass: accepted findings, commits, and verdicts that depend on it
          </li>
        )}
        {data.value !== null && <Connected related={data.value} lets={lets} />}
        {failure.value !== null && (
          <li class="quiet">could not read what is connected with it: {failure.value.error}</li>
        )}
        <li>is written to the audit trail for good, with your name and reason</li>
      </ul>
    </>
  );
}

function Connected({ related, lets }: { related: Related; lets: boolean }) {
  const { rests_on, resting, carries_to, more } = related;
  return (
    <>
      {lets && carries_to.length > 0 && (
        <li>
          covers {count(carries_to, 'other blocked push', 'other blocked pushes')} of the same
          change, once pushed again: <Links rfcs={carries_to} />
        </li>
      )}
      {resting.length > 0 && (
        <li>
          {lets ? 'carries' : 'sends back'} {count(resting, 'verdict', 'verdicts')} that{' '}
          {resting.length === 1 ? 'rests' : 'rest'} on it{!lets && ', to be judged again'}:{' '}
          <Links rfcs={resting} />
        </li>
      )}
      {rests_on.length > 0 && (
        <li>
          depends on <Links rfcs={rests_on} />, and falls with{' '}
          {rests_on.length === 1 ? 'it' : 'them'}
        </li>
      )}
      {more && <li class="quiet">there are more than these</li>}
    </>
  );
}

function count(rfcs: RelatedRfc[], one: string, many: string): string {
  return rfcs.length === 1 ? `1 ${one}` : `${rfcs.length} ${many}`;
}

/** Links that are named; more are counted. */
const LINKS_MAX = 5;

function Links({ rfcs }: { rfcs: RelatedRfc[] }) {
  return (
    <>
      {rfcs.slice(0, LINKS_MAX).map(({ rfc_id: id, ref, commit_sha: sha, ...rfc }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <a href={rfcLink(id)}>
            <Untrusted
              text={`${(ref ?? id).replace('refs/heads/', '')} ${sha?.slice(0, 7) ?? ''}`}
            />
          </a>{' '}
          (<StatusLabel status={rfc.overall_status} />
          {rfc.is_carried && ', carried'})
        </span>
      ))}
      {rfcs.length > LINKS_MAX && ` and ${rfcs.length - LINKS_MAX} others`}
    </>
  );
}
