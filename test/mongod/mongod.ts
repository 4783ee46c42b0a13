import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { MongoClient } from 'mongodb';
import { findMongod } from './binary.ts';
import { type MongodMember, startMember } from './member.ts';

export interface MongodOptions {
  /** With access control and the user `root`; default: none. */
  auth?: boolean;
  /** Of the replica set; default 1. */
  members?: number;
  /** Data and logs go below this folder; default: a temporary one, removed by `stop`. */
  folder?: string;
  /** More arguments of each mongod, such as `--setParameter enableTestCommands=1`. */
  args?: readonly string[];
  /** Variables of each mongod beside those of this process. */
  env?: Readonly<Record<string, string>>;
}

/** A real replica set on the loopback. */
export interface Mongod {
  /** Connection string; with `auth`, that of the user `root`. */
  url: string;
  /** Connection string of another user, whose `authSource` is admin. */
  urlOf(user: string, password: string): string;
  members: readonly MongodMember[];
  /** The member that is primary now. */
  primary(): Promise<MongodMember>;
  /** Ends all members by their pid and removes their data. */
  stop(): Promise<void>;
}

/** Election after 2 s without a primary, so that tests of a fail-over are short. */
const SETTINGS = { electionTimeoutMillis: 2_000, heartbeatIntervalMillis: 500 };

/** Starts a replica set and waits for its primary. Costs one to two seconds a member. */
export async function startMongod(options: MongodOptions = {}): Promise<Mongod> {
  const binary = await findMongod();
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'cra-mongod-'));
  mkdirSync(folder, { recursive: true });
  const password = randomBytes(12).toString('hex');
  const args = ['--replSet', 'rs', ...(options.args ?? [])];
  if (options.auth === true) args.push('--keyFile', writeKeyFile(folder));
  const { env = {} } = options;
  const names = Array.from({ length: options.members ?? 1 }, (_, index) => `member-${index}`);
  const members = await Promise.all(
    names.map((name) => startMember({ binary, folder: join(folder, name), args, env })),
  );
  await initiate(members);
  if (options.auth === true) await createRoot(members, password);

  const hosts = members.map((member) => member.host).join(',');
  const urlOf = (user: string, secret: string) =>
    `mongodb://${user}:${secret}@${hosts}/?replicaSet=rs&authSource=admin`;
  const url = options.auth === true ? urlOf('root', password) : `mongodb://${hosts}/?replicaSet=rs`;
  return {
    url,
    urlOf,
    members,
    primary: () => findPrimary(url, members),
    async stop() {
      await Promise.all(members.map((member) => member.kill()));
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A server that all test files of a run share; tests keep apart by their databases. */
export type SharedMongod = Pick<Mongod, 'url'>;

const shared = new Map<string, Promise<SharedMongod>>();

/**
 * The mongod without access control that all test files of an ava run share, with `failCommand`:
 * a test that uses it names its database as the `namespace`.
 */
export function sharedMongod(): Promise<SharedMongod> {
  return askForMongod('open');
}

/** The same with access control; `url` is that of the user `root`. */
export function guardedMongod(): Promise<SharedMongod> {
  return askForMongod('guarded');
}

function askForMongod(kind: string): Promise<SharedMongod> {
  const asked = shared.get(kind) ?? askOnce(kind);
  shared.set(kind, asked);
  return asked;
}

/** `tools/shared-mongod.mjs` answers; the configurations of ava name its socket. */
async function askOnce(kind: string): Promise<SharedMongod> {
  const path = process.env['CRA_TEST_MONGOD_SOCKET'];
  if (path === undefined) throw new Error('only tests that ava runs share a mongod');
  const socket = connect(path);
  socket.end(kind);
  const answer = (await json(socket)) as { url: string } | { error: string };
  if ('error' in answer) throw new Error(answer.error);
  return answer;
}

/** The connection string of a database with a name of its own on `mongod`. */
export function databaseUrl(mongod: SharedMongod): string {
  return mongod.url.replace('/?', `/cra-${randomBytes(6).toString('hex')}?`);
}

/** Members of a set with access control know each other by it. */
function writeKeyFile(folder: string): string {
  const path = join(folder, 'key');
  writeFileSync(path, randomBytes(96).toString('base64'), { mode: 0o600 });
  return path;
}

/** Resolves when one of the members is primary and takes writes. */
async function initiate(members: readonly MongodMember[]): Promise<void> {
  const config = {
    _id: 'rs',
    members: members.map(({ host }, _id) => ({ _id, host })),
    settings: SETTINGS,
  };
  const [first] = members;
  await withClient(directUrl(first), (client) =>
    client.db('admin').command({ replSetInitiate: config }),
  );
  while (!(await Promise.all(members.map(isPrimary))).includes(true)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isPrimary(member: MongodMember): Promise<boolean> {
  return withClient(directUrl(member), async (client) => {
    const hello = await client.db('admin').command({ hello: 1 });
    return hello['isWritablePrimary'] === true;
  });
}

/** By the exception that the loopback has until the first user is there. */
async function createRoot(members: readonly MongodMember[], password: string): Promise<void> {
  const arePrimary = await Promise.all(members.map(isPrimary));
  await withClient(directUrl(members[arePrimary.indexOf(true)]), (client) =>
    client.db('admin').command({ createUser: 'root', pwd: password, roles: ['root'] }),
  );
}

async function findPrimary(url: string, members: readonly MongodMember[]): Promise<MongodMember> {
  const host = await withClient(url, async (client) => {
    const hello = await client.db('admin').command({ hello: 1 });
    return hello['primary'] as string;
  });
  const primary = members.find((member) => member.host === host);
  if (primary === undefined) throw new Error('no member of the replica set is primary');
  return primary;
}

async function withClient<Result>(
  url: string,
  use: (client: MongoClient) => Promise<Result>,
): Promise<Result> {
  const client = new MongoClient(url);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

function directUrl(member: MongodMember | undefined): string {
  return `mongodb://${member?.host}/?directConnection=true`;
}
