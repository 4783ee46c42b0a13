import { baselineId } from '../../../model/push.ts';
import type { Fallen } from '../../contract/pushes.ts';
import type { Collections } from '../connection.ts';
import type { FreshRead } from '../fresh-read.ts';
import { PUSH_QUERIES } from './queries.ts';

/**
 * What was taken back: a field of the push or baseline, written by the update that takes it back,
 * so that the two are never apart. A deleted record keeps it as long as its tombstone.
 */
export function createFallen({ rfcs, baselines }: Collections, fresh: FreshRead) {
  async function list({ limit }: { limit: number }): Promise<{ fallen: Fallen[] }> {
    const pushes = PUSH_QUERIES.fallen(limit);
    const lowered = PUSH_QUERIES.fallenBaselines(limit);
    return await fresh(async (at) => {
      const documents = await rfcs.find(pushes.filter, { ...pushes.options, ...at }).toArray();
      const others = await baselines.find(lowered.filter, { ...lowered.options, ...at }).toArray();
      const ofPushes = documents.flatMap(({ _id, tenant_id, fallen }) => {
        if (fallen === undefined) return [];
        const { repo: repo_key, sha, is_rejected, at: time } = fallen;
        return [{ tenant_id, repo_key, id: _id, sha, is_rejected, at_ms: time.getTime() }];
      });
      const ofBaselines = others.flatMap(({ _id, fallen = [] }) =>
        fallen.map(({ sha, at: time }) => ({
          ...{ ..._id, id: baselineId(sha), sha, is_rejected: false, at_ms: time.getTime() },
        })),
      );
      return { fallen: [...ofPushes, ...ofBaselines].slice(0, limit) };
    });
  }

  async function settle({ tenant_id, id }: { tenant_id: string; id: string }) {
    const ofPush = { _id: id, tenant_id };
    const { matchedCount } = await rfcs.updateOne(ofPush, { $unset: { fallen: '' } });
    const [, sha] = id.split(' ');
    if (matchedCount === 1 || sha === undefined) return { ok: true } as const;
    const lowered = { '_id.tenant_id': tenant_id, 'fallen.sha': sha };
    await baselines.updateMany(lowered, { $pull: { fallen: { sha } } });
    return { ok: true } as const;
  }

  return { list, settle };
}
