import type { CancelFlag } from '../../core/deadline.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';
import { type DeclaredAt, planFindings } from '../../gates/configuration/plan-findings.ts';
import { readTerraformPlan } from '../../gates/configuration/terraform-plan.ts';
import { Work } from '../../gates/patterns/match.ts';
import { type GateFinding, severityRank } from '../../model/finding.ts';
import { redactFindings } from '../../redaction/redact.ts';
import { acceptedIn, applySuppressions } from '../../verdict/suppression.ts';
import type { Change, GateTools } from './gates.ts';
import { suppressAccepted } from './suppress.ts';

/**
 * What a plan of Terraform for a change says, without secrets; `known` are the findings of the
 * change itself, which stand for findings of the plan that say the same. Throws INVALID_ARGUMENT
 * for what is not a plan.
 */
export async function inspectPlan(
  plan: Uint8Array,
  change: Pick<Change, 'bytes' | 'diff'>,
  known: readonly GateFinding[],
  tools: GateTools,
  cancel: CancelFlag,
): Promise<GateFinding[]> {
  const { rules, fingerprintKey, repoName, nowMs, tenantId, findAccepted } = tools;
  const { compiled } = rules;
  const declared = declaredIn(change);
  const found = planFindings({
    plan: readTerraformPlan(plan),
    rules: compiled,
    fingerprintKey,
    declaredAt: ({ type, name }) => declared.get(`${type}.${name}`) ?? null,
  });
  const graded = found.map((one) => compiled.grade(one, one.file));
  const own = withoutSaid(graded, known, declared);
  const shown = redactFindings(own, compiled, new Work(cancel), (text) => text);
  const accepted = acceptedIn(repoName, rules.accepted, nowMs);
  const checked = applySuppressions(shown, { markers: [], accepted, trustsNew: false });
  return suppressAccepted(checked, { tenant_id: tenantId, repo_name: repoName }, findAccepted);
}

/** A resource that the diff declares. */
interface Declared extends DeclaredAt {
  /** The last line of it that the diff shows in one piece. */
  readonly end: number;
}

const HEAD = /^\s*(resource|data)\s+"([\w-]{1,200})"\s+"([\w-]{1,200})"/;
const HEAD_BYTES_MAX = 500;
const CLOSING = 0x7d;

/** By type and name, resources of Terraform that a diff declares once: a module has none twice. */
function declaredIn({ bytes, diff }: Pick<Change, 'bytes' | 'diff'>): Map<string, Declared> {
  const found = new Map<string, Declared | null>();
  for (const file of diff.files) {
    if (!/\.(?:tf|tofu)$/i.test(file.path.trimEnd())) continue;
    for (const [name, place] of blocksOf(bytes, file)) {
      found.set(name, found.has(name) ? null : place);
    }
  }
  return new Map([...found].flatMap(([name, place]) => (place === null ? [] : [[name, place]])));
}

function blocksOf(bytes: Uint8Array, { path, hunks }: DiffFile): Map<string, Declared> {
  const blocks = new Map<string, Declared>();
  const text = asBuffer(bytes);
  const cursor = new LineCursor(bytes);
  for (const hunk of hunks) {
    let open: string | null = null;
    cursor.open(hunk);
    while (cursor.next()) {
      const { kind, start, end, newLine } = cursor;
      const line = text.toString('utf8', start, Math.min(end, start + HEAD_BYTES_MAX));
      const [, block, type, name] = HEAD.exec(line) ?? [];
      const isGone = kind === LINE.REMOVED;
      if (block !== undefined) {
        const label = `${block === 'data' ? 'data.' : ''}${type}.${name}`;
        // What is there after the change counts for both.
        if (isGone && !blocks.has(label)) blocks.set(label, { file: path, line: null, end: 0 });
        if (!isGone) {
          blocks.set(label, { file: path, line: newLine, end: newLine });
          open = label;
        }
      } else if (open !== null && !isGone) {
        const before = blocks.get(open);
        if (before !== undefined) blocks.set(open, { ...before, end: newLine });
        if (text[start] === CLOSING) open = null;
      }
    }
  }
  return blocks;
}

/** Findings of a plan that no finding of the change says already, as grave. */
function withoutSaid(
  findings: readonly GateFinding[],
  known: readonly GateFinding[],
  declared: ReadonlyMap<string, Declared>,
): GateFinding[] {
  const ends = new Map(
    [...declared.values()].map(({ file, line, end }) => [placeOf(file, line), end]),
  );
  const byRule = new Map<string, GateFinding[]>();
  const ids = new Set(findings.map(({ id }) => id));
  for (const one of known) {
    if (!ids.has(one.id)) continue;
    const same = byRule.get(one.id);
    if (same === undefined) byRule.set(one.id, [one]);
    else same.push(one);
  }
  return findings.filter(({ id, fingerprint, file, line, severity }) => {
    const end = ends.get(placeOf(file ?? '', line)) ?? line;
    return !(byRule.get(id) ?? []).some((one) => {
      const isNear = one.file === file && line !== null && end !== null;
      const isHere = isNear && one.line !== null && line <= one.line && one.line <= end;
      const isAsGrave = severityRank(one.severity) <= severityRank(severity);
      return isAsGrave && (isHere || one.fingerprint === fingerprint);
    });
  });
}

function placeOf(file: string, line: number | null): string {
  return `${line} ${file}`;
}
