import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'ava';
import { openForWriting, storePaths } from '../../src/store/sqlite/database.ts';
import { MIGRATIONS } from '../../src/store/sqlite/schema.ts';
import { runCommand } from '../cli/fixtures/command.ts';
import { request, startDaemonProcess, temporaryDir } from '../daemon.ts';

/**
 * Trees whose daemon made the stores of test/fixtures/stores (the data directory after three
 * analyses, an override and an entry of the operations log), and what it answered about them.
 * The last made release 1.0.0.
 */
const TREES = ['c92c420', '872761aa', '421afb57'];

interface Answer {
  rfc_id: string;
  findings: unknown[];
  [field: string]: unknown;
}

for (const tree of TREES) {
  test(`a store of ${tree} is brought up, and answers as it did`, async (t) => {
    const dataDir = temporaryDir(t);
    execFileSync('tar', ['-xzf', `test/fixtures/stores/${tree}.tar.gz`, '-C', dataDir]);
    const answers: Answer[] = JSON.parse(readFileSync(`test/fixtures/stores/${tree}.json`, 'utf8'));
    const daemon = await startDaemonProcess(t, dataDir);
    t.is((await request(`${daemon.url}/rfcs`)).body.data.length, answers.length);
    for (const { findings, ...expected } of answers) {
      const { data } = (await request(`${daemon.url}/rfc/${expected.rfc_id}`)).body;
      t.like(data, expected);
      const found = [...data.gates.risk.findings, ...data.gates.ast.findings];
      t.deepEqual(
        found.map(({ id, severity, file, line, fingerprint }) => {
          return [id, severity, file, line, fingerprint];
        }),
        findings,
      );
    }
    await daemon.kill();
    const env = { SERVICE_DATA_DIR: dataDir };
    const verified = await runCommand(['audit', 'verify'], { env });
    t.is(verified.code, 0, verified.stdout);
  });
}

test('a store of a newer version is refused with the way back', async (t) => {
  const dataDir = temporaryDir(t);
  execFileSync('tar', ['-xzf', `test/fixtures/stores/${TREES.at(-1)}.tar.gz`, '-C', dataDir]);
  const database = openForWriting(storePaths(dataDir).database);
  database.pragma(`user_version = ${MIGRATIONS.length + 1}`);
  database.close();
  await t.throwsAsync(startDaemonProcess(t, dataDir), {
    message: /written by a newer cra: .*run the version that wrote it, or restore a backup/,
  });
  const doctor = await runCommand(['doctor'], { env: { SERVICE_DATA_DIR: dataDir } });
  t.is(doctor.code, 1);
  t.regex(doctor.stdout, /FAILURE {2}store .*newer cra/);
});
