import { parseArgs } from 'node:util';
import { type Config, readConfig } from '../daemon/config/config.ts';
import { ownVersion } from '../daemon/data-dir.ts';
import { mirrorPathWarnings } from '../git/alternate.ts';
import { CraError } from '../model/errors.ts';
import { loadActiveRules } from '../rulebook/active-rules.ts';
import { type Check, failure, ok, warning } from './doctor/check.ts';
import {
  checkDataDir,
  checkDisk,
  checkGit,
  checkOpenFiles,
  checkThreads,
} from './doctor/machine.ts';
import { checkNetwork } from './doctor/network.ts';
import { checkStore } from './doctor/store.ts';
import { withoutCommands } from './terminal.ts';

/**
 * `cra doctor`: looks at an installation and changes nothing. Resolves with 0, or with 1 when
 * something fails.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const checks = await checkAll();
  const text = values.json ? `${JSON.stringify(checks, null, 2)}\n` : tableOf(checks);
  process.stdout.write(withoutCommands(text));
  return checks.some(({ state }) => state === 'failure') ? 1 : 0;
}

async function checkAll(): Promise<Check[]> {
  const version = ok('version', `cra ${ownVersion()} on Node ${process.version}`);
  let config: Config;
  try {
    config = readConfig();
  } catch (thrown) {
    if (!(thrown instanceof CraError)) throw thrown;
    const advice = 'correct them: docs/reference/settings.md lists all; then run cra doctor again';
    return [version, failure('settings', thrown.message, advice), await checkGit()];
  }
  const { dataDir } = config;
  return [
    version,
    ...(await settingsOf(config)),
    checkDisk(dataDir),
    checkDataDir(dataDir),
    checkOpenFiles(dataDir),
    checkThreads(config),
    await checkGit(),
    await checkRules(config),
    ...(await checkStore(config)),
    ...(await checkNetwork(config)),
  ];
}

async function settingsOf({ vcs, ...config }: Config): Promise<Check[]> {
  const warnings = [...config.warnings, ...(await mirrorPathWarnings(vcs.hosts))];
  if (warnings.length === 0) return [ok('settings', 'all are valid')];
  return warnings.map((says) => warning('settings', says, 'see docs/reference/settings.md'));
}

async function checkRules({ rulesPath }: Config): Promise<Check> {
  if (rulesPath === null) return ok('rules', 'the built-in rules');
  try {
    await loadActiveRules(rulesPath);
    return ok('rules', `${rulesPath} loads`);
  } catch (thrown) {
    const advice = `correct it (cra rules check ${rulesPath}): the service keeps the last good one`;
    return failure('rules', CraError.fromUnknown(thrown).message, advice);
  }
}

const MARKS = { ok: 'ok', warning: 'WARNING', failure: 'FAILURE', skipped: 'skipped' } as const;

function tableOf(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const rows = checks.flatMap(({ name, state, says, advice }) => [
    `${MARKS[state].padEnd(7)}  ${name.padEnd(width)}  ${says}`,
    ...(advice === null ? [] : [`${''.padEnd(9 + width)}  do: ${advice}`]),
  ]);
  const count = (state: 'failure' | 'warning') => {
    const number = checks.filter((check) => check.state === state).length;
    return number === 1 ? `1 ${state}` : `${number} ${state}s`;
  };
  return `${rows.join('\n')}\n${count('failure')}, ${count('warning')}\n`;
}

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HELP = `usage: cra doctor [--json]

Looks at an installation and says what to do about each problem; it changes nothing. It reads the
settings of the service from the environment: run it with the same ones, as the same user.

It looks at versions, settings, disk, data directory, open files, threads, git, the rules file, the
store (MongoDB: replica set, clock, roles of the trail, room and growth of the capped collection),
the service, the address that Git hosts call, and the certificates and clocks of Git hosts, OIDC
issuer, models and receivers of events.

  --json    the checks as a list: name, state (ok, warning, failure, skipped), says, advice

Exit code 0: nothing fails; 1: something does; 2: cra doctor itself could not run.
`;
