import { hash } from 'node:crypto';
import type { RecordText } from '../../../model/record-text.ts';
import type { AcceptedPush, PushKeys } from '../../contract/pushes.ts';
import { takenId } from '../../errors.ts';
import { repoKey } from '../../stored-record.ts';
import type { Connection } from '../database.ts';
import { createHeadsReader } from './heads.ts';
import { PUSH_QUERIES } from './queries.ts';

interface IdRow {
  rfc_id: string;
}

/** The step that takes a new push, within a transaction: one insert, unless it is known. */
export function createAcceptStep(
  database: Connection,
  now: () => number,
): (record: RecordText, push: PushKeys) => AcceptedPush {
  const insertRow = database.prepare(PUSH_QUERIES.acceptPush);
  const findSwept = database.prepare<unknown[], IdRow>(PUSH_QUERIES.sweptPush);
  const takeWebhook = database.prepare(PUSH_QUERIES.takeWebhook);
  const heads = createHeadsReader(database);
  const findByDelivery = database.prepare<[Buffer], IdRow>(PUSH_QUERIES.pushByDelivery);
  const findByBody = database.prepare<[Buffer | null], IdRow>(PUSH_QUERIES.pushByBody);

  /** The RFC of the same push, which a webhook announces and a sweep found, in either order. */
  function samePush({ tenant_id, commit_sha }: RecordText, keys: PushKeys, body: Buffer | null) {
    const { repo_key, ref } = keys;
    const swept = body === null ? null : findSwept.get(tenant_id, repo_key, ref, commit_sha);
    if (swept === undefined) return null;
    const [newest] = heads.viewsOf({ tenant_id, repo_key, refs: [ref] });
    if (newest?.commit_sha !== commit_sha || newest.is_unjudged) return null;
    if (swept === null) return newest.rfc_id;
    if (newest.rfc_id !== swept.rfc_id || findByBody.get(body) !== undefined) return null;
    takeWebhook.run(body, swept.rfc_id);
    return swept.rfc_id;
  }

  return (record, keys) => {
    const { ref, delivery, body_hash, repo_key } = keys;
    const { rfc_id, vcs_host } = record;
    const deliveryKey = halfHash(hash('sha256', delivery));
    const bodyKey = body_hash === null ? null : halfHash(body_hash);
    const known = samePush(record, keys, bodyKey);
    if (known !== null) return { outcome: 'same-push', rfc_id: known };
    const { changes } = insertRow.run(
      rfc_id,
      record.tenant_id,
      repoKey(record.repo_name),
      record.branch,
      record.commit_sha,
      record.overall_status,
      record.rev,
      record.created_at,
      record.summary,
      record.json,
      vcs_host,
      vcs_host === null ? null : now(),
      ref,
      deliveryKey,
      bodyKey,
      repo_key,
    );
    if (changes === 1) return { outcome: 'new', rfc_id };
    const first = findByDelivery.get(deliveryKey);
    if (first !== undefined) return { outcome: 'same-delivery', rfc_id: first.rfc_id };
    const same = findByBody.get(bodyKey);
    if (same !== undefined) return { outcome: 'same-body', rfc_id: same.rfc_id };
    throw takenId();
  };
}

/** Half of a SHA-256 tells all pushes of a store apart. */
function halfHash(hex: string): Buffer {
  return Buffer.from(hex.slice(0, 32), 'hex');
}
