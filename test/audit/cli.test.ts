import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { createRandom } from '../../bench/random.ts';
import { rootOf } from '../../src/audit/chain.ts';
import { createCheckpointVerifier } from '../../src/audit/checkpoint.ts';
import { exportTrail } from '../../src/audit/export.ts';
import { verifyTrail } from '../../src/audit/verify.ts';
import { writeLines } from '../../src/cli/audit.ts';
import { openExport } from '../../src/cli/audit-file.ts';
import { openDataDir } from '../../src/daemon/data-dir.ts';
import { runCommand } from '../cli/fixtures/command.ts';
import { temporaryDir } from '../daemon.ts';
import { BEGIN_MS, boot, FORGER, OPEN, SIGNER, sourceOf, startChain } from './trail.ts';

function makeTrail() {
  const first = startChain('20261121T100000Z-1');
  boot(first);
  for (let i = 0; i < 9; i += 1) first.write({});
  first.checkpoint();
  const second = startChain('20261121T110000Z-2');
  boot(second, [first]);
  for (let i = 0; i < 4; i += 1) second.write({});
  return { first, second };
}

/** A file with an export of two chains of 11 and 5 entries. */
async function exportFile(t: ExecutionContext) {
  const { first, second } = makeTrail();
  const path = join(temporaryDir(t), 'trail.jsonl');
  const source = sourceOf(new Map([first, second].map(({ state, texts }) => [state.chain, texts])));
  const nowMs = BEGIN_MS + 86_400_000;
  const onEntry = () => undefined;
  await writeLines(path, (write) =>
    exportTrail(source, { write, nowMs, since: null, signer: SIGNER, onEntry }),
  );
  return { path, first, second };
}

test('audit verify: 0 for an export that is in order, and a summary', async (t) => {
  const { path } = await exportFile(t);
  const args = ['audit', 'verify', path, '--key', SIGNER.verifierKey];
  const { code, stdout, stderr } = await runCommand(args);
  t.is(code, 0, stderr);
  t.regex(stdout, /^OK: the trail is in order\n {2}chains +2\n {2}entries +16 /);
  t.notRegex(stdout, /warning/);
  const json = JSON.parse((await runCommand([...args, '--json'])).stdout);
  t.is(json.flaw, null);
  t.is(json.summary.unsealed, 0);
});

test('audit verify: 1 and the first bad entry for a bad trail', async (t) => {
  const { path } = await exportFile(t);
  writeFileSync(path, readFileSync(path, 'utf8').replace('"seq":7', '"seq":8'));
  const args = ['audit', 'verify', path, '--key', SIGNER.verifierKey];
  const { code, stdout } = await runCommand(args);
  t.is(code, 1);
  t.regex(stdout, /^BAD: chain 20261121T100000Z-1, entry 7: entry 8 stands in its place\n/);
  const json = JSON.parse((await runCommand([...args, '--json'])).stdout);
  t.deepEqual(json.flaw, {
    chain: '20261121T100000Z-1',
    seq: 7,
    reason: 'entry 8 stands in its place',
  });
  const { code: other } = await runCommand(['audit', 'verify', path, '--key', FORGER.verifierKey]);
  t.is(other, 1);
});

test('audit verify --checkpoint finds an export of a trail that was cut', async (t) => {
  const { path, second } = await exportFile(t);
  const before = { chain: second.state.chain, size: 5, root: rootOf(second.state.frontier) };
  second.write({});
  const after = { chain: second.state.chain, size: 6, root: rootOf(second.state.frontier) };
  const kept = `${path}.note`;
  const verify = () => {
    const args = ['audit', 'verify', path, '--key', SIGNER.verifierKey, '--checkpoint', kept];
    return runCommand(args);
  };
  writeFileSync(kept, SIGNER.sign(before));
  t.is((await verify()).code, 0);
  writeFileSync(kept, `${SIGNER.sign(before)}\n${SIGNER.sign(after)}`);
  const { code, stdout } = await verify();
  t.is(code, 1);
  t.regex(stdout, /^BAD: chain 20261121T110000Z-2, entry 6: /);
  writeFileSync(kept, FORGER.sign(before));
  const forged = await verify();
  t.is(forged.code, 2);
  t.regex(forged.stderr, /checkpoint 1 was not signed with this key/);
});

const UNREADABLE: readonly (readonly [name: string, args: string[], message: RegExp])[] = [
  ['a file that is not there', ['verify', 'missing'], /missing cannot be read/],
  ['a folder', ['verify', '.'], /is not a regular file/],
  ['a file that is not an export', ['verify', 'README.md'], /was not made by cra audit export/],
  ['an invalid key', ['verify', 'README.md', '--key', 'x'], /--key: this is not a public key/],
  ['two files', ['verify', 'a', 'b'], /give one file, or none/],
  ['an unknown option', ['verify', '--other'], /other/],
  ['no action', [], /an action is missing/],
  ['an unknown action', ['seal'], /unknown action "seal"/],
  ['a time that is not valid', ['export', '--since', 'monday'], /--since must be a time/],
  ['a data directory without a key', ['key'], /holds no key/],
];
for (const [name, args, message] of UNREADABLE) {
  test(`audit: 2 for ${name}`, async (t) => {
    const cwd = temporaryDir(t);
    writeFileSync(join(cwd, 'README.md'), '# no export\n');
    const { code, stderr } = await runCommand(['audit', ...args], { cwd });
    t.is(code, 2);
    t.regex(stderr, message);
    t.false(existsSync(join(cwd, 'data')), 'nothing is made on the way');
  });
}

test('audit key prints the public key of the data directory', async (t) => {
  const dataDir = temporaryDir(t);
  const own = { fingerprint: null, seal: null, checkpoint: null };
  const { checkpoint } = openDataDir(dataDir, own).keys;
  const env = { SERVICE_DATA_DIR: dataDir };
  const { code, stdout } = await runCommand(['audit', 'key'], { env });
  t.is(code, 0);
  t.is(checkpoint.length, 32);
  t.notThrows(() => createCheckpointVerifier(stdout.trim()));
  t.is((await runCommand(['audit', 'key'], { env })).stdout, stdout);
  writeFileSync(join(dataDir, 'keys', 'checkpoint'), 'short');
  t.is((await runCommand(['audit', 'key'], { env })).code, 2);
});

async function verifyFile(path: string) {
  const { source, header, closing } = await openExport(path);
  try {
    const claims = { omitted: header.omitted, closing };
    const options = { open: OPEN, nowMs: Date.parse(header.at), kept: [], claims };
    return (await verifyTrail(source, options)).flaw;
  } finally {
    await source.close();
  }
}

test('an export that is cut anywhere behind its header is bad, and it is said where', async (t) => {
  const { path } = await exportFile(t);
  const whole = readFileSync(path);
  const header = whole.indexOf('\n') + 1;
  t.is(await verifyFile(path), null);
  for (let size = header; size < whole.length; size += 53) {
    const cut = whole.subarray(0, size);
    writeFileSync(path, cut);
    const flaw = await verifyFile(path);
    const lines = cut.toString().split('\n').length - 2;
    const at = lines < 11 ? ['20261121T100000Z-1', lines + 1] : ['20261121T110000Z-2', lines - 10];
    // Of the second chain nothing tells before its first entry is read.
    if (lines === 0 && flaw?.chain === null) continue;
    const expected = lines === 11 ? ['20261121T100000Z-1', 12] : at;
    t.deepEqual([flaw?.chain, flaw?.seq], expected, `${size}: ${flaw?.reason}`);
  }
});

test('any changed byte of an export is found', async (t) => {
  const { path } = await exportFile(t);
  const whole = readFileSync(path);
  const random = createRandom(3);
  const from = whole.indexOf('\n') + 1;
  for (let i = 0; i < 300; i += 1) {
    const changed = Buffer.from(whole);
    const at = random.between(from, whole.length);
    changed[at] = (whole[at] ?? 0) ^ random.between(1, 256);
    writeFileSync(path, changed);
    const flaw = await verifyFile(path);
    const line = whole.subarray(0, at).toString('latin1').split('\n').length - 1;
    t.not(flaw, null, `${at} in line ${line}`);
    if (changed[at] === 10 || whole[at] === 10 || line > 16) continue;
    const expected = line <= 11 ? ['20261121T100000Z-1', line] : ['20261121T110000Z-2', line - 11];
    t.deepEqual([flaw?.chain, flaw?.seq], expected, `${at}: ${flaw?.reason}`);
  }
});

test('bytes that are not UTF-8 do not become replacement characters', async (t) => {
  const chain = startChain('20261121T100000Z-1');
  boot(chain);
  chain.write({ reason: 'a\ufffdb' });
  const path = join(temporaryDir(t), 'trail.jsonl');
  const source = sourceOf(new Map([[chain.state.chain, chain.texts]]));
  const options = { nowMs: BEGIN_MS, since: null, signer: SIGNER, onEntry: () => undefined };
  await writeLines(path, (write) => exportTrail(source, { ...options, write }));
  t.is(await verifyFile(path), null);
  const text = readFileSync(path).toString('latin1');
  writeFileSync(path, Buffer.from(text.replace('\xef\xbf\xbd', '\xff'), 'latin1'));
  const flaw = await verifyFile(path);
  t.deepEqual([flaw?.seq, flaw?.reason], [2, 'the line is not UTF-8']);
});

test('an export of several blocks is read as it was written', async (t) => {
  const chain = startChain('20261121T100000Z-1');
  boot(chain);
  while (chain.state.size < 4_000) chain.write({});
  const path = join(temporaryDir(t), 'trail.jsonl');
  const source = sourceOf(new Map([[chain.state.chain, chain.texts]]));
  const options = { nowMs: BEGIN_MS * 2, since: null, signer: SIGNER, onEntry: () => undefined };
  await writeLines(path, (write) => exportTrail(source, { ...options, write }));
  const whole = readFileSync(path, 'utf8');
  t.true(whole.length > 2 << 20);
  t.is(await verifyFile(path), null);
  writeFileSync(path, whole.replace('"seq":3999', '"seq":3998'));
  t.is((await verifyFile(path))?.seq, 3999);
  const line = chain.texts[1999] ?? '';
  writeFileSync(
    path,
    whole.replace(line, () => line.replace('hotfix', 'x'.repeat(3 << 20))),
  );
  const flaw = await verifyFile(path);
  t.deepEqual([flaw?.seq, flaw?.reason], [2000, 'the line is too long for an entry']);
});

test('an export that fails leaves the one before as it was', async (t) => {
  const dir = temporaryDir(t);
  const path = join(dir, 'trail.jsonl');
  writeFileSync(path, 'before');
  await t.throwsAsync(
    writeLines(path, async (write) => {
      await write('after');
      throw new Error('the store went away');
    }),
    { message: 'the store went away' },
  );
  t.is(readFileSync(path, 'utf8'), 'before');
  t.deepEqual(readdirSync(dir), ['trail.jsonl']);
  await t.throwsAsync(
    writeLines(join(dir, 'none', 'x'), () => Promise.resolve()),
    { code: 'FAILED_PRECONDITION' },
  );
});

test('an export to a stream waits for its reader and ends when that goes away', async (t) => {
  const stream = new PassThrough({ highWaterMark: 16 });
  const line = `${'x'.repeat(1 << 20)}\n`;
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await writeLines(stream, async (write) => {
    await write(line);
    await write(line);
  });
  t.is(Buffer.concat(chunks).toString(), line + line);
  const closed = new PassThrough({ highWaterMark: 16 });
  const writing = writeLines(closed, async (write) => {
    await write(line);
  });
  closed.destroy(new Error('EPIPE'));
  await t.throwsAsync(writing);
});
