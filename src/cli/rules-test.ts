import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createCancelFlag } from '../core/cancel-flag.ts';
import { parseDiff } from '../diff/parse.ts';
import { prepareRules } from '../gates/patterns/compile.ts';
import { scanRisk } from '../gates/patterns/scan.ts';
import { CLI } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import type { GateFinding } from '../model/finding.ts';
import { loadActiveRules } from '../rulebook/active-rules.ts';
import { readAll } from './read-all.ts';
import { printable } from './terminal.ts';

/** Where `--text` is looked at: a path that no rule on paths has an opinion about. */
const EXAMPLE_PATH = 'src/example.txt';

/** Fingerprints are of no use without the key of a service, so they are not shown. */
const NO_KEY = new Uint8Array(32);

/**
 * `cra rules test`: lists the rules that match a text or a diff, and where.
 * Resolves with 0 when none does, 1 when some do.
 */
export async function testRules(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const [file = null, ...more] = positionals;
  if (more.length > 0) throw usage(`unknown argument "${more[0]}"`);
  const diff = await readSource(values);
  const { rules } = await loadActiveRules(file);
  const { files, problems } = parseDiff(diff);
  if (files.length === 0) throw usage('the text is not a unified diff');
  for (const { diffLine, message } of problems) {
    process.stderr.write(`line ${diffLine} of the diff could not be read: ${printable(message)}\n`);
  }
  const compiled = prepareRules(rules);
  const cancel = createCancelFlag();
  const scan = { bytes: diff, files, rules: compiled, fingerprintKey: NO_KEY, cancel };
  const { findings } = scanRisk(scan);
  process.stdout.write(values.json ? asJson(findings) : asText(findings));
  return findings.length > 0 ? 1 : 0;
}

const OPTIONS = {
  text: { type: 'string' },
  diff: { type: 'string' },
  path: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

async function readSource({ text, diff, path }: Values): Promise<Buffer> {
  if ((text === undefined) === (diff === undefined)) throw usage('give either --text or --diff');
  if (diff !== undefined) {
    if (path !== undefined) throw usage('--path goes with --text; a diff has its own paths');
    return diff === '-' ? readStdin() : readFileSync(diff);
  }
  const content = text === '-' ? (await readStdin()).toString('utf8') : (text ?? '');
  return Buffer.from(newFileDiff(content, path ?? EXAMPLE_PATH));
}

function readStdin(): Promise<Buffer> {
  return readAll(process.stdin, CLI.DIFF_BYTES_MAX, 'standard input');
}

/** A diff that adds a file with this text. The name is quoted as git does it for odd ones. */
function newFileDiff(text: string, path: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const [before, after] = [JSON.stringify(`a/${path}`), JSON.stringify(`b/${path}`)];
  const head = `diff --git ${before} ${after}\nnew file mode 100644\n--- /dev/null\n+++ ${after}\n`;
  return `${head}@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
}

function asText(findings: readonly GateFinding[]): string {
  if (findings.length === 0) return 'no rule matches\n';
  return findings.map(lineOf).join('');
}

function lineOf({ id, severity, message, file, line, column, excerpt }: GateFinding): string {
  const place = [file, line, column].filter((part) => part !== null).join(':');
  const shown = excerpt === null ? '' : `    | ${printable(excerpt)}\n`;
  return `${printable(place || '-')}  ${severity}  ${id}: ${printable(message)}\n${shown}`;
}

function asJson(findings: readonly GateFinding[]): string {
  const shown = findings.map(({ fingerprint: _unkeyed, ...rest }) => rest);
  return `${JSON.stringify(shown, null, 2)}\n`;
}

function usage(message: string): CraError {
  return new CraError('INVALID_ARGUMENT', message);
}
