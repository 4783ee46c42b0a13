import { join } from 'node:path';
import { startHostedDaemon } from '../../../bench/daemon/hosted-daemon.ts';
import { createHttpClient, type HttpClient } from '../../../bench/daemon/http-client.ts';
import { readProfiles } from '../../../bench/daemon/profile.ts';
import { best } from '../../../bench/harness.ts';
import type { RunOptions } from '../../../bench/options.ts';
import { createRandom } from '../../../bench/random.ts';
import type { Report } from '../../../bench/report.ts';
import { readChange, runGates } from '../../../src/analysis/worker/gates.ts';
import { createCancelFlag } from '../../../src/core/deadline.ts';
import { allPatterns } from '../../../src/model/rules.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { gateTools } from '../../analysis/worker/gates-run.ts';
import { bodyOf, dataOf, folderIn, type ReviewedRfc, startAgain, withVendor } from './world.ts';

const CHANGES = 200;
const WARM = 60;
const BYTES = 32_000;
const LINES_A_FILE = 90;

/** CPU of gate 3, with all that belongs to it, beside that of gates 1 and 2 on the same diffs. */
export function run(options: RunOptions): Promise<Report> {
  return withVendor(async (world) => {
    const count = options.count ?? CHANGES;
    const random = createRandom(options.seed);
    const changes = Array.from({ length: count + WARM }, (_, n) => changeOf(n, random));
    const diffs = changes.slice(WARM).map(diffOf);
    const tools = gateTools({
      patterns: allPatterns(defaultRules),
      allowlists: defaultRules.allowlists,
    });
    const gates = await best(async () => {
      for (const diff of diffs) await runGates(readChange(diff), tools, createCancelFlag());
    });
    options.progress('llm-cpu: gates 1 and 2 alone');
    const profileDir = join(world.path, 'profiles');
    const withTiers = async (name: string, settings: Record<string, string>) => {
      const dataDir = folderIn(world, name);
      const profile = options.profile && name === 'beside' ? { profileDir } : {};
      const daemon = await startAgain(() => startHostedDaemon({ dataDir, settings, ...profile }));
      const client = createHttpClient(daemon.port);
      for (const body of changes.slice(0, WARM)) await toVerdict(client, body);
      const before = daemon.cpuSeconds();
      const results = [];
      for (const body of changes.slice(WARM)) results.push(await toVerdict(client, body));
      const cpuMs = (daemon.cpuSeconds() - before) * 1000;
      client.close();
      await daemon.stop();
      options.progress(`llm-cpu: ${name}`);
      return { cpuMs: cpuMs / count, results: new Set(results) };
    };
    const calls = world.vendor.requests.length;
    const [without, beside] = [
      [await withTiers('without', {}), await withTiers('beside', world.settings())],
      [await withTiers('again-without', {}), await withTiers('again-beside', world.settings())],
    ].reduce(([a, b], [c, d]) => [least(a, c), least(b, d)], [null, null] as [
      Measured | null,
      Measured | null,
    ]);
    if (without === null || beside === null) throw new TypeError('nothing was measured');
    const gatesMs = gates.cpuMs / count;
    const reviewMs = beside.cpuMs - without.cpuMs;
    const ratio = reviewMs / gatesMs;
    const isRead = [...beside.results].join() === 'pass';
    const madeCalls = world.vendor.requests.length - calls;
    return {
      title: 'CPU of gate 3',
      facts: [
        `${count} changes of ${BYTES / 1000} KB of JavaScript and text, one after the other; the ` +
          'smaller of two runs each',
      ],
      tables: [
        {
          columns: ['CPU a change, ms', 'number'],
          rows: [
            ['gates 1 and 2 with the diff parser, in one process, warm', gatesMs],
            ['daemon without tiers: request, gates, store', without.cpuMs],
            ['daemon with a tier: the same and gate 3, second write included', beside.cpuMs],
            ['**gate 3**', reviewMs],
            ['gate 3 / gates 1 and 2 (goal 1)', ratio],
            ['calls of the vendor a change', madeCalls / 2 / (count + WARM)],
          ],
        },
        ...(options.profile ? readProfiles(profileDir) : []),
      ],
      notes: [
        'gate 3: plan and redaction in the scan thread, ledger, requests, answers, verdict, and a ' +
          'caller that waits for it',
        ...(isRead ? [] : [`FAULT: gates.llm: ${[...beside.results].join(', ')}`]),
      ],
      holds: ratio <= 1 && isRead,
    };
  });
}

interface Measured {
  cpuMs: number;
  results: ReadonlySet<string>;
}

function least(one: Measured | null, other: Measured | undefined): Measured | null {
  if (one === null || other === undefined) return other ?? one;
  return one.cpuMs <= other.cpuMs ? one : other;
}

async function toVerdict(client: HttpClient, body: Buffer): Promise<string> {
  const first = dataOf<ReviewedRfc>((await client.analyze(body)).text);
  if (first.overall_status !== 'DRAFT') return `${first.overall_status}`;
  const { text } = await client.get(`rfc/${first.rfc_id}?wait=30`);
  return dataOf<ReviewedRfc>(text).gates.llm.status;
}

/** New files of handlers that read a request, query and log: gate 2 has something to parse. */
function changeOf(n: number, random: ReturnType<typeof createRandom>): Buffer {
  const files: Record<string, string[]> = {};
  let bytes = 0;
  for (let part = 0; bytes < BYTES; part += 1) {
    const lines = Array.from({ length: LINES_A_FILE }, (_, line) => {
      const name = `v${n}_${part}_${line}`;
      const form = random.between(0, 4);
      if (form === 0) return `function ${name}(request) { return find(request.query.${name}); }`;
      if (form === 1) return `const ${name} = await load('${name}', { limit: ${line} });`;
      if (form === 2) return `// ${name} keeps what the caller asked for until the page is left`;
      return `log.info({ ${name}: ${line} }, 'handled a request of a caller');`;
    });
    files[`src/c${n}/part-${part}.js`] = lines;
    bytes += lines.reduce((sum, line) => sum + line.length + 2, 0);
  }
  return bodyOf(files);
}

function diffOf(body: Buffer): Buffer {
  return Buffer.from((JSON.parse(body.toString()) as { diff: string }).diff);
}
