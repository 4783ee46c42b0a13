import { randomBytes } from 'node:crypto';
import { type Collection, MongoClient } from 'mongodb';

/** Documents written past the service, to tell what a write concern is worth. */
export interface RawWriters {
  readonly acknowledged: number;
  stop(): Promise<void>;
  /** How many of the acknowledged documents are not there. */
  countLost(): Promise<number>;
}

interface RawDocument {
  _id: number;
  text: string;
}

const WRITERS = 8;
/** About a record and its entry. */
const TEXT_BYTES = 2_000;
const SELECTION_MS = 2_000;

/** `weak`: acknowledged by the primary alone, from memory. Else as the service writes. */
export async function startRawWriters(url: string, isWeak: boolean): Promise<RawWriters> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: SELECTION_MS });
  await client.connect();
  const writeConcern = isWeak ? { w: 1, j: false } : { w: 'majority' as const, j: true };
  const name = isWeak ? 'weak' : 'strong';
  const documents = client.db('raw').collection<RawDocument>(name, { writeConcern });
  const text = randomBytes(TEXT_BYTES / 2).toString('hex');
  const acknowledged: number[] = [];
  let next = 0;
  let isStopping = false;

  const writer = async () => {
    while (!isStopping) {
      const _id = next++;
      const isTaken = await documents.insertOne({ _id, text }).then(
        () => true,
        () => false,
      );
      if (isTaken) acknowledged.push(_id);
    }
  };
  const running = Array.from({ length: WRITERS }, writer);
  return {
    get acknowledged() {
      return acknowledged.length;
    },
    async stop() {
      isStopping = true;
      await Promise.all(running);
    },
    async countLost() {
      const present = await idsIn(documents);
      await client.close();
      return acknowledged.filter((id) => !present.has(id)).length;
    },
  };
}

async function idsIn(documents: Collection<RawDocument>): Promise<Set<number>> {
  const ids = new Set<number>();
  for await (const { _id } of documents.find({}, { projection: { _id: 1 } })) ids.add(_id);
  return ids;
}
