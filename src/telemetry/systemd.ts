import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** The client of sd_notify(3). */
export interface NotifySetting {
  /** Of $NOTIFY_SOCKET. */
  readonly socket: string;
  /** Without a notification for so long it ends and restarts the daemon; null: it does not. */
  readonly watchdogMs: number | null;
  /** Where `systemd-notify` is looked for. */
  readonly path: string;
}

/** Tells systemd what the daemon does; each text is what `systemctl status` shows. */
export interface Notifier {
  /**
   * Has systemd wait longer than TimeoutStartSec for `ready`, as long as `usedMs`, the CPU time
   * used so far in ms, grows: on a busy machine a start takes as long as it takes.
   */
  starting(usedMs: () => number): void;
  ready(status: string): void;
  reloading(status: string): void;
  /** Ends `watch`, too: the watchdog of systemd rests while a service stops. */
  stopping(status: string): void;
  /**
   * Ends `starting`, and looks at the daemon at once and then again and again: `stuck` is what does
   * not go on, or null. While it is null the watchdog is pinged.
   */
  watch(look: () => { stuck: string | null; status: string }): void;
  /** Resolves when systemd has every message, or after a second: the last thing before the end. */
  close(): Promise<void>;
}

/** Pings within the time that the watchdog allows: some may be late on a busy machine. */
const PINGS = 4;
/** How much longer a start may take with each message, and after how much CPU time one is sent. */
const EXTEND_MS = 60_000;
const EXTEND_CPU_MS = 10;
/** Without a watchdog the status is as fresh as with the unit's own. */
const STATUS_INTERVAL_MS = 7_500;
const CLOSE_MS_MAX = 1_000;

/**
 * Creates the notifier. Without a setting, outside of systemd, it does nothing. `extendMs`: by how
 * much one message extends a start; tests set it.
 */
export function createNotifier(setting: NotifySetting | null, extendMs = EXTEND_MS): Notifier {
  const sender = setting === null ? NO_SENDER : createSender(setting);
  let timer: NodeJS.Timeout | undefined;
  let shown = '';
  let isStopping = false;
  /** The status first: it is there when the state is seen. */
  const notify = (state: string | null, status: string) => {
    if (status !== shown) sender.send(`STATUS=${status}`);
    shown = status;
    if (state !== null) sender.send(state);
  };
  return {
    starting(usedMs) {
      if (setting === null) return;
      let before = 0;
      const tick = () => {
        const used = usedMs();
        if (used - before < EXTEND_CPU_MS) return;
        before = used;
        notify(`EXTEND_TIMEOUT_USEC=${extendMs * 1000}`, 'Starting');
      };
      tick();
      timer = setInterval(tick, extendMs / PINGS).unref();
    },
    ready(status) {
      if (!isStopping) notify('READY=1', status);
    },
    reloading(status) {
      if (!isStopping) notify('RELOADING=1', status);
    },
    stopping(status) {
      if (isStopping) return;
      isStopping = true;
      clearInterval(timer);
      notify('STOPPING=1', status);
    },
    watch(look) {
      if (setting === null || isStopping) return;
      const { watchdogMs } = setting;
      const tick = () => {
        const { stuck, status } = look();
        notify(watchdogMs !== null && stuck === null ? 'WATCHDOG=1' : null, status);
      };
      tick();
      clearInterval(timer);
      timer = setInterval(tick, watchdogMs === null ? STATUS_INTERVAL_MS : watchdogMs / PINGS);
    },
    close: sender.close,
  };
}

interface Sender {
  send(assignment: string): void;
  close(): Promise<void>;
}

const NO_SENDER: Sender = { send: () => undefined, close: () => Promise.resolve() };

/**
 * `systemd-notify` waits until systemd has read the message, so it is still there when systemd
 * looks up who has sent it.
 */
const LOOP = 'while IFS= read -r assignment; do systemd-notify "$assignment"; done';

/**
 * Node has no Unix datagram sockets, so the messages go through `systemd-notify`. A shell starts
 * it, which itself is started early: to fork the daemon would copy the page tables of its memory
 * each time. The shell ends with its input; a lost shell is started again. A shell that outlived
 * the daemon would be killed by systemd, which says so in the journal.
 */
function createSender({ socket, path }: NotifySetting): Sender {
  let shell: ChildProcess | null = null;

  function open(): ChildProcess {
    const fresh = spawn('/bin/sh', ['-c', LOOP], {
      env: { NOTIFY_SOCKET: socket, PATH: path },
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    const lose = () => {
      if (shell === fresh) shell = null;
    };
    fresh.on('error', lose);
    fresh.on('exit', lose);
    fresh.stdin.on('error', lose);
    fresh.unref();
    return fresh;
  }

  shell = open();
  return {
    send(assignment) {
      shell ??= open();
      shell.stdin?.write(`${assignment.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')}\n`);
    },
    async close() {
      if (shell === null) return;
      const ended = once(shell, 'exit');
      shell.stdin?.end();
      await Promise.race([ended, delay(CLOSE_MS_MAX)]);
    },
  };
}
