import { Table } from '../lists.tsx';
import { Untrusted } from '../parts.tsx';
import type { ShownRfc } from './actions.ts';

/** The packages that a change adds, removes, or brings in another version. */
export function Dependencies({ rfc }: { rfc: ShownRfc }) {
  const { dependencies } = rfc;
  if (dependencies === undefined) return <p class="quiet">This change alters no lockfile.</p>;
  const { added, transitive = 0, removed, changed, packages } = dependencies;
  const total = added + removed + changed;
  if (total === 0) return <p class="quiet">No package comes, goes or changes its version.</p>;
  return (
    <section>
      <h2>Dependencies</h2>
      <p>
        {added} added{transitive > 0 && ` (${transitive} that no manifest asks for)`}, {removed}{' '}
        removed, {changed} changed
        {packages.length < total && `; ${packages.length} of ${total} are listed`}
      </p>
      <Table columns={['Package', 'Before', 'After', 'Asked for by', 'Lockfile']}>
        {packages.map(({ file, name, from, to, direct, required_by }, index) => (
          <tr key={`${index} ${name}`}>
            <th scope="row">
              <Untrusted text={name} max={200} />
            </th>
            <td>{from === null ? 'new' : <Untrusted text={from} max={60} />}</td>
            <td>{to === null ? 'removed' : <Untrusted text={to} max={60} />}</td>
            <td>
              {direct ? 'the manifest' : <Untrusted text={required_by ?? 'not known'} max={120} />}
            </td>
            <td>
              <Untrusted text={file} max={200} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
