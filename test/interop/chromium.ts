import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ExecutionContext } from 'ava';
import { until } from '../daemon.ts';

/** A tab of a real browser that nobody sees, in a profile of its own. */
export interface Tab {
  open(url: string): Promise<void>;
  /** The value of an expression in the page; null while there is no page to ask. */
  evaluate<T>(expression: string): Promise<T | null>;
  /** Waits until an expression in the page is true. */
  wait(expression: string): Promise<void>;
  /** Fills in fields of the page by name, and submits the form with its button. */
  submit(fields?: Readonly<Record<string, string>>): Promise<void>;
  /** The cookies of the page, as the browser keeps them. */
  cookies(): Promise<Cookie[]>;
}

export interface Cookie {
  name: string;
  value: string;
  httpOnly: boolean;
  secure: boolean;
  sameSite?: string;
  path: string;
}

type Call = (method: string, params: object, sessionId?: string) => Promise<unknown>;

/** Whether Chromium is there; without it the test fails and says so. */
export function hasChromium(t: ExecutionContext): boolean {
  if (spawnSync('chromium', ['--version']).status === 0) return true;
  t.fail('needs the command chromium on the PATH (Debian: apt-get install chromium)');
  return false;
}

/** Starts the browser; it ends with the test. */
export async function openTab(t: ExecutionContext): Promise<Tab> {
  const profile = mkdtempSync(join(tmpdir(), 'cra-chromium-'));
  const options = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
  const child = spawn(
    'chromium',
    [...options, '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const ended = once(child, 'exit');
  const call = connect(child);
  t.teardown(async () => {
    await Promise.race([call('Browser.close', {}), ended]);
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const { targetId } = (await call('Target.createTarget', { url: 'about:blank' })) as {
    targetId: string;
  };
  const attached = await call('Target.attachToTarget', { targetId, flatten: true });
  const { sessionId } = attached as { sessionId: string };
  return tabOf((method, params) => call(method, params, sessionId));
}

function tabOf(call: Call): Tab {
  async function evaluate<T>(expression: string): Promise<T | null> {
    const options = { expression, returnByValue: true, awaitPromise: true };
    // While one page goes and the next one comes there is none to ask.
    const answer = (await call('Runtime.evaluate', options).catch(() => null)) as {
      result?: { value?: T };
    } | null;
    return answer?.result?.value ?? null;
  }
  const wait = (expression: string) => until(async () => (await evaluate(expression)) === true);

  return {
    evaluate,
    wait,
    async open(url) {
      await call('Page.navigate', { url });
      await wait("document.readyState === 'complete'");
    },
    async submit(fields = {}) {
      await wait("document.readyState === 'complete' && document.forms.length > 0");
      for (const [name, value] of Object.entries(fields)) {
        const field = `document.querySelector('[name=${JSON.stringify(name)}]')`;
        await evaluate(`${field}.value = ${JSON.stringify(value)}`);
      }
      await evaluate("document.forms[0].querySelector('button').click()");
    },
    async cookies() {
      return ((await call('Network.getCookies', {})) as { cookies: Cookie[] }).cookies;
    },
  };
}

/** Speaks the DevTools protocol over a pipe: JSON, each message ended by NUL. */
function connect(child: ChildProcess): Call {
  const input = child.stdio[3] as Writable;
  const output = child.stdio[4] as Readable;
  const waiting = new Map<number, (message: Message) => void>();
  let received = '';
  let count = 0;
  output.setEncoding('utf8');
  output.on('data', (chunk: string) => {
    const parts = (received + chunk).split('\0');
    received = parts.pop() ?? '';
    for (const part of parts) {
      const message = JSON.parse(part) as Message;
      waiting.get(message.id ?? 0)?.(message);
      waiting.delete(message.id ?? 0);
    }
  });
  // A browser that is gone answers nothing: its end is what the caller sees.
  input.on('error', () => undefined);
  return (method, params, sessionId) =>
    new Promise((resolve, reject) => {
      count += 1;
      waiting.set(count, ({ result, error }) => {
        if (error === undefined) resolve(result);
        else reject(new Error(`${method}: ${error.message}`));
      });
      input.write(`${JSON.stringify({ id: count, method, params, sessionId })}\0`);
    });
}

interface Message {
  id?: number;
  result?: unknown;
  error?: { message: string };
}
