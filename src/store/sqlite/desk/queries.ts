const SUMS = `
  SUM(calls) AS calls, SUM(input_tokens) AS input_tokens, SUM(output_tokens) AS output_tokens,
  SUM(cache_creation_tokens) AS cache_creation_tokens,
  SUM(cache_read_tokens) AS cache_read_tokens, SUM(cost_nano_usd) AS cost_nano_usd`;

/** Statements on tasks, usage, rules revisions and sessions; their plans are held by a test. */
export const DESK_QUERIES = {
  addTask: `
    INSERT INTO task (task_id, tenant_id, finding_id, status, json) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
  openTask: `
    SELECT json FROM task INDEXED BY task_open
    WHERE tenant_id = ? AND finding_id = ? AND status IN ('pending', 'picked')`,
  /** Those of an RFC: the ids of its findings begin alike. */
  openTasksOf: `
    SELECT json FROM task INDEXED BY task_open
    WHERE tenant_id = ? AND finding_id >= ? AND finding_id < ? AND status IN ('pending', 'picked')`,
  task: 'SELECT json FROM task WHERE task_id = ? AND tenant_id = ?',
  setTask: 'UPDATE task SET status = ?, json = ? WHERE task_id = ?',
  setRecord: 'UPDATE rfc SET rev = ?, summary = ?, json = ? WHERE rfc_id = ?',
  pendingTasks: `
    SELECT seq, json FROM task INDEXED BY task_pending
    WHERE tenant_id = ? AND status = 'pending' AND seq > ? ORDER BY seq LIMIT ?`,

  addUsage: `
    INSERT INTO usage (usage_id, tenant_id, at_ms, provider, model, input_tokens, output_tokens,
      cache_creation_tokens, cache_read_tokens, cost_nano_usd, context, logged_by)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (usage_id) DO NOTHING`,
  addToHour: `
    INSERT INTO usage_hour (tenant_id, hour, provider, model, calls, input_tokens, output_tokens,
      cache_creation_tokens, cache_read_tokens, cost_nano_usd)
    VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant_id, hour, provider, model) DO UPDATE SET
      calls = calls + 1,
      input_tokens = input_tokens + excluded.input_tokens,
      output_tokens = output_tokens + excluded.output_tokens,
      cache_creation_tokens = cache_creation_tokens + excluded.cache_creation_tokens,
      cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
      cost_nano_usd = cost_nano_usd + excluded.cost_nano_usd`,
  usageOfHours: `SELECT ${SUMS} FROM usage_hour WHERE tenant_id = ? AND hour >= ?`,
  usageBetween: `
    SELECT ${SUMS.replace('SUM(calls)', 'COUNT(*)')} FROM usage
    WHERE tenant_id = ? AND at_ms >= ? AND at_ms < ?`,
  hoursSince: `
    SELECT hour, provider, model, calls, input_tokens, output_tokens, cache_creation_tokens,
      cache_read_tokens, cost_nano_usd
    FROM usage_hour WHERE tenant_id = ? AND hour >= ?`,
  usageRows: `
    SELECT at_ms / 3600000 AS hour, provider, model, 1 AS calls, input_tokens, output_tokens,
      cache_creation_tokens, cache_read_tokens, cost_nano_usd
    FROM usage WHERE tenant_id = ? AND at_ms >= ? AND at_ms < ?`,

  newestRules: `
    SELECT number, entry, text FROM rules_revision
    WHERE number < 9223372036854775807 ORDER BY number DESC LIMIT 1`,
  rulesAt: 'SELECT number, entry, text FROM rules_revision WHERE number = ?',
  listRules: `
    SELECT number, entry FROM rules_revision WHERE number < ? ORDER BY number DESC LIMIT ?`,
  addRules: 'INSERT INTO rules_revision (number, entry, text) VALUES (?, ?, ?)',

  addSession: `
    INSERT INTO session (session_id, tenant_id, principal_id, created_at, last_seen_at,
      expires_at, principal)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (session_id) DO NOTHING`,
  session: `
    SELECT session_id, principal, created_at, last_seen_at, expires_at FROM session
    WHERE session_id = ?`,
  touchSession: 'UPDATE session SET last_seen_at = ? WHERE session_id = ? AND last_seen_at < ?',
  deleteSession: 'DELETE FROM session WHERE session_id = ?',
  deleteSessionsOf: 'DELETE FROM session WHERE tenant_id = ? AND principal_id = ?',
  deleteEndedSessions: 'DELETE FROM session WHERE expires_at <= ?',
} as const;
