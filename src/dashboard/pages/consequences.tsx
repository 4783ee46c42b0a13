import { rfcLink } from '../route.ts';
import type { Action, ShownRfc } from './decide.tsx';

const VERBS: Readonly<Record<Action, string>> = {
  override: 'Overriding',
  approve: 'Approving',
  reject: 'Rejecting',
};

/** What a decision does, in sentences made from the record. */
export function Consequences({ rfc, action }: { rfc: ShownRfc; action: Action }) {
  const commit = rfc.commit_sha === null ? 'this change' : rfc.commit_sha.slice(0, 10);
  const lets = action !== 'reject';
  const rests = (rfc.push?.rests_on ?? []).filter((id) => id.startsWith('RFC-'));
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
            <li>makes it the base of later pushes: what it holds is not reported again</li>
            <li>
              counts for the same change after a squash, merge or rebase in this repository, if it
              is the same byte for byte
            </li>
          </>
        )}
        {!lets && (
          <li>
            takes back what it let pass: accepted findings, commits, and verdicts that rest on it
          </li>
        )}
        {rests.length > 0 && (
          <li>
            rests on{' '}
            {rests.map((id, index) => (
              <span key={id}>
                {index > 0 && ', '}
                <a href={rfcLink(id)}>{id}</a>
              </span>
            ))}
            : it falls with them
          </li>
        )}
        <li>is written to the audit trail for good, with your name and reason</li>
      </ul>
    </>
  );
}
