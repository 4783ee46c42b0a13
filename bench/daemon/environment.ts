/** A daemon that listens. */
export interface RunningDaemon {
  port: number;
  pid: number;
  /** With `/api/cra`. */
  url: string;
  /** Settles when the process is gone. */
  exited: Promise<unknown>;
}

/** The settings of a daemon on a free port of the loopback, and nothing of this process' own. */
export function daemonEnvironment(dataDir: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    SERVICE_HOST: '127.0.0.1',
    SERVICE_PORT: '0',
    SERVICE_DATA_DIR: dataDir,
    SERVICE_LOG_LEVEL: 'fatal',
  };
}
