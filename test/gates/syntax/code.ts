import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createCancelFlag } from '../../../src/core/deadline.ts';
import { parseDiff } from '../../../src/diff/parse.ts';
import { collectFragments } from '../../../src/gates/syntax/collect.ts';
import type { TreeReader } from '../../../src/gates/syntax/program/tree.ts';
import { createSyntaxService } from '../../../src/gates/syntax/syntax-service.ts';
import type { GateFinding } from '../../../src/model/finding.ts';
import type { Fragment, FragmentResult } from '../../../src/rpc/contract.ts';
import type { CallContext } from '../../../src/rpc/service.ts';

export const KEY = new Uint8Array(32).fill(7);
export const CONTEXT: CallContext = { stopReason: () => null };

/** Files of grammars, as workers/ast.ts reads them. */
export function readPackaged(name: string): Promise<Uint8Array> {
  return readFile(fileURLToPath(import.meta.resolve(name)));
}

const service = createSyntaxService({ readPackaged });

/** A fragment of a file, all of whose lines are added unless told otherwise. */
export function fragmentOf(text: string, options: Partial<Fragment> = {}): Fragment {
  const added: [number, number][] = [[0, text.split('\n').length]];
  return { path: 'src/app.ts', startLine: 1, added, text, ...options };
}

/** What the child says of a fragment. Only for text that the guards let through. */
export function inspect(fragment: Fragment): FragmentResult {
  const input = { fragments: [fragment], fingerprintKey: KEY };
  const output = service.inspect(input, CONTEXT);
  if (output instanceof Promise) throw new TypeError('the service is synchronous');
  const [result] = output.results;
  if (result === undefined) throw new TypeError('one result per fragment');
  return result;
}

/** The same for a language whose grammar is loaded with the first text. */
export async function inspectTree(fragment: Fragment): Promise<FragmentResult> {
  const { results } = await service.inspect(
    { fragments: [fragment], fingerprintKey: KEY },
    CONTEXT,
  );
  const [result] = results;
  if (result === undefined) throw new TypeError('one result per fragment');
  return result;
}

/** `id severity line`, for tables. */
export function short(finding: GateFinding): string {
  return `${finding.id} ${finding.severity} ${finding.line}`;
}

/** A diff that adds a whole file. */
export function newFile(path: string, text: string): string {
  const lines = text.split('\n');
  const body = lines.map((line) => `+${line}\n`).join('');
  return (
    `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n` +
    `@@ -0,0 +1,${lines.length} @@\n${body}`
  );
}

/** The scan thread's half over a diff. */
export function collect(diff: string | Uint8Array, cancel = createCancelFlag()) {
  const bytes = typeof diff === 'string' ? Buffer.from(diff) : diff;
  const { files } = parseDiff(bytes);
  return collectFragments({ bytes, files, fingerprintKey: KEY, cancel });
}

/** A tree of files in memory, and the paths and folders that were asked for. */
export function readerOf(
  files: Readonly<Record<string, string>>,
): TreeReader & { readonly asked: string[][] } {
  const asked: string[][] = [];
  const own = new Map(Object.entries(files));
  const namesIn = (folder: string) => {
    const prefix = folder === '' ? '' : `${folder}/`;
    const inner = [...own.keys()].filter((path) => path.startsWith(prefix));
    const names = inner.map((path) => path.slice(prefix.length).replace(/\/.*$/, '/'));
    return [...new Set(names)];
  };
  return {
    asked,
    async texts(paths) {
      asked.push([...paths]);
      return { texts: paths.map((path) => own.get(path) ?? null), isCut: false };
    },
    async names(folders) {
      asked.push(folders.map((folder) => `${folder}/`));
      return folders.map(namesIn);
    },
    async mentions(paths, words) {
      const holds = (path: string) => words.some((word) => own.get(path)?.includes(word));
      return { paths: paths.filter(holds), isCut: false };
    },
  };
}
