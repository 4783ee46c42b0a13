/**
 * Compares the two engines for JavaScript over all cases and examples of the catalogue, as files
 * and as hunks: `node dist/test/gates/syntax/parity.js [part of a title]` prints what differs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mayHoldSink } from '../../../src/gates/syntax/languages.ts';
import { inspectScript } from '../../../src/gates/syntax/lower/ecmascript/inspect.ts';
import { createSyntaxService } from '../../../src/gates/syntax/syntax-service.ts';
import type { Fragment } from '../../../src/rpc/contract.ts';
import { CONTEXT, fragmentOf, KEY } from './code.ts';

const [wanted = ''] = process.argv.slice(2);
const folder = new URL('../../../../test/gates/syntax/', import.meta.url);
const engines = [
  createSyntaxService(),
  createSyntaxService({ lookAtScript: inspectScript }),
] as const;

/** `=== title`, code, and in the catalogue `---` before code that is harmless. */
function samples(): [title: string, code: string][] {
  return ['cases', 'catalogue'].flatMap((name) =>
    readdirSync(new URL(name, folder)).flatMap((file) =>
      readFileSync(new URL(`${name}/${file}`, folder), 'utf8')
        .split(/^=== /m)
        .slice(1)
        .flatMap((text): [string, string][] => {
          const end = text.indexOf('\n');
          const title = `${name}/${file} ${text.slice(0, end)}`;
          const parts = text.slice(end + 1).split(/^---\n/m);
          return parts.map((code, index) => [index === 0 ? title : `${title} (harmless)`, code]);
        }),
    ),
  );
}

function found(service: (typeof engines)[number], fragment: Fragment): string {
  try {
    const output = service.inspect({ fragments: [fragment], fingerprintKey: KEY }, CONTEXT);
    if (output instanceof Promise) throw new TypeError('the service is synchronous');
    const findings = output.results.flatMap((result) => result.findings);
    const all = findings.map(
      ({ id, severity, line, column }) => `${id} ${severity} ${line}:${column}`,
    );
    return all.sort().join(', ') || 'nothing';
  } catch (thrown) {
    return `it throws ${String(thrown)}`;
  }
}

let count = 0;
let same = 0;
const shown: string[] = [];
for (const [title, code] of samples()) {
  if (!title.includes(wanted)) continue;
  const hunk = `    level = 1;\n  }\n}\n\n${code}\nif (level) {\n  other(\n`;
  for (const [form, text] of [
    ['file', code],
    ['hunk', hunk],
  ] as const) {
    if (!mayHoldSink(Buffer.from(text))) continue;
    const fragment = fragmentOf(text);
    const [before, after] = engines.map((service) => found(service, fragment));
    count += 1;
    if (before === after) same += 1;
    else shown.push(`${form}, ${title}: ${before} -> ${after}`);
  }
}
process.stdout.write(`${shown.join('\n')}\n${same} of ${count} are the same\n`);
