import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  analyze,
  change,
  type DaemonProcess,
  request,
  startDaemonProcess,
  type Teardown,
  temporaryDir,
  until,
} from '../../daemon.ts';
import { type FakeVendor, type Script, startFakeVendor } from './fake-vendor.ts';

export type Protocol = 'anthropic' | 'openai';

/** A service and its vendor, which answers by the name that stands in the change. */
export interface World {
  vendor: FakeVendor;
  scripts: Map<string, Script>;
  daemon: DaemonProcess;
  restart(): Promise<void>;
}

const PRICES = { input: 2, output: 10, cache_write: 2.5, cache_read: 0.2 };

/** Starts both; `more`: tiers beside the first one, put over its fields. */
export async function openWorld(
  t: Teardown,
  protocol: Protocol,
  more: readonly Record<string, unknown>[] = [],
): Promise<World> {
  const vendor = await startFakeVendor(t);
  const scripts = new Map<string, Script>();
  vendor.script = scriptedBy(scripts);
  const dataDir = temporaryDir(t);
  const env = settingsIn(dataDir, vendor, protocol, more);
  const daemon = await startDaemonProcess(t, dataDir, env);
  const world: World = {
    vendor,
    scripts,
    daemon,
    async restart() {
      await world.daemon.stop();
      world.daemon = await startDaemonProcess(t, dataDir, env);
    },
  };
  return world;
}

/** The script of the first name that stands in the prompt between quotation marks. */
export function scriptedBy(scripts: ReadonlyMap<string, Script>): FakeVendor['script'] {
  return (user) => {
    for (const [name, script] of scripts) if (user.includes(`'${name}'`)) return script;
    return { kind: 'answer' };
  };
}

/** The settings of a daemon; their file stands in the folder. */
export function settingsIn(
  folder: string,
  vendor: FakeVendor,
  protocol: Protocol,
  more: readonly Record<string, unknown>[] = [],
): Record<string, string> {
  const tier = {
    name: 'first',
    role: 'review',
    protocol,
    family: 'a',
    model: 'm',
    base_url: vendor.url,
    key_env: 'FAKE_KEY',
    locality: 'any',
    prices: PRICES,
  };
  const path = join(folder, 'llm.json');
  const others = more.map((over) => ({ ...tier, ...over }));
  writeFileSync(path, JSON.stringify({ tiers: [tier, ...others] }));
  return { SERVICE_LLM_CONFIG: path, FAKE_KEY: 'the-key' };
}

/** One hunk of one file. */
export interface FileChange {
  path: string;
  before: string[];
  removed: string[];
  added: string[];
  after: string[];
}

/** Two files; the lines of the first one carry the name. */
export function filesOf(name: string): [FileChange, FileChange] {
  const line = (n: number) => `  total = total.plus(priceOf('${name}', items[${n}]));`;
  const other = (n: number) => `  label('${name}-label', names[${n}]);`;
  return [
    {
      path: `src/${name}.js`,
      before: ['function sum(items) {', '  let total = zero();', '  check(items);'],
      removed: [`  total = oldPriceOf('${name}', items);`],
      added: [...[1, 2, 3, 4, 5, 6].map(line), "  notify('alice@example.com', total);"],
      after: ['  report(total);', '  return total;', '}'],
    },
    {
      path: `src/labels-${name}.js`,
      before: ['function labels(names) {'],
      removed: [],
      added: [...[1, 2, 3, 4, 5].map(other), "  notify('bob@example.com', names);"],
      after: ['}'],
    },
  ];
}

interface Form {
  context: number;
  start: number;
  index: string;
  times: string;
}

const PLAIN: Form = { context: 3, start: 10, index: 'index 1111111..2222222 100644', times: '' };

/** A diff as git, or something like it, writes it. */
export function diffOf(files: readonly FileChange[], form: Partial<Form> = {}): string {
  const { context, start, index, times } = { ...PLAIN, ...form };
  return files
    .map(({ path, before, removed, added, after }) => {
      const above = context === 0 ? [] : before.slice(-context);
      const below = after.slice(0, context);
      const size = above.length + below.length;
      return [
        `diff --git a/${path} b/${path}`,
        ...(index === '' ? [] : [index]),
        `--- a/${path}${times}`,
        `+++ b/${path}${times}`,
        `@@ -${start},${size + removed.length} +${start},${size + added.length} @@`,
        ...above.map((line) => ` ${line}`),
        ...removed.map((line) => `-${line}`),
        ...added.map((line) => `+${line}`),
        ...below.map((line) => ` ${line}`),
        '',
      ].join('\n');
    })
    .join('');
}

/** Submits a change, and answers its RFC when it has a verdict. */
export async function settled(url: string, diff: string, over: Record<string, unknown> = {}) {
  const { status, body } = await analyze(url, change(diff, over));
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return (await request(`${url}/rfc/${body.data.rfc_id}?wait=30`)).body.data;
}

/** Asks for another review, and answers the RFC after it. */
export async function reviewed(url: string, rfcId: string) {
  const read = async () => (await request(`${url}/rfc/${rfcId}`)).body.data;
  const before = ((await read()).review_history ?? []).length;
  const body = JSON.stringify({ reason: 'I have read it' });
  await request(`${url}/rfc/${rfcId}/review`, { method: 'POST', body });
  await until(async () => ((await read()).review_history ?? []).length > before);
  return await read();
}
