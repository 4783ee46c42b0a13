import type { CancelFlag } from '../../core/cancel-flag.ts';
import { asBuffer } from '../../diff/bytes.ts';
import { parseDiff } from '../../diff/parse.ts';
import { runScan } from '../../gates/patterns/scan.ts';
import { type GateFinding, plainFinding } from '../../model/finding.ts';
import { acceptedIn, applySuppressions } from '../../verdict/suppression.ts';
import type { GateTools } from './gates.ts';
import { suppressAccepted } from './suppress.ts';

/** A commit or an annotated tag, as git stores it. */
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
  const accepted = acceptedIn(repo_name, rules.accepted);
  const judged = await suppressAccepted(
    applySuppressions(secrets, { markers: [], accepted, trustsNew: false }),
    { tenant_id, repo_name },
    tools.findAccepted,
  );
  const found = judged.map((finding) => ofObject(finding, read));
  return problems.length === 0 ? found : [...found, unread()];
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
  const isTag = object.kind === 'tag';
  const name = `${isTag ? 'annotated tag' : 'commit'} ${object.id.slice(0, SHORT_ID)}`;
  const where = `It is in the message of ${name}`;
  const message = `${finding.message} ${where}: everybody who has the repository can read it.`;
  const place = { file: null, line: null, end_line: null, column: null };
  const fix = isTag ? FIX_TAG : FIX_COMMIT;
  return { ...finding, ...place, severity: 'high', message, fix };
}

const SHORT_ID = 12;
const FIX_COMMIT = 'Revoke the secret, change the message of the commit, and push it again.';
const FIX_TAG = 'Revoke the secret, delete the tag, and make it again with another message.';

function unread(): GateFinding {
  const message = 'a message of this push could not be read whole';
  return plainFinding({ id: 'history-unscanned', gate: 'risk', severity: 'high', message });
}
