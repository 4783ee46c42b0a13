import type { CancelFlag } from '../../core/cancel-flag.ts';
import { asBuffer } from '../../diff/bytes.ts';
import type { ParsedDiff } from '../../diff/diff.ts';
import { parseDiff } from '../../diff/parse.ts';
import { coverageOf } from '../../gates/coverage/coverage.ts';
import { runScan } from '../../gates/patterns/scan.ts';
import { type GateFinding, plainFinding } from '../../model/finding.ts';
import { foldRepeats } from '../../verdict/findings.ts';
import type { GateTools } from './gates.ts';
import { createReasonReader } from './reason.ts';
import { suppressAccepted, suppressFindings } from './suppress.ts';

/**
 * How the source begins each commit; no line of a patch begins so. Not with the flag `m`, for
 * which a CR inside a line begins one, too.
 */
const COMMIT = /(?<=^|\n)commit ([0-9a-f]{40,64})(?=\n|$)/g;

/**
 * The secrets that commits of a push add and later ones take out again: the result does not show
 * them, but everybody with the repository can read them. Those that the result also shows are left
 * out; markers and accepted fingerprints count as in the result.
 */
export async function historyFindings(
  patches: Uint8Array,
  shown: readonly GateFinding[],
  tools: GateTools,
  cancel: CancelFlag,
): Promise<GateFinding[]> {
  const known = new Set(shown.map(secretKey));
  const found: GateFinding[] = [];
  for (const { sha, bytes } of commitsOf(asBuffer(patches))) {
    for (const finding of secretsOf(bytes, tools, cancel)) {
      const value = secretKey(finding);
      if (known.has(value)) continue;
      known.add(value);
      found.push(finding.id === UNREAD ? finding : inCommit(finding, sha));
    }
  }
  const repo = { tenant_id: tools.tenantId, repo_name: tools.repoName };
  return foldRepeats(await suppressAccepted(found, repo, tools.findAccepted));
}

const UNREAD = 'history-unscanned';

function secretKey({ id, fingerprint }: GateFinding): string {
  return `${id} ${fingerprint}`;
}

function* commitsOf(patches: Buffer): Generator<{ sha: string; bytes: Buffer }> {
  // Latin-1: one character for each byte, so that places in the text are places in the bytes.
  const heads = [...patches.toString('latin1').matchAll(COMMIT)];
  for (const [index, head] of heads.entries()) {
    const start = head.index + head[0].length + 1;
    const bytes = patches.subarray(start, heads[index + 1]?.index ?? patches.length);
    yield { sha: head[1] ?? '', bytes };
  }
}

function secretsOf(bytes: Buffer, tools: GateTools, cancel: CancelFlag): GateFinding[] {
  const { rules, repoName, fingerprintKey } = tools;
  const diff = parseDiff(bytes);
  const { files, problems } = diff;
  const { compiled } = rules;
  const { report, work } = runScan({ bytes, files, rules: compiled, fingerprintKey, cancel });
  const findings = report.findings().filter(({ id }) => id.startsWith('secret-'));
  const reasons = createReasonReader(bytes, compiled, work, () => report.rangeRedactor());
  const judged = suppressFindings({
    ...{ findings, bytes, files, reasons, rules, repoName, fingerprintKey, trees: tools.files },
  });
  const secrets = judged.filter(({ id }) => id.startsWith('secret-'));
  const found = report.hidePaths([...secrets, ...hiddenFiles(bytes, diff, fingerprintKey)]);
  return problems.length === 0 ? found : [...found, unread(problems[0]?.message ?? '')];
}

/** Files that should be text and were not shown: nobody knows what secrets they held. */
function hiddenFiles(bytes: Buffer, diff: ParsedDiff, fingerprintKey: Uint8Array): GateFinding[] {
  const isHidden = ({ id, severity }: GateFinding) => id === 'binary-file' && severity === 'high';
  return coverageOf(bytes, diff, fingerprintKey, null).findings.filter(isHidden);
}

function inCommit(finding: GateFinding, sha: string): GateFinding {
  const where = `It is in commit ${sha.slice(0, SHORT_SHA)} of this push`;
  const message = `${finding.message} ${where}, though not in its result: it can still be read.`;
  return { ...finding, message, fix: finding.fix ?? FIX };
}

const SHORT_SHA = 12;
const FIX = 'Revoke the secret, and remove the commit from the branch.';

function unread(why: string): GateFinding {
  return plainFinding({
    id: UNREAD,
    gate: 'risk',
    severity: 'high',
    message: `a commit of this push could not be read whole: ${why}`,
  });
}
