import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Report } from '../../bench/report.ts';
import { startGuardedDaemon } from '../http/credentials.ts';
import { installApiTools } from './schemathesis-tool.ts';

const SECONDS = 300;
const PROXIED = { SERVICE_TRUST_PROXY: 'true' };

/** Schemathesis against the description that the daemon serves, with authentication on. */
export async function run(options: RunOptions): Promise<Report> {
  const temporary = makeTemporary();
  const ends: (() => unknown)[] = [temporary.remove];
  try {
    const tools = installApiTools(temporary.path);
    const teardown = (end: () => unknown) => void ends.push(end);
    const daemon = await startGuardedDaemon({ teardown }, PROXIED, join(temporary.path, 'data'));
    const url = new URL(daemon.url).origin;
    const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
    const served = await fetch(`${daemon.url}/openapi.json`, { headers: bearer(daemon.apiToken) });
    const documentPath = join(temporary.path, 'openapi.json');
    writeFileSync(documentPath, await served.text());
    tools.validate(documentPath);
    const machine = {
      ...bearer(daemon.apiToken),
      'X-CRA-Override-Token': daemon.overrideToken,
    };
    const callers = [
      ['API token with the override token beside it', machine],
      ['JWT of an admin', bearer(await daemon.person('admin'))],
    ] as const;
    const seconds = options.count ?? SECONDS;
    const rows: (string | number)[][] = [];
    const faults: string[] = [];
    for (const [who, headers] of callers) {
      const half = Math.ceil(seconds / callers.length);
      const outcome = await tools.fuzz({
        url,
        documentPath,
        headers,
        seconds: half,
        seed: options.seed,
      });
      options.progress(`schemathesis: ${who}: ${outcome.cases} cases`);
      rows.push([who, half, outcome.cases, outcome.holds ? 'none' : 'SOME']);
      if (!outcome.holds) faults.push(outcome.failures);
    }
    const errors = daemon.log.filter(({ level }) => level === 'error' || level === 'fatal');
    faults.push(...errors.map((entry) => JSON.stringify(entry)));
    const code = await daemon.stop();
    if (code !== 0) faults.push(`the daemon ended with ${code}`);
    return {
      title: 'Schemathesis against the served description',
      facts: [
        'schemathesis 4.32.5, phases examples, coverage, fuzzing, stateful; all checks',
        'authentication on; a text that fits its schema but is not a diff, cursor, regular ' +
          'expression or filter may be answered 400, a form of too many bytes 413, an If-Match ' +
          'that names other rules 412',
        'the served document is valid by openapi-spec-validator 0.9.0',
      ],
      tables: [{ columns: ['caller', 'seconds', 'cases', '**failures**'], rows }],
      notes: [`errors in the log of the daemon: ${errors.length}`, ...faults],
      holds: faults.length === 0,
    };
  } finally {
    for (const end of ends.reverse()) end();
  }
}
