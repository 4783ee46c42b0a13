import { parseArgs } from 'node:util';
import { PIPELINE } from '../analysis/limits.ts';
import { CraError } from '../model/errors.ts';
import { RETENTION } from '../model/limits.ts';
import { COEFFICIENTS as C } from './size-coefficients.ts';

/** What a service shall take. */
export interface Demand {
  developers: number;
  /** Pushes that are judged, a day. */
  pushes: number;
  /** A median diff, KiB. */
  diffKib: number;
  /** All repositories together, as the host packs them, GiB. */
  repoGib: number;
  /** Days that the records are planned for. */
  days: number;
  /** Part of the pushes that gate 3 reads, 0 to 1. */
  llmShare: number;
}

/** What that takes. */
export interface Size {
  cores: number;
  memoryGib: number;
  diskGib: {
    store: number;
    mirrors: number;
    trail: number;
    all: number;
    /** Not in `all`: the files of all these RFCs, if they were archived. */
    archive: number;
    /** Not in `all`: sealed diffs, for each 1,000 that `analyze` gets a day. */
    diffsPerThousand: number;
  };
  networkGibPerDay: number;
  llm: { tokensInPerDay: number; tokensOutPerDay: number; usdPerMonth: number };
}

const KIB = 1024;
const MIB = KIB ** 2;
const GIB = KIB ** 3;
const DAYS_A_MONTH = 30;
const TOKENS_A_PRICE = 1e6;

/** Computes a size from the measured coefficients. */
export function sizeOf(demand: Demand): Size {
  const { pushes, diffKib, repoGib, days, llmShare } = demand;
  const perPush = ({ base, perKib }: { base: number; perKib: number }) => base + perKib * diffKib;
  const peakPerSecond = (pushes * C.peakHour) / 3_600;
  const busy = (peakPerSecond * perPush(C.cpuMs)) / 1_000;
  const cores = Math.max(C.coresMin, Math.ceil(busy / C.load));
  const grown = pushes * days * perPush(C.mirrorBytes);
  const store = (pushes * days * perPush(C.storeBytes)) / GIB;
  const mirrors = ((repoGib * GIB + grown) * C.repack) / GIB;
  const trail = (pushes * C.decisions * C.decisionBytes * days) / GIB;
  const used = store + mirrors + trail;
  const archive = (pushes * days * C.archiveBytes) / GIB;
  const posted = 1_000 * RETENTION.DIFF_DAYS_DEFAULT * diffKib * KIB;
  const diffsPerThousand = (posted * C.sealed) / GIB;
  const read = pushes * llmShare;
  const tokensIn = (read * perPush(C.promptBytes)) / C.bytesPerToken;
  const tokensOut = read * C.tokensOut;
  const usdPerDay = (tokensIn * C.usdIn + tokensOut * C.usdOut) / TOKENS_A_PRICE;
  const bytesPerDay =
    pushes * (C.webhookBytes + perPush(C.mirrorBytes)) + read * perPush(C.promptBytes);
  return {
    cores,
    memoryGib: ((C.memoryMib.base + C.memoryMib.perThread * cores) * MIB) / GIB,
    diskGib: { store, mirrors, trail, all: used / (1 - C.diskFree), archive, diffsPerThousand },
    networkGibPerDay: bytesPerDay / GIB,
    llm: {
      tokensInPerDay: tokensIn,
      tokensOutPerDay: tokensOut,
      usdPerMonth: usdPerDay * DAYS_A_MONTH,
    },
  };
}

/** `cra size`: prints what a service takes. Resolves with 0. */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const developers = numberOf('developers', values.developers, 50);
  const demand = {
    developers,
    pushes: numberOf('pushes', values.pushes, developers * C.pushesPerDeveloper),
    diffKib: numberOf('diff-kb', values['diff-kb'], 12),
    repoGib: numberOf('repo-gb', values['repo-gb'], 1),
    days: numberOf('retention-days', values['retention-days'], 365),
    llmShare: numberOf('llm-share', values['llm-share'], 0),
  };
  if (demand.llmShare > 1) {
    throw new CraError('INVALID_ARGUMENT', '--llm-share must be a number from 0 to 1');
  }
  const size = sizeOf(demand);
  process.stdout.write(
    values.json ? `${JSON.stringify({ demand, size }, null, 2)}\n` : tableOf(demand, size),
  );
  return 0;
}

const NUMBER_MAX = 1e9;

function numberOf(option: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (/^\d*\.?\d+$/.test(text) && value <= NUMBER_MAX) return value;
  throw new CraError('INVALID_ARGUMENT', `--${option} must be a number from 0 to ${NUMBER_MAX}`);
}

function tableOf({ pushes, days }: Demand, { cores, memoryGib, diskGib, ...rest }: Size): string {
  const { networkGibPerDay, llm } = rest;
  const rows: [string, string][] = [
    ['CPU', `${cores} cores, ${daemonsOf(cores)}`],
    ['memory', gib(memoryGib)],
    ['disk', `${gib(diskGib.all)}, a tenth of it free`],
    ['  store', `${gib(diskGib.store)} after ${days} days`],
    ['  mirrors', `${gib(diskGib.mirrors)}, with room to pack them again`],
    ['  trail', gib(diskGib.trail)],
    ['archive', `${gib(diskGib.archive)} of files, if all these RFCs were archived`],
    ['diffs', `${gib(diskGib.diffsPerThousand)} for each 1,000 a day that analyze gets`],
    ['network', `${gib(networkGibPerDay)} a day`],
    [
      'models',
      `${millions(llm.tokensInPerDay)} tokens in and ${millions(llm.tokensOutPerDay)} out a day`,
    ],
    ['', `${llm.usdPerMonth.toFixed(0)} USD a month at ${C.usdIn} and ${C.usdOut} USD a million`],
  ];
  const lines = rows.map(([what, text]) => `${what.padEnd(9)}  ${text}\n`);
  return `For ${pushes.toLocaleString('en-US')} pushes a day:\n${lines.join('')}`;
}

function daemonsOf(cores: number): string {
  const daemons = Math.ceil(cores / PIPELINE.THREADS_MAX);
  const threads = `SERVICE_THREADS=${Math.ceil(cores / daemons)}`;
  return daemons === 1 ? threads : `${threads} in each of ${daemons} daemons on MongoDB`;
}

function gib(value: number): string {
  return value < 10
    ? `${value.toFixed(2)} GiB`
    : `${Math.round(value).toLocaleString('en-US')} GiB`;
}

function millions(tokens: number): string {
  return `${(tokens / 1e6).toFixed(2)} M`;
}

const OPTIONS = {
  developers: { type: 'string' },
  pushes: { type: 'string' },
  'diff-kb': { type: 'string' },
  'repo-gb': { type: 'string' },
  'retention-days': { type: 'string' },
  'llm-share': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HELP = `usage: cra size [--developers 50] [--pushes N] [--diff-kb 12] [--repo-gb 1]
                [--retention-days 365] [--llm-share 0] [--json]

Computes CPU, memory, disk, network and costs of models for a service on SQLite, from coefficients
that were measured; docs/why/sizing.md explains them.

  --developers N      people who push (default: 50)
  --pushes N          pushes a day (default: ${C.pushesPerDeveloper} of each developer)
  --diff-kb N         KiB of a usual diff
  --repo-gb N         GiB of all repositories together, as their host packs them
  --retention-days N  days that the records are planned for: nothing removes them by itself
  --llm-share N       part of the pushes that gate 3 reads, 0 to 1
  --json              the numbers
`;
