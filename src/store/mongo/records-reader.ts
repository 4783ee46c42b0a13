import { STORE } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import { findingsNamed } from '../../model/outcome.ts';
import { toSarif } from '../../model/sarif.ts';
import type { ListInput, RecordsReader } from '../contract/records.ts';
import { checkLimit, listPage } from '../list-page.ts';
import { repoKey } from '../repo-key.ts';
import { parseRecord, unknownRfc } from '../stored-record.ts';
import type { Collections } from './connection.ts';
import { decodeSequence, encodeSequence } from './cursor.ts';
import { readDiff } from './diff-chunks.ts';
import { findHistory } from './history-states.ts';
import { fromMongo } from './mongo-error.ts';
import { type ListFilter, QUERIES } from './queries.ts';
import { createViewBatcher } from './view-batcher.ts';

/** The reading methods of Records; `instance` is the name of this daemon. */
export function createRecordsReader(collections: Collections, instance: string): RecordsReader {
  const { rfcs } = collections;

  const views = createViewBatcher(rfcs);

  return {
    getRfc: async (id, call) => {
      const { status, rev, json } = await views.submit(id, call);
      return { overall_status: status, rev, json: new TextEncoder().encode(json) };
    },
    getSarif: async (id, call) => {
      const { json } = await views.submit(id, call);
      const log = toSarif(parseRecord(json));
      return { json: new TextEncoder().encode(JSON.stringify(log)) };
    },
    findFindings: async ({ name, ...id }, call) => {
      const record = parseRecord((await views.submit(id, call)).json);
      return { repo_name: record.repo_name, findings: findingsNamed(record, name) };
    },
    listRfcs: (input) =>
      guarded(async () => {
        checkLimit(input.limit, STORE.LIST_LIMIT_MAX);
        const { filter, options } = QUERIES.list(listFilter(input));
        const rows = await rfcs.find(filter, options).toArray();
        return listPage(rows, input.limit, encodeSequence);
      }),
    listDrafts: ({ limit }) =>
      guarded(async () => {
        checkLimit(limit, STORE.DRAFTS_LIMIT_MAX);
        const { filter, options } = QUERIES.drafts(instance, limit);
        const found = await rfcs.find(filter, options).toArray();
        return { drafts: found.map(({ json }) => parseRecord(json)) };
      }),
    repoHistory: (input) => guarded(() => findHistory(collections, input, input)),
    getDiff: (id) =>
      guarded(async () => {
        const { filter, options } = QUERIES.diff(id);
        const found = await rfcs.findOne(filter, options);
        if (found === null) throw unknownRfc();
        if (found.diff === null) {
          throw new CraError('NOT_FOUND', 'the diff of this RFC was not kept');
        }
        return await readDiff(collections.diffs, found.diff);
      }),
  };
}

/** One record more than asked for, to tell whether there is another page. */
function listFilter({ tenant_id, status, repo, limit, cursor }: ListInput): ListFilter {
  return {
    tenant_id,
    status,
    repo_key: repo === null ? null : repoKey(repo),
    before: cursor === null ? null : decodeSequence(cursor),
    limit: limit + 1,
  };
}

async function guarded<Output>(read: () => Promise<Output>): Promise<Output> {
  try {
    return await read();
  } catch (thrown) {
    throw fromMongo(thrown);
  }
}
