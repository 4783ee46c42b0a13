import type { CancelFlag } from '../../core/deadline.ts';
import { parseDiff } from '../../diff/parse.ts';
import {
  type JudgedPush,
  PRE_RECEIVE_REQUEST,
  type PreReceiveRequest,
  preReceiveSettings,
} from '../../model/change.ts';
import type { GateFinding, Severity } from '../../model/finding.ts';
import { BODY, PRE_RECEIVE } from '../../model/limits.ts';
import { checkJsonValues, createValidator, parseJsonBody } from '../../model/validate.ts';
import { type FindOwn, redactTexts } from '../../redaction/redact.ts';
import type { ScreenedPush } from '../../rpc/contract.ts';
import { applyModes } from '../../verdict/suppression.ts';
import { worstFirst } from '../../verdict/verdict.ts';
import { type GateTools, readChange, runGates } from './gates.ts';
import { commitsOf, messageFindings, secretsOf, UNREAD, withBrought } from './history.ts';
import { suppressAccepted } from './suppress.ts';

const validate = createValidator<PreReceiveRequest>(PRE_RECEIVE_REQUEST, 'body');

/** Reads the body of `POST pre-receive`. Throws INVALID_ARGUMENT naming what is wrong. */
export function readPreReceive(body: Uint8Array): PreReceiveRequest {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.length > BODY.UNCOUNTED_BYTES_MAX) checkJsonValues(bytes, BODY.VALUES_MAX);
  return validate(parseJsonBody(bytes));
}

/** A finding, and the commit whose patch shows it; empty: no patch does. */
interface Found {
  commit: string;
  finding: GateFinding;
}

/**
 * Judges a push before it is public. Each commit counts for itself: who fetches the branch gets
 * all of them, whatever a later one takes out again. Secrets of the severities that block refuse
 * it, and critical findings of the chosen rules. `own` finds the secrets of the
 * service itself in texts. Throws CANCELLED when the flag is raised.
 */
export async function screenPush(
  request: PreReceiveRequest,
  tools: GateTools,
  cancel: CancelFlag,
  own: FindOwn,
): Promise<ScreenedPush> {
  const { pipeline, compiled } = tools.rules;
  const { rules, bypass } = preReceiveSettings(pipeline);
  const { found, problem } = await findIn(request, rules.length > 0, tools, cancel);
  const refuses = refusing(pipeline.block_severities, new Set(rules));
  const findings = found.filter(({ finding }) =>
    applyModes([finding], pipeline, null).every(refuses),
  );
  const unread = found.find(({ finding }) => isUnread(finding))?.finding.message ?? problem;
  const { repo_name, refs, refs_total, pusher, reason, fail } = request;
  const mayBypass = pusher !== null && bypass.includes(pusher);
  const hasReason = reason !== null && reason.trim() !== '';
  const texts = [repo_name, reason ?? '', pusher ?? '', unread ?? '', ...refs];
  const [name = '', given = '', person = '', why = '', ...names] = redactTexts(
    texts,
    compiled,
    cancel,
    own,
  );
  return {
    ...verdictOf(findings.length > 0, unread !== null, mayBypass && hasReason, fail),
    why: unread === null ? null : why,
    ...listed(findings),
    may_bypass: mayBypass,
    push: {
      repo_name: name,
      refs: names,
      refs_total,
      pusher: pusher === null ? null : person,
      reason: reason === null ? null : given,
    },
  };
}

function verdictOf(
  isRefused: boolean,
  isUnread: boolean,
  bypasses: boolean,
  fail: PreReceiveRequest['fail'],
): Pick<JudgedPush, 'verdict' | 'let_through'> {
  if (!isRefused && !isUnread) return { verdict: 'allowed', let_through: true };
  const isOpen = !isRefused && fail === 'open';
  if (bypasses && !isOpen) return { verdict: 'bypassed', let_through: true };
  return isRefused
    ? { verdict: 'refused', let_through: false }
    : { verdict: 'unjudged', let_through: isOpen };
}

async function findIn(
  request: PreReceiveRequest,
  withRules: boolean,
  tools: GateTools,
  cancel: CancelFlag,
): Promise<{ found: Found[]; problem: string | null }> {
  const found: Found[] = [];
  const known = new Set<string>();
  let commits = 0;
  const patches = Buffer.from(request.patches);
  const own = withBrought(tools, patches);
  for (const { sha, bytes } of commitsOf(patches)) {
    commits += 1;
    for (const finding of await findingsOf(bytes, withRules, own, cancel)) {
      const key = `${finding.id} ${finding.fingerprint}`;
      if (known.has(key)) continue;
      known.add(key);
      found.push({ commit: sha, finding });
    }
  }
  const messages = Buffer.from(request.messages, 'base64');
  for (const finding of await messageFindings(messages, tools, cancel)) {
    found.push({ commit: '', finding });
  }
  const problem =
    commits === request.commits
      ? null
      : `the patches are of ${commits} commits, and ${request.commits} are new`;
  return { found, problem };
}

/** Gate 2 runs only when there are rules that it may be needed for: it costs the most. */
async function findingsOf(
  bytes: Buffer,
  withRules: boolean,
  tools: GateTools,
  cancel: CancelFlag,
): Promise<GateFinding[]> {
  if (withRules && parseDiff(bytes).files.length > 0) {
    return (await runGates(readChange(bytes), tools, cancel)).findings;
  }
  const { tenantId: tenant_id, repoName: repo_name, findAccepted } = tools;
  const secrets = secretsOf(bytes, tools, cancel);
  return suppressAccepted(secrets, { tenant_id, repo_name }, findAccepted);
}

function refusing(severities: readonly Severity[], rules: ReadonlySet<string>) {
  return ({ id, severity, suppressed }: GateFinding): boolean => {
    if (suppressed !== null) return false;
    if (id.startsWith('secret-')) return severities.includes(severity);
    return severity === 'critical' && rules.has(id);
  };
}

/** Findings that say that something was not looked at. */
const UNREAD_IDS: ReadonlySet<string> = new Set([
  ...[UNREAD, 'binary-file', 'diff-unreadable', 'findings-overflow', 'ast-unparsed'],
]);

function isUnread({ id, severity, suppressed }: GateFinding): boolean {
  return suppressed === null && severity === 'high' && UNREAD_IDS.has(id);
}

function listed(found: readonly Found[]): Pick<JudgedPush, 'findings' | 'findings_total'> {
  const commitOf = new Map(found.map(({ commit, finding }) => [finding, commit]));
  const worst = worstFirst([...commitOf.keys()]).slice(0, PRE_RECEIVE.FINDINGS_MAX);
  const findings = worst.map((finding) => {
    const { id, severity, title, message, file, line, excerpt } = finding;
    const commit = commitOf.get(finding) ?? '';
    const named = title === undefined ? {} : { title };
    return { id, severity, ...named, message, commit, file, line, excerpt };
  });
  return { findings, findings_total: found.length };
}
