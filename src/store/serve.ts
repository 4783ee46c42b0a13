import { type Means, nextSteps } from '../model/next-steps.ts';
import type { RfcRecord } from '../model/records.ts';
import { toSarif } from '../model/sarif.ts';
import { findingsNamed } from '../model/task.ts';
import type { Registration } from '../rpc/service.ts';
import type { PushReader } from './contract/pushes.ts';
import type { RecordsReader, RecordViews, RfcView } from './contract/records.ts';
import { implementServices, type StoreReader, type StoreWriter } from './contract/store.ts';
import { parseRecord } from './stored-record.ts';

/**
 * The server's side of a driver or of one half of it: the other's methods are UNIMPLEMENTED. A
 * driver reads records as they are stored. What is made of one (SARIF, findings by name, how to get
 * out of a refusal) is made here for every driver, in the thread of the store, as a record may be
 * large.
 */
export function implementStore(
  driver: Partial<StoreWriter> | Partial<StoreReader>,
): Registration[] {
  const { records, pushes } = driver;
  return implementServices({
    ...driver,
    ...(records && 'getRfc' in records ? { records: presentRecords(records) } : {}),
    ...(pushes && 'newestPush' in pushes ? { pushes: presentPushes(pushes) } : {}),
  });
}

/** The reads of records that a driver has, and the views made of them. */
function presentRecords(records: RecordsReader): RecordsReader & RecordViews {
  return {
    ...records,
    getRfc: (input, call) =>
      whenRead(records.getRfc(input, call), (view) => withNextSteps(view, input.means)),
    getSarif: ({ tenant_id, rfc_id, means }, call) =>
      whenRead(records.getRfc({ tenant_id, rfc_id }, call), (view) => ({
        json: new TextEncoder().encode(JSON.stringify(toSarif(recordOf(view), means?.baseUrl))),
      })),
    findFindings: ({ tenant_id, rfc_id, name }, call) =>
      whenRead(records.getRfc({ tenant_id, rfc_id }, call), (view) => {
        const record = recordOf(view);
        return { repo_name: record.repo_name, findings: findingsNamed(record, name) };
      }),
  };
}

/** The same of pushes. */
function presentPushes(pushes: PushReader): PushReader {
  return {
    ...pushes,
    newestPush: (input, call) =>
      whenRead(pushes.newestPush(input, call), (view) => withNextSteps(view, input.means)),
  };
}

/** SQLite answers at once: a promise in between would cost a read as much as the read itself. */
function whenRead<Read, Shown>(
  read: Read | Promise<Read>,
  show: (read: Read) => Shown,
): Shown | Promise<Shown> {
  return read instanceof Promise ? read.then(show) : show(read);
}

function recordOf({ json }: RfcView): RfcRecord {
  return parseRecord(new TextDecoder().decode(json));
}

/** With `means`, a BLOCKED record says how to get out of it. */
function withNextSteps(view: RfcView, means: Means | undefined): RfcView {
  if (means === undefined || view.overall_status !== 'BLOCKED') return view;
  const steps = nextSteps(recordOf(view), means);
  const end = Buffer.from(`,"next_steps":${JSON.stringify(steps)}}`);
  const { json } = view;
  const shown = new Uint8Array(json.length - 1 + end.length);
  shown.set(json.subarray(0, -1));
  shown.set(end, json.length - 1);
  return { ...view, json: shown };
}
