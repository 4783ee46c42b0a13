import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { temporaryDir } from '../daemon.ts';
import { startGuardedDaemon } from '../http/credentials.ts';
import { installApiTools } from '../proof/schemathesis-tool.ts';

const SECONDS_EACH = 30;

test('the served description is valid OpenAPI, and schemathesis finds nothing against it', async (t) => {
  t.timeout(280_000);
  const directory = temporaryDir(t);
  const tools = installApiTools(directory);
  const daemon = await startGuardedDaemon(t, { SERVICE_TRUST_PROXY: 'true' });
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const served = await fetch(`${daemon.url}/openapi.json`, { headers: bearer(daemon.apiToken) });
  const documentPath = join(directory, 'openapi.json');
  const document = (await served.json()) as object;
  writeFileSync(documentPath, JSON.stringify({ ...document, paths: [] }));
  t.throws(() => tools.validate(documentPath));
  writeFileSync(documentPath, JSON.stringify(document));
  tools.validate(documentPath);
  const machine = { ...bearer(daemon.apiToken), 'X-CRA-Override-Token': daemon.overrideToken };
  for (const headers of [machine, bearer(await daemon.person('admin'))]) {
    const outcome = await tools.fuzz({
      ...{ url: new URL(daemon.url).origin, documentPath, headers },
      ...{ seconds: SECONDS_EACH, seed: 1 },
    });
    t.true(outcome.holds, outcome.text.slice(-10_000));
  }
  t.deepEqual(
    daemon.log.filter(({ level }) => level === 'error' || level === 'fatal'),
    [],
  );
  t.is(await daemon.stop(), 0);
});
