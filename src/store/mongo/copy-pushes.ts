import type { Collection, Document } from 'mongodb';
import { type Baseline, baselineId } from '../../model/push.ts';
import { COPY_PAGE } from '../copy.ts';
import { parseRecord } from '../stored-record.ts';
import {
  type CopyPlaces,
  DAY_MS,
  idsInOrder,
  type KindCopy,
  placeAt,
  vcsFields,
} from './copy-records.ts';
import { packText, unpackText, type VcsFields } from './documents.ts';
import { insertMissing } from './operations.ts';

/** What is left of a deleted record is removed after this time. */
const TOMBSTONE_MS = 7 * DAY_MS;

/** The statuses of deleted RFCs, in what is left of their records. */
export function createDeletedCopy({ rfcs }: CopyPlaces): KindCopy {
  return {
    async read() {
      const found = await rfcs
        .find({ deleted: true, 'vcs.due': { $exists: true }, 'vcs.deleted': { $exists: true } })
        .toArray();
      const places = found.length === 0 ? [] : await idsInOrder(rfcs);
      const rows = found.map(({ _id: rfc_id, tenant_id, repo_key, commit_sha, vcs, seq }) => ({
        ...{ rfc_id, tenant_id, repo_key, commit_sha, vcs_host: vcs?.host ?? '' },
        ...{ vcs_due: vcs?.due?.getTime() ?? 0, vcs_posted: vcs?.posted ?? null },
        json: vcs?.deleted ?? '',
        rank: places.filter((place) => place.seq.compare(seq) <= 0).length,
      }));
      return { rows, next: null };
    },
    async write(copied) {
      const documents = copied.map((row) => {
        const record = parseRecord(String(row['json']));
        const posted = row['vcs_posted'] as string | null;
        const vcs: VcsFields = {
          ...vcsFields({ host: String(row['vcs_host']), due: Number(row['vcs_due']), posted }),
          deleted: String(row['json']),
          ...(record.push === null ? {} : { was_push: true as const }),
        };
        const rest = tombstone(String(row['rfc_id']), String(row['tenant_id']));
        return {
          ...{ ...rest, vcs, repo_key: row['repo_key'], commit_sha: row['commit_sha'] },
          ...{ seq: placeAt(Number(row['rank']) - 1), rev: record.rev },
        };
      });
      await insertMissing(rfcs as unknown as Collection<Document>, documents);
    },
  };
}

function tombstone(id: string, tenant_id: string): Document {
  return {
    ...{ _id: id, tenant_id, repo_key: '', branch: '', commit_sha: null, status: 'REJECTED' },
    ...{ rev: 0, fence: 0, seq: placeAt(0), created_at: '', diff: null, owner: null },
    ...{ lease_until: null, deleted: true, deleted_by: 'copy', decisions: [] },
    expires_at: new Date(Date.now() + TOMBSTONE_MS),
  };
}

/** What each repository held when it was seen first. */
export function createRepositoryCopy({ baselines }: CopyPlaces): KindCopy {
  return {
    async read(after) {
      const [tenant_id, repo_key] = (after ?? []) as [string, string];
      const filter = after === null ? {} : { _id: { $gt: { tenant_id, repo_key } } };
      const found = await baselines.find(filter).sort({ _id: 1 }).limit(COPY_PAGE.ROWS).toArray();
      // One that the trail does not have yet does not count: its adoption begins anew.
      const whole = found.filter(({ untold }) => untold === undefined);
      const rows = await Promise.all(
        whole.map(async ({ _id, name, baseline }) => {
          const text = await unpackText(baseline, 'refs');
          const { host, sha, adopted_at, heads } = JSON.parse(text) as Baseline;
          const kept = { host, sha, adopted_at, heads: JSON.stringify(heads) };
          return { ..._id, name: name ?? _id.repo_key, ...kept };
        }),
      );
      const last = found.length < COPY_PAGE.ROWS ? undefined : found.at(-1)?._id;
      return { rows, next: last === undefined ? null : [last.tenant_id, last.repo_key] };
    },
    async write(copied) {
      const documents = await Promise.all(
        copied.map(async ({ tenant_id, repo_key, name, host, sha, adopted_at, heads }) => {
          const known = { host, sha, heads: JSON.parse(String(heads)) as object, adopted_at };
          const baseline = await packText(JSON.stringify(known), 'the refs of the repository');
          return { _id: { tenant_id, repo_key }, name, sha, baseline };
        }),
      );
      await insertMissing(baselines as unknown as Collection<Document>, documents);
    },
  };
}

/** What was taken back, in the documents of pushes and baselines. */
export function createFallenCopy({ rfcs, baselines }: CopyPlaces): KindCopy {
  return {
    async read() {
      const pushes = await rfcs.find({ 'fallen.at': { $exists: true } }).toArray();
      const lowered = await baselines.find({ 'fallen.at': { $exists: true } }).toArray();
      const ofPushes = pushes.flatMap(({ _id: id, tenant_id, fallen }) =>
        fallen === undefined
          ? []
          : {
              ...{ tenant_id, id, repo_key: fallen.repo, sha: fallen.sha },
              ...{ is_rejected: fallen.is_rejected ? 1 : 0, at_ms: fallen.at.getTime() },
            },
      );
      const ofBaselines = lowered.flatMap(({ _id, fallen = [] }) =>
        fallen.map(({ sha, at }) => ({
          ...{ ..._id, id: baselineId(sha), sha, is_rejected: 0, at_ms: at.getTime() },
        })),
      );
      return { rows: [...ofPushes, ...ofBaselines], next: null };
    },
    async write(copied) {
      for (const { tenant_id, id, repo_key, sha, is_rejected, at_ms } of copied) {
        const at = new Date(Number(at_ms));
        if (id === baselineId(String(sha))) {
          const _id = { tenant_id: String(tenant_id), repo_key: String(repo_key) };
          await baselines.updateOne({ _id }, { $addToSet: { fallen: { sha: String(sha), at } } });
          continue;
        }
        const fallen = {
          repo: String(repo_key),
          sha: String(sha),
          is_rejected: is_rejected === 1,
          at,
        };
        const { _id, ...rest } = tombstone(String(id), String(tenant_id));
        await rfcs.updateOne(
          { _id: String(id) },
          { $set: { fallen }, $setOnInsert: rest },
          { upsert: true },
        );
      }
    },
  };
}
