import { useLoaded } from '../api.ts';
import { Chart, grouped, percent } from '../charts.tsx';
import { Table } from '../lists.tsx';
import { FailureBox, Untrusted } from '../parts.tsx';

interface Group {
  group: string;
  curve: object | null;
  changes: number;
  failures: number;
  base_rate: number | null;
  auc: number | null;
  ece: number | null;
  model_ece: number | null;
  reliability: { from: number; to: number; changes: number; expected: number; failed: number }[];
}

/** How scores compare with what became of changes (`GET score`). */
interface Report {
  groups_total: number;
  groups: Group[];
}

/** Groups that are shown: the ones with most changes. */
const GROUPS_SHOWN = 10;

/** Reliability of the scores of each owner; nothing where no outcome is known. */
export function Score() {
  const report = useLoaded<Report>('score');
  if (report.failure.value !== null) {
    return <FailureBox failure={report.failure.value} retry={report.reload} />;
  }
  const { groups = [], groups_total = 0 } = report.data.value ?? {};
  const [largest] = groups;
  if (largest === undefined) return null;
  return (
    <section class="deploys">
      <h2>Scores and outcomes</h2>
      <div class="charts">
        <Reliability group={largest} />
        <Groups groups={groups} total={groups_total} />
      </div>
    </section>
  );
}

function nameOf({ group }: Group): string {
  return group === '' ? 'no owner' : group;
}

function Reliability({ group }: { group: Group }) {
  const { reliability } = group;
  return (
    <Chart
      title="Reliability of scores"
      kind="lines"
      labels={reliability.map(({ from, to, changes }) => `${from}–${to} (${grouped(changes)})`)}
      series={[
        { name: 'expected', tone: 'note', values: reliability.map(({ expected }) => expected) },
        { name: 'failed', tone: 'bad', values: reliability.map(({ failed }) => failed) },
      ]}
      format={percent}
      empty="No change failed."
    >
      <Untrusted text={nameOf(group)} max={200} />: tenths of change_risk, with the number of
      changes: the mean score, and the share that failed. The closer the lines, the more a score
      means what it says.
    </Chart>
  );
}

function Groups({ groups, total }: { groups: readonly Group[]; total: number }) {
  const columns = ['Owner', 'Changes', 'Failed', 'AUC', 'ECE', 'ECE, shipped curve', 'Curve'];
  const shown = (value: number | null) => (value === null ? '–' : value.toFixed(3));
  return (
    <section class="box chart wide">
      <h2>By owner</h2>
      <p class="quiet">
        AUC: the chance that a failure scored above another change. ECE: how far scores are off.
      </p>
      <Table columns={columns}>
        {groups.slice(0, GROUPS_SHOWN).map((one) => (
          <tr key={one.group}>
            <th scope="row">
              <Untrusted text={nameOf(one)} max={200} />
            </th>
            <td class="number" data-title="Changes">
              {grouped(one.changes)}
            </td>
            <td class="number" data-title="Failed">
              {one.base_rate === null ? '–' : percent(one.base_rate)}
            </td>
            <td class="number" data-title="AUC">
              {shown(one.auc)}
            </td>
            <td class="number" data-title="ECE">
              {shown(one.ece)}
            </td>
            <td class="number" data-title="ECE, shipped curve">
              {shown(one.model_ece)}
            </td>
            <td data-title="Curve">{one.curve === null ? 'shipped' : 'own'}</td>
          </tr>
        ))}
      </Table>
      {total > GROUPS_SHOWN && (
        <p class="quiet">
          The first {GROUPS_SHOWN} of {grouped(total)} owners.
        </p>
      )}
    </section>
  );
}
