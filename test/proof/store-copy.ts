import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import { createRandom } from '../../bench/random.ts';
import type { Report } from '../../bench/report.ts';
import { databaseUrl, startMongod } from '../mongod/mongod.ts';
import { fill } from '../store/fixtures/filled.ts';
import { openSqlite } from '../store/sqlite/harness.ts';

const RECORDS = 100_000;
const DECISIONS_SHARE = 0.1;
const KILLS_EACH_WAY = 20;
const CLI = fileURLToPath(new URL('../../bundle/cra.js', import.meta.url));

/** Copies a store to MongoDB and back with kills on the way, and compares the hashes. */
export async function run(options: RunOptions): Promise<Report> {
  const records = options.count ?? RECORDS;
  const decisions = Math.round(records * DECISIONS_SHARE);
  const random = createRandom(options.seed);
  const temporary = makeTemporary();
  const mongod = await startMongod();
  try {
    const first = join(temporary.path, 'first');
    const second = join(temporary.path, 'second');
    mkdirSync(first);
    const opened = openSqlite(first, Date.now);
    await opened.checked();
    await fill(opened, { records: records - decisions, decisions, reviews: decisions });
    await opened.close();
    options.progress('store-copy: filled');
    const url = databaseUrl(mongod);
    const env = { SERVICE_STORE_URL: url, SERVICE_CHECKPOINT_KEY: '03'.repeat(32) };
    const rows: (string | number)[][] = [];
    const hashes: string[] = [];
    const ways = [
      ['SQLite to MongoDB', `sqlite:${first}`, 'mongodb', second],
      ['MongoDB to SQLite', 'mongodb', `sqlite:${second}`, second],
    ] as const;
    for (const [title, from, to, dataDir] of ways) {
      const begun = performance.now();
      const ended = await copyWithKills(['store', 'copy', from, to], {
        env: { ...env, SERVICE_DATA_DIR: dataDir },
        kills: KILLS_EACH_WAY,
        killMsMax: KILL_MS_MIN + records * KILL_MS_PER_RECORD,
        random,
      });
      hashes.push(ended.hashes);
      const seconds = (performance.now() - begun) / 1000;
      rows.push([title, ended.kills, ended.code ?? 'killed', seconds.toFixed(1)]);
      options.progress(`store-copy: ${title}, ${ended.kills} kills`);
    }
    const verified = [];
    for (const [dataDir, isMongo] of [
      [second, true],
      [second, false],
    ] as const) {
      const { SERVICE_STORE_URL: _, ...local } = env;
      const settings = { ...(isMongo ? env : local), SERVICE_DATA_DIR: dataDir };
      verified.push(await endOf(start(['audit', 'verify'], settings)));
    }
    const isWhole = rows.every(([, kills, code]) => kills === KILLS_EACH_WAY && code === 0);
    const isEqual = hashes[0] === hashes[1] && hashes[0] !== '';
    return {
      title: 'store copy',
      facts: [
        `${records} RFCs, ${decisions} of them decided; ${decisions} queued reviews, remembered findings and answers of models each`,
        'kill -9 of the copy at random times, then the same command again',
      ],
      tables: [{ columns: ['way', 'kills', 'exit code', 'seconds'], rows }],
      notes: [
        `hashes of both ways are ${isEqual ? 'equal' : 'DIFFERENT'}; rows and hash of each kind:`,
        ...(hashes[1] ?? '').split('\n').map((line) => line.trim().replaceAll(/ +/g, ' ')),
        `cra audit verify: exit codes ${verified.map(({ code }) => code).join(', ')}`,
      ],
      holds: isWhole && isEqual && verified.every(({ code }) => code === 0),
    };
  } finally {
    await mongod.stop();
    temporary.remove();
  }
}

interface CopyRun {
  env: Record<string, string>;
  kills: number;
  killMsMax: number;
  random: ReturnType<typeof createRandom>;
}

/** Runs the same command again and again until it ends by itself; `hashes`: what it printed. */
async function copyWithKills(args: string[], { env, kills, killMsMax, random }: CopyRun) {
  let done = 0;
  for (;;) {
    const child = start(args, env);
    const ended = endOf(child);
    if (done < kills) {
      const isOver = await Promise.race([ended.then(() => true), anyTime(random, killMsMax)]);
      if (isOver !== true) {
        child.kill('SIGKILL');
        done += 1;
        await ended;
        continue;
      }
    }
    const { code, stdout, stderr } = await ended;
    if (code !== 0) throw new Error(`the copy failed: ${stderr}`);
    const hashes = stdout.split('\n').filter((line) => /[0-9a-f]{64}$/.test(line));
    return { kills: done, code, hashes: hashes.join('\n') };
  }
}

/** A start takes about a second: some kills come before it is over. */
const KILL_MS_MIN = 500;
/** So that twenty of them are spread over most of a copy. */
const KILL_MS_PER_RECORD = 0.15;

function anyTime(random: CopyRun['random'], msMax: number): Promise<false> {
  const ms = random.between(KILL_MS_MIN, msMax);
  return new Promise((resolve) => setTimeout(() => resolve(false), ms));
}

function start(args: string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [CLI, ...args], {
    env: { ...env, PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function endOf(child: ChildProcess) {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (text: Buffer) => {
    stdout += text.toString();
  });
  child.stderr?.on('data', (text: Buffer) => {
    stderr += text.toString();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
