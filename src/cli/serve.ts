import { setTimeout as delay } from 'node:timers/promises';
import { forgetSecrets, readConfig } from '../daemon/config/config.ts';
import { LIFECYCLE } from '../daemon/lifecycle.ts';
import { type Daemon, startDaemon } from '../daemon/main.ts';
import type { DaemonOptions } from '../daemon/parts.ts';
import { mirrorPathWarnings } from '../git/alternate.ts';
import { CraError, type StatusCode } from '../model/errors.ts';
import { createLogger, type Logger } from '../telemetry/logger.ts';
import { createNotifier, type Notifier } from '../telemetry/systemd.ts';

/**
 * `cra serve`: runs the daemon until SIGTERM or SIGINT. Resolves with the exit code: 0 after an
 * orderly stop, 1 when the daemon could not go on, could not be started because of something that
 * may pass or in time before it was stopped, or should be started again. Rejects when settings or
 * machine have to be put right.
 */
export async function run(args: string[]): Promise<number> {
  if (args[0] === '--help' || args[0] === '-h') {
    process.stdout.write(HELP);
    return 0;
  }
  if (args.length > 0) {
    throw new CraError('INVALID_ARGUMENT', `serve takes no arguments, not "${args[0]}"\n\n${HELP}`);
  }
  const config = readConfig();
  forgetSecrets(config);
  const log = createLogger(config.logLevel, config.journalStream);
  const notifier = createNotifier(config.notify);
  notifier.starting(() => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  });
  let onFatal: (error: CraError) => void = () => undefined;
  const fatal = new Promise<'fatal'>((resolve) => {
    onFatal = (error) => {
      log.fatal({ err: error }, 'the daemon cannot go on');
      resolve('fatal');
    };
  });
  // Listened for before the start, which a signal must not cut in half.
  const signal = new Promise<NodeJS.Signals>((resolve) => {
    // `on`: a second signal during the stop must not cut it short.
    process.on('SIGTERM', resolve);
    process.on('SIGINT', resolve);
  });
  // At once: a start that ends now, or a reload, must not say any more that the daemon is ready.
  void signal.then(() => notifier.stopping(STOPPING));
  let onWornOut: () => void = () => undefined;
  const wornOut = new Promise<'worn out'>((resolve) => {
    onWornOut = () => resolve('worn out');
  });
  const starting = startOrLog({ config, log, onFatal, onWornOut, stopAsked: signal });
  // The service listens before all of its threads are there: a reload until then waits for them.
  process.on('SIGHUP', () => void starting.then((daemon) => daemon && reload(daemon, notifier)));
  const daemon = await Promise.race([starting, signal.then(() => givenUp(log))]);
  const exit = async (code: number) => {
    await notifier.close();
    return exitNow(code);
  };
  if (daemon === null) return await exit(1);
  for (const warning of config.warnings) log.warn(warning);
  void mirrorPathWarnings(config.vcs.hosts).then((found) => {
    for (const warning of found) log.warn(warning);
  });
  notifier.ready(daemon.summary());
  notifier.watch(() => {
    const stuck = daemon.stuck();
    if (stuck !== null) log.error({ stuck }, 'systemd is not notified and will restart the daemon');
    return { stuck, status: stuck ?? daemon.summary() };
  });
  const reason = await Promise.race([signal, fatal, wornOut]);
  // A store thread that is gone may have left anything behind: no orderly stop waits for it, and
  // no message to systemd either, as the port still answers.
  if (reason === 'fatal') return exitNow(1);
  log.info({ reason }, 'stopping');
  notifier.stopping(STOPPING);
  const code = await daemon.stop();
  log.info({ code }, 'stopped');
  return await exit(reason === 'worn out' ? 1 : code);
}

const STOPPING = 'Finishing the requests in flight';

/** Problems that may pass by themselves: a database that is away, a disk that is full. */
const PASSING: ReadonlySet<StatusCode> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'RESOURCE_EXHAUSTED',
]);

/** Null: it could not be started, which is logged, but may the next time. */
async function startOrLog(options: DaemonOptions): Promise<Daemon | null> {
  try {
    return await startDaemon(options);
  } catch (thrown) {
    if (!(thrown instanceof CraError && PASSING.has(thrown.code))) throw thrown;
    options.log.fatal({ err: thrown }, 'the daemon could not be started');
    return null;
  }
}

/** Null: the start is not over some time after a signal, and nothing of it needs an orderly end. */
async function givenUp(log: Logger): Promise<null> {
  await delay(LIFECYCLE.START_GRACE_MS);
  log.error('the daemon was still starting when it was stopped');
  return null;
}

async function reload(daemon: Daemon, notifier: Notifier): Promise<void> {
  notifier.reloading('Taking up the rules file');
  const problem = await daemon.reloadRules();
  notifier.ready(problem ?? daemon.summary());
}

const HELP = `usage: cra serve

Runs the service until SIGTERM or SIGINT; it then finishes the requests in flight and exits with 0.
SIGHUP reads the rules file again.
Settings come from the environment: SERVICE_PORT, SERVICE_SOCKET, SERVICE_DATA_DIR,
SERVICE_STORE_URL, SERVICE_AUTH_ENABLED and others. The README explains all of them.
`;

/** Native handles may keep the loop alive after a stop that ran out of time. */
function exitNow(code: number): never {
  process.exit(code);
}
