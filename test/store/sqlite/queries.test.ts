import test from 'ava';
import { QUERIES } from '../../../src/store/sqlite/queries.ts';
import { openTemporary } from './harness.ts';

const PLANS: Record<keyof typeof QUERIES, string[]> = {
  insert: [],
  replace: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  state: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  view: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  diff: ['SEARCH rfc USING INDEX sqlite_autoindex_rfc_1 (rfc_id=?)'],
  drafts: ['SEARCH rfc USING INDEX rfc_drafts (status=?)'],
  list: ['SEARCH rfc USING INDEX rfc_by_tenant (tenant_id=? AND rowid<?)'],
  listByRepo: ['SEARCH rfc USING INDEX rfc_by_repo (tenant_id=? AND repo_key=? AND rowid<?)'],
  listByStatus: ['SEARCH rfc USING INDEX rfc_by_status (tenant_id=? AND status=? AND rowid<?)'],
  listByRepoAndStatus: [
    'SEARCH rfc USING INDEX rfc_by_repo_status ' +
      '(tenant_id=? AND repo_key=? AND status=? AND rowid<?)',
  ],
  historyRepo: [
    'SEARCH history_repo USING INDEX sqlite_autoindex_history_repo_1 (tenant_id=? AND repo_key=?)',
  ],
  historyChange: ['SEARCH history_change USING PRIMARY KEY (repo_id=? AND diff_key=?)'],
  historyFile: ['SEARCH history_file USING PRIMARY KEY (repo_id=? AND file_key=?)'],
  historyAddRepo: [],
  historySetRepo: ['SEARCH history_repo USING INTEGER PRIMARY KEY (rowid=?)'],
  historyAddChange: [],
  historyPutFile: [],
};

for (const [name, sql] of Object.entries(QUERIES)) {
  test(`QUERIES.${name} searches an index by all it filters, and neither scans nor sorts`, (t) => {
    const database = openTemporary(t);
    const plan = database.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${bound(sql)}`).all();
    t.deepEqual(
      plan.map(({ detail }) => detail),
      PLANS[name as keyof typeof QUERIES],
    );
  });
}

test('the check of plans bites: a query without an index scans', (t) => {
  const database = openTemporary(t);
  const sql = 'EXPLAIN QUERY PLAN SELECT seq FROM rfc WHERE rev = 1 ORDER BY created_at';
  const details = database.prepare<[], { detail: string }>(sql).all();
  t.true(details.some(({ detail }) => /SCAN/.test(detail)));
  t.true(details.some(({ detail }) => /TEMP B-TREE/.test(detail)));
});

/** The plan does not depend on the values. */
function bound(sql: string): string {
  return sql.replaceAll('?', '1');
}
