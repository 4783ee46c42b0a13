/**
 * Every statement on records. test/store/sqlite/queries.test.ts holds the plan of each: none may
 * scan or sort. `INDEXED BY` keeps the plans of lists whatever statistics say, for the row id
 * would do as well while there is one tenant, and scan once there are two.
 */
export const QUERIES = {
  insert: `
    INSERT INTO rfc (rfc_id, tenant_id, repo_key, status, rev, created_at,
      diff_segment, diff_offset, diff_lengths, diff_bytes, summary, json)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (rfc_id) DO NOTHING`,
  replace: `
    UPDATE rfc SET status = ?, rev = ?, summary = ?, json = ?
    WHERE rfc_id = ? AND tenant_id = ? AND status = 'DRAFT' AND rev = ?`,
  state: 'SELECT tenant_id, status, rev, json FROM rfc WHERE rfc_id = ?',
  /** As bytes, which go to the caller as they are. */
  view: `
    SELECT status, rev, CAST(json AS BLOB) AS json FROM rfc
    WHERE rfc_id = ? AND tenant_id = ?`,
  diff: `
    SELECT diff_segment, diff_offset, diff_lengths, diff_bytes FROM rfc
    WHERE rfc_id = ? AND tenant_id = ?`,
  drafts: `
    SELECT json FROM rfc INDEXED BY rfc_drafts
    WHERE status = 'DRAFT' ORDER BY seq LIMIT ?`,
  list: `
    SELECT seq, status, summary FROM rfc INDEXED BY rfc_by_tenant
    WHERE tenant_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  listByRepo: `
    SELECT seq, status, summary FROM rfc INDEXED BY rfc_by_repo
    WHERE tenant_id = ? AND repo_key = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  listByStatus: `
    SELECT seq, status, summary FROM rfc INDEXED BY rfc_by_status
    WHERE tenant_id = ? AND status = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  listByRepoAndStatus: `
    SELECT seq, status, summary FROM rfc INDEXED BY rfc_by_repo_status
    WHERE tenant_id = ? AND repo_key = ? AND status = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  historyRepo: `
    SELECT repo_id, changes, size_mean, size_variance FROM history_repo
    WHERE tenant_id = ? AND repo_key = ?`,
  historyChange: 'SELECT met FROM history_change WHERE repo_id = ? AND diff_key = ?',
  historyFile: `
    SELECT changes, fixes, last, steps FROM history_file
    WHERE repo_id = ? AND file_key = ?`,
  historyAddRepo: `
    INSERT INTO history_repo (tenant_id, repo_key, changes, size_mean, size_variance)
    VALUES (?, ?, 0, 0, 0)`,
  historySetRepo: `
    UPDATE history_repo SET changes = ?, size_mean = ?, size_variance = ? WHERE repo_id = ?`,
  historyAddChange: `
    INSERT INTO history_change (repo_id, diff_key, met) VALUES (?, ?, ?)`,
  historyPutFile: `
    INSERT INTO history_file (repo_id, file_key, changes, fixes, last, steps)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (repo_id, file_key) DO UPDATE SET
      changes = excluded.changes, fixes = excluded.fixes,
      last = excluded.last, steps = excluded.steps`,
} as const;
