import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { temporaryDir } from '../daemon.ts';
import { type GuardedDaemon, startGuardedDaemon } from '../http/credentials.ts';
import { installApiTools } from '../proof/schemathesis-tool.ts';

const SECONDS_EACH = 30;

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** As whom each daemon is asked. */
const CALLERS: readonly ((daemon: GuardedDaemon) => Promise<Record<string, string>>)[] = [
  async ({ apiToken, overrideToken }) => ({
    ...bearer(apiToken),
    'X-CRA-Override-Token': overrideToken,
  }),
  async ({ person }) => bearer(await person('admin')),
];

test('the served description is valid OpenAPI, and schemathesis finds nothing against it', async (t) => {
  t.timeout(280_000);
  const directory = temporaryDir(t);
  const tools = installApiTools(directory);
  const documentPath = join(directory, 'openapi.json');
  const start = () => startGuardedDaemon(t, { SERVICE_TRUST_PROXY: 'true' });
  const daemons = await Promise.all(CALLERS.map(start));
  const [{ url, apiToken }] = daemons as [GuardedDaemon];
  const served = await fetch(`${url}/openapi.json`, { headers: bearer(apiToken) });
  const document = (await served.json()) as object;
  writeFileSync(documentPath, JSON.stringify({ ...document, paths: [] }));
  t.throws(() => tools.validate(documentPath));
  writeFileSync(documentPath, JSON.stringify(document));
  tools.validate(documentPath);
  const outcomes = daemons.map(async (daemon, index) =>
    tools.fuzz({
      url: new URL(daemon.url).origin,
      documentPath,
      headers: (await CALLERS[index]?.(daemon)) ?? {},
      seconds: SECONDS_EACH,
      seed: 1,
    }),
  );
  for (const { holds, cases, failures } of await Promise.all(outcomes)) {
    t.true(holds, failures);
    t.log(`${cases} cases`);
  }
  for (const daemon of daemons) {
    t.deepEqual(
      daemon.log.filter(({ level }) => level === 'error' || level === 'fatal'),
      [],
    );
    t.is(await daemon.stop(), 0);
  }
});
