import type { CancelFlag } from '../../core/deadline.ts';
import { asBuffer } from '../../diff/bytes.ts';
import type { ParsedDiff } from '../../diff/diff.ts';
import { parseDiff } from '../../diff/parse.ts';
import { coverageOf } from '../../gates/coverage/coverage.ts';
import { runScan } from '../../gates/patterns/scan.ts';
import { type GateFinding, plainFinding } from '../../model/finding.ts';
import { OWN_MARKER } from '../../model/rules.ts';
import { acceptedIn, applySuppressions } from '../../verdict/suppression.ts';
import { foldRepeats } from '../../verdict/verdict.ts';
import type { GateTools } from './gates.ts';
import { markersAdded } from './marker-lines.ts';
import { createReasonReader, suppressAccepted, suppressFindings } from './suppress.ts';

/**
 * How the source begins each commit; no line of a patch begins so. Not with the flag `m`, for
 * which a CR inside a line begins one, too.
 */
const COMMIT = /(?<=^|\n)commit ([0-9a-f]{40,64})(?=\n|$)/g;

/**
 * The secrets that commits of a push add and later ones take out again: the result does not show
 * them, but everybody with the repository can read them. Secrets that the result also shows are
 * left out; markers and accepted fingerprints count as in the result.
 */
export async function historyFindings(
  patches: Uint8Array,
  shown: readonly GateFinding[],
  tools: GateTools,
  cancel: CancelFlag,
): Promise<GateFinding[]> {
  const known = new Set(shown.map(secretKey));
  const found: GateFinding[] = [];
  const own = withBrought(tools, asBuffer(patches));
  for (const { sha, bytes } of commitsOf(asBuffer(patches))) {
    for (const finding of secretsOf(bytes, own, cancel)) {
      const value = secretKey(finding);
      if (known.has(value)) continue;
      known.add(value);
      found.push(finding.id === UNREAD ? finding : inCommit(finding, sha));
    }
  }
  const repo = { tenant_id: tools.tenantId, repo_name: tools.repoName };
  return foldRepeats(await suppressAccepted(found, repo, tools.findAccepted));
}

/** Finding on what could not be read. */
export const UNREAD = 'history-unscanned';

function secretKey({ id, fingerprint }: GateFinding): string {
  return `${id} ${fingerprint}`;
}

/** The commits of the output of `git log`, each with its patch. */
export function* commitsOf(patches: Buffer): Generator<{ sha: string; bytes: Buffer }> {
  // Latin-1: one character for each byte, so that places in the text are places in the bytes.
  const heads = [...patches.toString('latin1').matchAll(COMMIT)];
  for (const [index, head] of heads.entries()) {
    const start = head.index + head[0].length + 1;
    const bytes = patches.subarray(start, heads[index + 1]?.index ?? patches.length);
    yield { sha: head[1] ?? '', bytes };
  }
}

/**
 * Tools for the commits of one push: a marker that one of them brings did not stand in the base of
 * the push, although it does in that of the next commit.
 */
export function withBrought(tools: GateTools, patches: Buffer): GateTools {
  const { foreign_markers: foreign = [] } = tools.rules.pipeline;
  if (foreign.length === 0 && !patches.includes(OWN_MARKER)) return tools;
  const brought = [...commitsOf(patches)].flatMap(({ bytes }) => markersAdded(bytes, foreign));
  return { ...tools, brought: new Set(brought) };
}

/** The secrets that a patch adds, and what of it could not be read. */
export function secretsOf(bytes: Buffer, tools: GateTools, cancel: CancelFlag): GateFinding[] {
  const { rules, repoName, fingerprintKey } = tools;
  const diff = parseDiff(bytes);
  const { files, problems } = diff;
  const { compiled } = rules;
  const { report, work } = runScan({ bytes, files, rules: compiled, fingerprintKey, cancel });
  const secretsFound = report.findings().filter(({ id }) => id.startsWith('secret-'));
  const findings = secretsFound.map((one) => compiled.grade(one));
  const reasons = createReasonReader(bytes, compiled, work, () => report.rangeRedactor());
  const checked = suppressFindings({
    findings,
    bytes,
    files,
    reasons,
    rules,
    repoName,
    fingerprintKey,
    trees: tools.files,
    nowMs: tools.nowMs,
    brought: tools.brought,
    decided: tools.decided,
  });
  const secrets = checked.filter(({ id }) => id.startsWith('secret-'));
  const found = report.hidePaths([...secrets, ...hiddenFiles(bytes, diff, fingerprintKey)]);
  return problems.length === 0 ? found : [...found, unread(problems[0]?.message ?? '')];
}

/** Files that should be text and were not shown: nobody knows what secrets they held. */
function hiddenFiles(bytes: Buffer, diff: ParsedDiff, fingerprintKey: Uint8Array): GateFinding[] {
  const isHidden = ({ id, severity }: GateFinding) => id === 'binary-file' && severity === 'high';
  // Programs hold no text; programs of the result are judged with the result.
  const { findings } = coverageOf(bytes, diff, fingerprintKey, null, () => true);
  return findings.filter(isHidden);
}

function inCommit(finding: GateFinding, sha: string): GateFinding {
  const where = `It is in commit ${sha.slice(0, SHORT_SHA)} of this push`;
  const message = `${finding.message} ${where}, though not in its result: it can still be read.`;
  return { ...finding, message, commit: sha, fix: finding.fix ?? FIX };
}

const SHORT_SHA = 12;
const FIX = 'Revoke the secret, and remove the commit from the branch.';

function unread(why: string): GateFinding {
  return plainFinding({
    id: UNREAD,
    gate: 'risk',
    severity: 'high',
    message: `a commit of this push could not be read whole: ${why}`,
    fix: UNREAD_FIX,
  });
}

/** A commit or an annotated tag, as git stores it; of kind `refs`: names of refs. */
interface GitObject {
  id: string;
  kind: string;
  /** Author, message and signature, without the ids that it refers to. */
  text: Buffer;
}

/**
 * The secrets in the messages of a push, high each: everybody who has the repository can read
 * them, and no later commit takes them out. `objects` are commits and annotated tags as
 * `git cat-file --batch` writes them. Markers do not count here; accepted fingerprints do.
 */
export async function messageFindings(
  objects: Uint8Array,
  tools: GateTools,
  cancel: CancelFlag,
): Promise<GateFinding[]> {
  const { rules, fingerprintKey, tenantId: tenant_id, repoName: repo_name } = tools;
  const read = [...objectsOf(asBuffer(objects))];
  if (read.length === 0) return [];
  const bytes = Buffer.concat(read.map(asNewFile));
  const { files, problems } = parseDiff(bytes);
  const { report } = runScan({ bytes, files, rules: rules.compiled, fingerprintKey, cancel });
  const secrets = report.findings().filter(({ id }) => id.startsWith('secret-'));
  const accepted = acceptedIn(repo_name, rules.accepted, tools.nowMs);
  const open = await suppressAccepted(
    applySuppressions(secrets, { markers: [], accepted, trustsNew: false }),
    { tenant_id, repo_name },
    tools.findAccepted,
  );
  const found = open.map((finding) => rules.compiled.grade(ofObject(finding, read)));
  return problems.length === 0 ? found : [...found, unreadMessage()];
}

const LF = 0x0a;
const HEADER = /^([0-9a-f]{40,64}) (\w+) (\d+)$/;
/** Ids are random to every rule, and no secret. */
const REFERENCES = /^(?:tree|parent|object) [0-9a-f]{40,64}\n/;

/** The objects that are there whole: the output may have been cut behind them. */
function* objectsOf(output: Buffer): Generator<GitObject> {
  let at = 0;
  while (at < output.length) {
    const end = output.indexOf(LF, at);
    const [, id = '', kind = '', size = ''] = HEADER.exec(output.toString('latin1', at, end)) ?? [];
    const start = end + 1;
    at = start + Number(size) + 1;
    if (end === -1 || id === '' || at > output.length) return;
    yield { id, kind, text: withoutReferences(output.subarray(start, at - 1)) };
  }
}

function withoutReferences(object: Buffer): Buffer {
  let start = 0;
  for (;;) {
    const end = object.indexOf(LF, start);
    if (end === -1 || !REFERENCES.test(object.toString('latin1', start, end + 1))) break;
    start = end + 1;
  }
  return object.subarray(start);
}

/** A patch that adds the text as a file, so that every kind of rule reads it as it reads files. */
function asNewFile({ text }: GitObject, index: number): Buffer {
  const lines = text.toString('latin1').split('\n');
  if (lines.at(-1) === '') lines.pop();
  const name = `${MESSAGES}${index}`;
  const head = `diff --git a/${name} b/${name}\nnew file mode 100644\n--- /dev/null\n+++ b/${name}\n`;
  const body = lines.map((line) => `+${line}\n`).join('');
  return Buffer.from(`${head}@@ -0,0 +1,${lines.length} @@\n${body}`, 'latin1');
}

const MESSAGES = 'messages/';

/** The same finding at its commit or tag; one without a file says that more are not listed. */
function ofObject(finding: GateFinding, objects: readonly GitObject[]): GateFinding {
  const object = objects[Number(finding.file?.slice(MESSAGES.length) ?? -1)];
  if (object === undefined) return finding;
  const { where, fix } = placeIn(object);
  const message = `${finding.message} It is in ${where}: everybody who has the repository can read it.`;
  const place = { file: null, line: null, end_line: null, column: null };
  return { ...finding, ...place, severity: 'high', message, fix };
}

function placeIn({ kind, id }: GitObject): { where: string; fix: string } {
  if (kind === 'refs') return { where: 'the name of a branch or tag', fix: FIX_REF };
  const isTag = kind === 'tag';
  const name = `${isTag ? 'annotated tag' : 'commit'} ${id.slice(0, SHORT_ID)}`;
  return { where: `the message of ${name}`, fix: isTag ? FIX_TAG : FIX_COMMIT };
}

const SHORT_ID = 12;
const FIX_COMMIT = 'Revoke the secret, change the message of the commit, and push it again.';
const FIX_REF = 'Revoke the secret, and choose another name.';
const FIX_TAG = 'Revoke the secret, delete the tag, and make it again with another message.';

function unreadMessage(): GateFinding {
  const message = 'a message of this push could not be read whole';
  return plainFinding({ id: UNREAD, gate: 'risk', severity: 'high', message, fix: UNREAD_FIX });
}

const UNREAD_FIX = 'Push fewer and smaller commits, or have a person look at them and override.';
