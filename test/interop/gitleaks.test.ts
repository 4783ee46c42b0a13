import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'smol-toml';
import { compileRules } from '../../src/gates/patterns/compile.ts';
import { importGitleaks } from '../../src/gates/patterns/gitleaks.ts';
import { buildRules } from '../../src/gates/patterns/rules-text.ts';
import type { RulesText } from '../../src/model/rules.ts';
import { defaultRules } from '../../src/rules/default.ts';
import { fake } from '../../src/rules/fake.ts';
import { temporaryDir } from '../daemon.ts';
import { newFile, scanDiff } from '../gates/patterns/scan-text.ts';
import { hasGo } from './go-tool.ts';

const MODULE = 'github.com/zricethezav/gitleaks/v8';
const VERSION = 'v8.30.1';

/** The program, built by Go, and the configuration that comes with its source. */
function gitleaks(): { program: string; config: string } {
  const env = { ...process.env, CGO_ENABLED: '0' };
  const go = (...args: string[]) => execFileSync('go', args, { encoding: 'utf8', env }).trim();
  const program = join(go('env', 'GOPATH'), 'bin', 'gitleaks');
  const config = join(go('env', 'GOMODCACHE'), `${MODULE}@${VERSION}`, 'config/gitleaks.toml');
  if (!existsSync(program) || !existsSync(config)) {
    // Nothing that it does here takes long: it need not be optimised.
    go('install', '-gcflags=all=-N -l', '-ldflags=-s -w', `${MODULE}@${VERSION}`);
  }
  return { program, config };
}

/** Random characters, the same in every run, as entropy decides what is taken for a secret. */
function letters(length: number, alphabet: string, seed = 7): string {
  let state = seed;
  let text = '';
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    text += alphabet.charAt((state >> 12) % alphabet.length);
  }
  return text;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
const MIXED = `${LOWER}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;
const PEM = letters(640, `${MIXED}+/`).replace(/.{64}/g, '$&\n');

/** File name and text; what they hold is found or not by both. */
const TEXTS: Readonly<Record<string, string>> = {
  'github.py': `token = "ghp_${letters(36, MIXED)}"\n`,
  'aws.env': `AWS_ACCESS_KEY_ID=AKIA${letters(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}\n`,
  'stripe.js': `const a = 1;\nconst key = 'sk_live_${letters(24, MIXED)}';\n`,
  'gitlab.yml': `variables:\n  TOKEN: glpat-${letters(20, MIXED)}\n`,
  'npm.txt': `//registry/:_authToken=npm_${letters(36, LOWER)}\n`,
  'generic.rb': `db_password = "${letters(24, MIXED)}"\n`,
  'key.pem': `-----BEGIN RSA PRIVATE KEY-----\n${PEM}-----END RSA PRIVATE KEY-----\n`,
  'curl.sh': `curl -u admin:${letters(16, MIXED)} https://example.com/\n`,
  'low-entropy.py': `token = "ghp_${'a'.repeat(36)}"\n`,
  'words.md': 'The token is kept in a vault; its password is rotated.\n',
  'yarn.lock': `token = "ghp_${letters(36, MIXED)}"\n`,
  'placeholder.yml': 'password: $PASSWORD\napi_key: "{{ .Values.key }}"\n',
  'store.p12': 'binary\n',
  'example.py': `key = "${fake('AKIA', 9, 'upper')}EXAMPLE"\n`,
};

function foundByGitleaks(t: ExecutionContext, program: string, config: string): string[] {
  const dir = temporaryDir(t);
  for (const [name, text] of Object.entries(TEXTS)) {
    mkdirSync(dirname(join(dir, 'in', name)), { recursive: true });
    writeFileSync(join(dir, 'in', name), text);
  }
  const report = join(dir, 'report.json');
  const args = [
    'dir',
    join(dir, 'in'),
    '-c',
    config,
    '-f',
    'json',
    '-r',
    report,
    '--exit-code',
    '0',
  ];
  execFileSync(program, [...args, '--no-banner', '--max-decode-depth', '0'], { stdio: 'ignore' });
  const found = JSON.parse(readFileSync(report, 'utf8')) as {
    RuleID: string;
    File: string;
    StartLine: number;
  }[];
  const lines = found.map(
    ({ RuleID, File, StartLine }) => `${File.slice(dir.length + 4)} ${StartLine} ${RuleID}`,
  );
  return [...new Set(lines)].sort();
}

test("gitleaks' own configuration loads, and every expression of it compiles", (t) => {
  if (!hasGo(t)) return;
  const { config } = gitleaks();
  const { rules } = parse(readFileSync(config, 'utf8')) as { rules: { regex?: string }[] };
  const { file, problems } = importGitleaks(parse(readFileSync(config, 'utf8')), defaultRules);
  t.deepEqual(problems, []);
  const patterns = file.secret_patterns ?? [];
  t.is(patterns.length, rules.length);
  t.is(patterns.filter(({ regex }) => regex !== undefined).length, 221);
  t.deepEqual(buildRules(textOf(config), defaultRules, () => 0).problems, []);
});

function textOf(config: string): RulesText {
  return { name: 'gitleaks.toml', text: readFileSync(config, 'utf8'), isToml: true };
}

/** gitleaks lists no generic rule where another one has found something on the line. */
function withoutGeneric(lines: readonly string[]): string[] {
  const place = (line: string) => line.slice(0, line.lastIndexOf(' '));
  const specific = new Set(lines.filter((line) => !line.includes('generic')).map(place));
  const kept = lines.filter((line) => !line.includes('generic') || !specific.has(place(line)));
  return [...new Set(kept)].sort();
}

test('gitleaks and its rules here find the same secrets on the same lines', (t) => {
  if (!hasGo(t)) return;
  const { program, config } = gitleaks();
  const { built } = buildRules(textOf(config), defaultRules, () => 0);
  if (built === null) return t.fail('its rules cannot be loaded');
  const compiled = compileRules({ ...built.rules, risk_patterns: [], vulnerability_patterns: [] });
  const ours = Object.entries(TEXTS).flatMap(([name, text]) =>
    scanDiff(compiled, newFile(text, name)).map(
      ({ id, file, line }) => `${file} ${line ?? 0} ${id.replace('secret-', '')}`,
    ),
  );
  const theirs = foundByGitleaks(t, program, config);
  t.true(theirs.length >= 8, theirs.join('\n'));
  t.deepEqual(withoutGeneric(ours), theirs);
});
