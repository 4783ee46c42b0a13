import assert from 'node:assert/strict';
import { type Agent, request as httpRequest } from 'node:http';
import type { Machine } from './machine.ts';

/** What the steps of a proof found, in order. */
export interface Steps {
  /** Runs a step; what it resolves with is shown. A failure does not keep the next from running. */
  step(title: string, run: () => Promise<string>): Promise<void>;
  readonly rows: (readonly [title: string, result: string])[];
  readonly failed: number;
}

export function createSteps(progress: (text: string) => void): Steps {
  const rows: (readonly [string, string])[] = [];
  let failed = 0;
  return {
    rows,
    get failed() {
      return failed;
    },
    async step(title, run) {
      try {
        rows.push([title, await run()]);
      } catch (thrown) {
        failed += 1;
        const text = thrown instanceof Error ? thrown.message : String(thrown);
        rows.push([title, `**FAILED**: ${text.replace(/\s+/g, ' ').slice(0, 600)}`]);
      }
      progress(rows.at(-1)?.join(': ') ?? '');
    },
  };
}

/** A service in a machine, and a caller with its API token. */
export interface Service {
  port: number;
  call(path: string, body?: unknown, more?: More): Promise<Called>;
}

interface More {
  agent?: Agent;
  headers?: Record<string, string>;
}

export interface Called {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of any answer.
  body: any;
}

/** Calls by `node:http`, as fetch opens connections of its own choice. */
export function serviceAt(port: number, token: string): Service {
  return {
    port,
    call(path, body, more = {}) {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      return new Promise((resolve, reject) => {
        const options = {
          host: '127.0.0.1',
          port,
          path: `/api/cra/${path}`,
          method: payload === undefined ? 'GET' : 'POST',
          headers: { authorization: `Bearer ${token}`, ...more.headers },
          ...(more.agent === undefined ? {} : { agent: more.agent }),
        };
        const asked = httpRequest(options, (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (part) => {
            text += part;
          });
          answer.on('error', reject);
          answer.on('end', () => {
            resolve({
              status: answer.statusCode ?? 0,
              body: text === '' ? null : JSON.parse(text),
            });
          });
        });
        asked.on('error', reject);
        asked.end(payload);
      });
    },
  };
}

/** Resolves once `holds` does not throw any more; rejects with its last error after `seconds`. */
export async function eventually<Result>(
  seconds: number,
  holds: () => Promise<Result>,
): Promise<Result> {
  const endAt = performance.now() + seconds * 1000;
  for (;;) {
    try {
      return await holds();
    } catch (thrown) {
      if (performance.now() > endAt) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** The service answers on its port. */
export async function answers(service: Service): Promise<void> {
  assert.equal((await service.call('health')).status, 200);
}

/** The process id of a unit within the machine. */
export async function mainPid(machine: Machine, unit: string): Promise<string> {
  const pid = await machine.property(unit, 'MainPID');
  assert.notEqual(pid, '0', `${unit} does not run`);
  return pid;
}

/** Runs a shell script in the mount namespace of a unit, as its user. */
export async function inside(machine: Machine, unit: string, script: string): Promise<string> {
  const pid = await mainPid(machine, unit);
  return machine.run(
    'nsenter',
    '-t',
    pid,
    '-m',
    'setpriv',
    '--reuid=cra',
    '--clear-groups',
    '/bin/sh',
    '-c',
    script,
  );
}
