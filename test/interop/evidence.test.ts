import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { createRandom } from '../../bench/random.ts';
import { runCommand } from '../cli/fixtures/command.ts';
import { startDaemonProcess, temporaryDir } from '../daemon.ts';
import { blocked, send, submit } from '../decision-calls.ts';
import { type Envelope, tampered } from '../deploys/tampering.ts';
import { openTab } from './chromium.ts';
import { hasGo } from './go-tool.ts';

const run = promisify(execFile);

const PROGRAM = fileURLToPath(new URL('../../../test/interop/dsse/', import.meta.url));
const PACKAGES = ['in-toto-attestation==0.9.3', 'securesystemslib[crypto]==1.6.0'];
const PIP_INSTALL = ['install', '--quiet', '--no-compile', '--disable-pip-version-check'];
const TAMPERINGS = 200;
const TYPES = ['urn:cra:change-review:v1', 'https://slsa.dev/verification_summary/v1'];

/** Checks all sums of a ZIP file, unpacks it, and lists its members. */
const UNPACK = `
import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
archive.extractall(sys.argv[2])
print("\\n".join(archive.namelist()))
`;

test('tools of in-toto verify evidence as it is, and refuse 200 tamperings', async (t) => {
  t.timeout(280_000);
  if (!hasGo(t)) return;
  const dataDir = temporaryDir(t);
  const packages = temporaryDir(t);
  const pip = ['-m', 'pip', ...PIP_INSTALL, '--target', packages, ...PACKAGES];
  const [daemon] = await Promise.all([startDaemonProcess(t, dataDir), run('python3', pip)]);
  const rfcId = await submit(t, daemon, blocked(1));
  const asked = { actor: 'ann', reason: 'an example' };
  t.is((await send(daemon, `rfc/${rfcId}/override`, asked)).status, 200);
  const answer = await fetch(`${daemon.url}/rfc/${rfcId}/evidence`);
  t.is(answer.headers.get('content-type'), 'application/vnd.in-toto.bundle');
  const lines = (await answer.text()).trimEnd().split('\n');
  const env = { SERVICE_DATA_DIR: dataDir };
  const key = (await runCommand(['evidence', 'key'], { env })).stdout;

  const zip = join(packages, 'evidence.zip');
  const days = ['--from', '2020-01-01', '--to', '2199-01-01', '--out', zip];
  const server = ['--server', `http://127.0.0.1:${daemon.port}`];
  const exported = ['evidence', 'export', '--repo', 'acme/shop', ...days, ...server];
  t.regex((await runCommand(exported, { env })).stdout, /^1 RFCs, verified/);
  const unpacked = join(packages, 'unpacked');
  const names = (await run('python3', ['-c', UNPACK, zip, unpacked])).stdout.trim().split('\n');
  t.deepEqual(names, [`${rfcId}.intoto.jsonl`, 'index.html']);
  const page = await openIndex(t, unpacked);
  t.regex(page.text, new RegExp(`${rfcId}\\s+PASSED\\s+OVERRIDDEN`));
  t.deepEqual(page.links, [`${rfcId}.intoto.jsonl`]);
  t.is(page.resources, 0, 'the page needs neither a server nor the network');

  const random = createRandom(43);
  const wrong = Array.from({ length: TAMPERINGS }, (_, n) => tampered(lines[n % 2] ?? '', random));
  const keyid = (JSON.parse(lines[0] ?? '') as Envelope).signatures[0]?.keyid;
  const input = JSON.stringify({ key, keyid, envelopes: [...lines, ...wrong] });

  const ask = async (program: string, args: string[], extra: Record<string, string> = {}) => {
    const asking = run(program, args, { cwd: PROGRAM, env: { ...process.env, ...extra } });
    asking.child.stdin?.end(input);
    return (await asking).stdout.trim().split('\n');
  };
  const script = join(PROGRAM, 'verify.py');
  const python = await ask('python3', [script], { PYTHONPATH: packages });
  t.deepEqual(python.slice(0, 2), TYPES);
  t.deepEqual(
    python.slice(2).filter((line) => !line.startsWith('refused: ')),
    [],
  );
  const go = await ask('go', ['run', '-mod=readonly', '.']);
  t.deepEqual(go.slice(0, 2), ['ok', 'ok']);
  t.deepEqual([go.length, go.slice(2).filter((line) => line === 'ok')], [TAMPERINGS + 2, []]);
});

/** What the index page of an unpacked export shows in a browser, without a server. */
async function openIndex(t: ExecutionContext, folder: string) {
  const tab = await openTab(t);
  await tab.open(pathToFileURL(join(folder, 'index.html')).href);
  const text = await tab.evaluate<string>('document.body.innerText');
  const links = await tab.evaluate<string[]>(
    "[...document.links].map((link) => link.getAttribute('href'))",
  );
  const resources = await tab.evaluate<number>("performance.getEntriesByType('resource').length");
  return { text: text ?? '', links, resources };
}
