import { useEffect } from 'preact/hooks';
import { areKeysOn, KEYS, switchKeys } from '../keys.ts';
import { session } from '../session.ts';

/** What the pages are for, who may decide, and the keys. */
export function Page() {
  useEffect(() => {
    document.title = 'Help · cra';
  }, []);
  return (
    <section>
      <h1>Help</h1>
      <p>
        A change that is BLOCKED is not deployed before somebody overrides it, with a reason that
        stays in the audit trail, or a later change removes what blocks it.
      </p>
      <p>{session.value?.decides}</p>
      <h2>Keys</h2>
      <label class="tick">
        <input
          type="checkbox"
          checked={areKeysOn.value}
          onChange={(event) => switchKeys(event.currentTarget.checked)}
        />
        Single keys are on
      </label>
      <table>
        <tbody>
          {KEYS.map(([keys, does]) => (
            <tr key={keys}>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
