import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { Compile } from 'typebox/schema';
import { toRdjson } from '../../src/model/rdjson.ts';
import { toSarif } from '../../src/model/sarif.ts';
import { analyze, change, newFile, request, startDaemonProcess, temporaryDir } from '../daemon.ts';
import { OUTCOMES } from '../model/outcomes.ts';
import { hasGo } from './go-tool.ts';

interface Schema {
  check(value: unknown): string[];
}

function compile(text: string): Schema {
  const validator = Compile(JSON.parse(text) as Record<string, unknown>);
  return {
    check(value) {
      const json: unknown = JSON.parse(JSON.stringify(value));
      return validator.Check(json) ? [] : validator.Errors(json)[1].map((e) => JSON.stringify(e));
    },
  };
}

let cached: Schema | null = null;

/** The schema that OASIS publishes, out of a package that ships it. */
function sarifSchema(dir: string): Schema {
  if (cached !== null) return cached;
  const options = { cwd: dir, encoding: 'utf8' } as const;
  const pack = ['pack', '--silent', '@microsoft/jest-sarif@1.0.0-beta.0'];
  const archive = execFileSync('npm', pack, options).trim();
  execFileSync('tar', ['xzf', archive], options);
  const path = join(dir, 'package/lib/schemas/sarif-2.1.0-rtm.5.json');
  // Its pattern of `language` has a bracket too many, which no expression with the flag u may have.
  cached = compile(readFileSync(path, 'utf8').replaceAll('{2}]?$', '{2}\\\\]?$'));
  return cached;
}

/** reviewdog's own schema, out of its source. */
function rdjsonSchema(): Schema {
  const module = 'github.com/reviewdog/reviewdog@v0.21.2';
  const text = execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' });
  const { Dir } = JSON.parse(text) as { Dir: string };
  return compile(readFileSync(join(Dir, 'proto/rdf/jsonschema/DiagnosticResult.json'), 'utf8'));
}

for (const [what, outcome] of OUTCOMES) {
  test(`toSarif of ${what} is valid against the published schema`, (t) => {
    const schema = sarifSchema(temporaryDir(t));
    const log = toSarif(outcome);
    t.deepEqual(schema.check(log), []);
    const [run] = log.runs;
    t.not(schema.check({ ...log, runs: [{ ...run, columnKind: 'bytes' }] }).length, 0);
    t.not(schema.check({ ...log, runs: [{ ...run, results: [{ ruleId: 'a' }] }] }).length, 0);
  });

  test(`toRdjson of ${what} is valid against reviewdog's schema`, (t) => {
    if (!hasGo(t)) return;
    const schema = rdjsonSchema();
    const result = toRdjson(outcome);
    t.deepEqual(schema.check(result), []);
    t.not(schema.check({ ...result, diagnostics: [{ severity: 'GRAVE' }] }).length, 0);
  });
}

test('GET rfc/<id>.sarif of a real RFC is valid', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const text = 'app.get("/", (req) => exec("ls " + req.query.x))\n// cra-ignore risk-*: known\n';
  const { body } = await analyze(daemon.url, change(newFile('a.js', text)));
  const log = (await request(`${daemon.url}/rfc/${body.data.rfc_id}.sarif`)).body;
  t.deepEqual(sarifSchema(temporaryDir(t)).check(log), []);
  t.true(log.runs[0].results.length > 0);
  t.is(await daemon.stop(), 0);
});
