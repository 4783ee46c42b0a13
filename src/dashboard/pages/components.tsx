import type { ComponentVerdict } from '../../model/components.ts';
import { Table } from '../lists.tsx';
import { Folded, SeverityLabel, StatusLabel, Untrusted } from '../parts.tsx';
import { findingLink, rfcLink } from '../route.ts';
import { placeOf } from '../row.ts';
import type { ShownRfc } from './actions.ts';

/** Rows of components that are shown at once; the rest is made when it is asked for. */
const COMPONENTS_SHOWN = 20;

/** The verdict of each component of the change, refusals first; null without components. */
export function Components({ rfc }: { rfc: ShownRfc }) {
  const { components = [] } = rfc;
  if (components.length === 0) return null;
  const rows = components.toSorted((one, other) => Number(holdsUp(other)) - Number(holdsUp(one)));
  const more = rows.slice(COMPONENTS_SHOWN);
  return (
    <section aria-label="Components">
      <h2>Components</h2>
      <ComponentTable rows={rows.slice(0, COMPONENTS_SHOWN)} rfc={rfc} />
      {more.length > 0 && (
        <Folded title={`${more.length} more components`}>
          {() => <ComponentTable rows={more} rfc={rfc} />}
        </Folded>
      )}
    </section>
  );
}

function holdsUp({ status }: ComponentVerdict): boolean {
  return status === 'BLOCKED' || status === 'REJECTED';
}

function ComponentTable({ rows, rfc }: { rows: readonly ComponentVerdict[]; rfc: ShownRfc }) {
  return (
    <Table columns={['Component', 'Verdict', 'Risk', 'Findings', 'Judged by']}>
      {rows.map((one) => (
        <tr key={one.id}>
          <td>
            <code>{one.id}</code>
          </td>
          <td>
            <StatusLabel status={one.status} />
            {one.held === true && <span class="quiet"> no model reviewed it</span>}
          </td>
          <td class="number">{one.risk_score}</td>
          <td>
            <ComponentFindings of={one} rfc={rfc} />
          </td>
          <td>
            {one.same_as === null ? (
              'this change'
            ) : (
              <a href={rfcLink(one.same_as)}>{one.same_as}</a>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** The worst findings of a component, with links where this page shows them. */
function ComponentFindings({ of, rfc }: { of: ComponentVerdict; rfc: ShownRfc }) {
  const { risk, ast, llm } = rfc.gates;
  const all = [...risk.findings, ...ast.findings, ...llm.findings];
  const hidden = of.findings_total - of.findings.length;
  if (of.findings_total === 0) return <span class="quiet">none</span>;
  return (
    <ul class="history">
      {of.findings.map(({ id, severity, file, line }) => {
        const shown = all.find((one) => one.id === id && one.file === file && one.line === line);
        const text = [id, placeOf(file, line)].filter((part) => part !== '').join(' ');
        return (
          <li key={text}>
            <SeverityLabel severity={severity} />{' '}
            {shown === undefined ? (
              <Untrusted text={text} max={200} />
            ) : (
              <a href={findingLink(rfc.rfc_id, shown.finding_id)}>
                <Untrusted text={text} max={200} />
              </a>
            )}
          </li>
        );
      })}
      {hidden > 0 && <li class="quiet">and {hidden} more</li>}
    </ul>
  );
}
