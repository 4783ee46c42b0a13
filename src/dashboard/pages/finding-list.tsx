import type { Finding } from '../../model/finding.ts';
import { SeverityLabel, Untrusted, Words } from '../parts.tsx';
import { findingLink } from '../route.ts';
import { placeOf } from '../row.ts';

/** The first findings of a change, each in a line that leads to it; more are counted. */
export function FindingList(props: { rfcId: string; findings: readonly Finding[]; most: number }) {
  const { rfcId, findings, most } = props;
  const more = findings.length - most;
  return (
    <>
      <ul class="history aligned">
        {findings.slice(0, most).map(({ finding_id, severity, title, message, file, line }) => (
          <li key={finding_id}>
            <SeverityLabel severity={severity} />
            <span>
              <a href={findingLink(rfcId, finding_id)}>
                <Words text={title ?? message} max={200} />
              </a>{' '}
              <code class="quiet">
                <Untrusted text={placeOf(file, line)} max={200} />
              </code>
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p class="quiet">
          {more} more {more === 1 ? 'finding' : 'findings'}
        </p>
      )}
    </>
  );
}
