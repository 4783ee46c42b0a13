import { mkdirSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { HTTP } from '../../src/http/server/limits.ts';
import { statusOf } from '../../src/http/server/reply.ts';
import { createUploads, type Upload } from '../../src/http/server/upload.ts';
import { CraError } from '../../src/model/errors.ts';
import { BODY } from '../../src/model/limits.ts';
import { type Teardown, temporaryDir, until } from '../daemon.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

function start(t: Teardown) {
  let time = 0;
  const directory = join(temporaryDir(t), 'spool');
  mkdirSync(directory, { mode: 0o700 });
  const uploads = createUploads(() => time, directory);
  function open(
    bytesMax = BODY.LARGE_BYTES_MAX,
    address = '192.0.2.1',
    waitsOnDisk = false,
    announced = 0,
  ) {
    const flow = {
      paused: 0,
      pause() {
        flow.paused += 1;
      },
      resume: () => undefined,
    };
    const upload = uploads.open({
      bytesMax,
      bytesAnnounced: announced,
      address,
      waitsOnDisk,
      flow,
    });
    t.teardown(() => upload.release());
    return { upload, flow };
  }
  return {
    uploads,
    directory,
    open,
    /** A body whose sender is known. */
    openProven(bytesMax = BODY.LARGE_BYTES_MAX) {
      const { upload } = open(bytesMax);
      upload.prove();
      return upload;
    },
    /** Lets time pass without a check. */
    later(ms: number) {
      time += ms;
    },
    /** Lets time pass, and the rates be checked. */
    pass(ms: number) {
      time += ms;
      uploads.check();
    },
  };
}

const chunk = (bytes: number) => new ArrayBuffer(bytes);

/** Bytes that differ from place to place. */
function pattern(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes).map((_, index) => (index * 31 + (index >> 12)) & 255);
}

function send(upload: Upload, body: Uint8Array<ArrayBuffer>, step: number): void {
  for (let at = 0; at < body.length; at += step) {
    upload.push(body.slice(at, at + step).buffer, at + step >= body.length);
  }
}

async function statusAfter(upload: Upload): Promise<number> {
  return upload.received.then(
    () => 200,
    (error: CraError) => statusOf(error),
  );
}

for (const size of [3, 20_000, 65_536, 65_537, 1_000_003]) {
  test(`a body of ${size} bytes is joined, shared only above the size asked for`, async (t) => {
    const { openProven, uploads } = start(t);
    const body = pattern(size);
    for (const [sharedAbove, isShared] of [
      [0, true],
      [size, false],
    ] as const) {
      const upload = openProven();
      send(upload, body, 1_000);
      const read = await upload.read(sharedAbove);
      t.is(read.buffer instanceof SharedArrayBuffer, isShared);
      t.is(Buffer.compare(read, body), 0);
      t.is(uploads.bytes, size);
      upload.release();
      t.is(uploads.bytes, 0);
    }
  });
}

test('bytes are charged as they arrive, by chunks, and given back once', async (t) => {
  const { open, uploads } = start(t);
  const promised = Array.from({ length: 1000 }, () => open().upload);
  t.is(uploads.bytes, 0);
  promised[0]?.push(chunk(500), false);
  t.is(uploads.bytes, 64 * KIB);
  for (let count = 0; count < 100_000; count += 1) promised[1]?.push(chunk(1), false);
  t.is(uploads.bytes, 3 * 64 * KIB);
  for (const upload of promised) upload.release();
  for (const upload of promised) upload.release();
  t.is(uploads.bytes, 0);
});

test('an unproven body above 256 KB goes to a file without a name, and comes back whole', async (t) => {
  const { open, uploads, directory } = start(t);
  const { upload } = open();
  const body = pattern(5 * MIB + 17);
  send(upload, body, 100_000);
  await upload.received;
  t.is(uploads.spooledBytes, body.length);
  await until(() => uploads.bytes === 0);
  t.deepEqual(readdirSync(directory), []);
  const files = readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).startsWith(directory));
  t.is(files.length, 1);
  t.is(statSync(`/proc/self/fd/${files[0]}`).mode & 0o777, 0o600);
  const read = await upload.read(0);
  t.is(Buffer.compare(read, body), 0);
  upload.release();
  t.is(uploads.bytes + uploads.spooledBytes, 0);
  await until(() => readdirSync('/proc/self/fd').every((fd) => !linkOf(fd).startsWith(directory)));
});

function linkOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}

test('a body whose sender is known never goes to disk', async (t) => {
  const { openProven, uploads } = start(t);
  const upload = openProven();
  send(upload, pattern(2 * MIB), 100_000);
  await upload.received;
  t.is(uploads.spooledBytes, 0);
});

test('a large webhook goes to disk, however well its sender is known', async (t) => {
  const { open, uploads } = start(t);
  const { upload } = open(BODY.LARGE_BYTES_MAX, '192.0.2.1', true);
  upload.prove();
  const body = pattern(2 * MIB);
  send(upload, body, 100_000);
  await upload.received;
  t.is(uploads.spooledBytes, body.length);
  await until(() => uploads.bytes === 0);
  t.is(Buffer.compare(await upload.read(0), body), 0);
});

test('a connection is paused while the disk is behind', (t) => {
  const { open } = start(t);
  const { upload, flow } = open();
  upload.push(chunk(4 * MIB), false);
  t.is(flow.paused, 1);
});

test('unproven bodies have their own budget: callers that are known find room', async (t) => {
  const { open, openProven, uploads } = start(t);
  // Each holds as much as stays in memory, from an address of its own.
  const count = HTTP.UNPROVEN_BUDGET_BYTES / HTTP.UNPROVEN_IN_MEMORY_BYTES_MAX;
  for (let index = 0; index < count; index += 1) {
    const { upload } = open(BODY.LARGE_BYTES_MAX, `10.0.${index >> 8}.${index & 255}`);
    upload.push(chunk(HTTP.UNPROVEN_IN_MEMORY_BYTES_MAX), false);
  }
  const { upload: refused } = open(BODY.LARGE_BYTES_MAX, '10.9.9.9');
  refused.push(chunk(1), true);
  t.is(await statusAfter(refused), 503);
  t.is(uploads.bytes, HTTP.UNPROVEN_BUDGET_BYTES);
  const known = openProven();
  known.push(chunk(MIB), true);
  t.is(await statusAfter(known), 200);
});

test('an address has a cap of unproven bytes until a signature from there was valid', async (t) => {
  const { open, uploads, later } = start(t);
  const most = HTTP.UNPROVEN_BYTES_PER_ADDRESS_MAX;
  const held: Upload[] = [];
  for (let bytes = 0; bytes < most; bytes += 32 * MIB) {
    const { upload } = open(32 * MIB, '192.0.2.1');
    upload.push(chunk(32 * MIB), false);
    held.push(upload);
    await until(() => uploads.bytes === 0);
  }
  const more = async (address: string) => {
    const { upload } = open(32 * MIB, address);
    upload.push(chunk(10), true);
    const status = await statusAfter(upload);
    upload.release();
    return status;
  };
  t.is(await more('192.0.2.1'), 429);
  t.is(await more('192.0.2.2'), 200);
  uploads.trust('192.0.2.1');
  t.is(await more('192.0.2.1'), 200);
  later(HTTP.PROVEN_ADDRESS_MS);
  t.is(await more('192.0.2.1'), 429);
  held[0]?.prove();
  t.is(await more('192.0.2.1'), 200, 'what is proven counts no more');
});

test('thirty large payloads that come at once from one host wait for the disk', async (t) => {
  const { open, uploads } = start(t);
  const sent = Array.from({ length: 30 }, () => open());
  // What arrives before a pause holds; then the rest, as their turns come.
  for (const { upload } of sent) upload.push(chunk(4 * MIB), false);
  t.true(sent.every(({ upload, flow }) => upload.isArriving && flow.paused === 1));
  await until(() => uploads.bytes === 0);
  const read = () => sent.filter(({ upload }) => upload.isArriving && !upload.isPaused);
  for (let left = sent.length; left > 0; left -= 1) {
    const arriving = read();
    t.is(arriving.length, Math.min(left, HTTP.SPOOLING_PER_ADDRESS_MAX));
    arriving[0]?.upload.push(chunk(21 * MIB), true);
    await until(() => uploads.bytes === 0);
  }
  t.true(sent.every(({ upload }) => upload.isComplete));
  const other = open(BODY.LARGE_BYTES_MAX, '192.0.2.2');
  other.upload.push(chunk(MIB), false);
  await until(() => !other.upload.isPaused);
});

test('a body that announces itself as large waits for its turn from its first byte on', (t) => {
  const { open } = start(t);
  const sent = Array.from({ length: HTTP.SPOOLING_PER_ADDRESS_MAX + 1 }, () => {
    const { upload } = open(BODY.LARGE_BYTES_MAX, '192.0.2.1', true, 25 * MIB);
    upload.push(chunk(1), false);
    return upload;
  });
  t.deepEqual(
    sent.map((upload) => upload.isPaused),
    sent.map((upload) => upload === sent.at(-1)),
  );
  sent[0]?.fail(new CraError('CANCELLED', 'the client went away'));
  t.false(sent.at(-1)?.isPaused);
});

test('one address cannot spend the budget of all with a byte on each of its connections', async (t) => {
  const { open, uploads } = start(t);
  const sent = Array.from({ length: 1_536 }, () => {
    const { upload } = open();
    upload.push(chunk(1), false);
    return upload;
  });
  t.is(sent.filter((upload) => upload.isArriving).length, HTTP.UNPROVEN_BODIES_PER_ADDRESS_MAX);
  const { upload: refused } = open();
  refused.push(chunk(1), true);
  t.is(await statusAfter(refused), 429);
  const { upload: other } = open(BODY.LARGE_BYTES_MAX, '192.0.2.2');
  other.push(chunk(1), true);
  t.is(await statusAfter(other), 200);
  for (const upload of sent) upload.release();
  t.is(uploads.bytes, 64 * KIB);
  const { upload: later } = open();
  later.push(chunk(1), true);
  t.is(await statusAfter(later), 200);
});

test('spooled bodies come back into memory a few at a time', async (t) => {
  const { open } = start(t);
  const sent = Array.from({ length: HTTP.SPOOLED_IN_MEMORY_MAX + 1 }, () => {
    const { upload } = open();
    send(upload, pattern(MIB), 100_000);
    return upload;
  });
  const read = sent.map((upload) => upload.read(0));
  await Promise.all(read.slice(0, -1));
  const last = sent.at(-1);
  let isRead = false;
  const waiting = read.at(-1)?.then(() => {
    isRead = true;
  });
  await Promise.resolve();
  t.false(isRead);
  sent[0]?.release();
  await waiting;
  t.true(isRead);
  last?.release();
});

test('a body above its limit is 413 and gives its bytes back', async (t) => {
  const { open, uploads } = start(t);
  const { upload } = open(10);
  upload.push(chunk(10), false);
  upload.push(chunk(1), true);
  upload.push(chunk(1), true);
  t.is(await statusAfter(upload), 413);
  t.is(uploads.bytes, 0);
});

test('a body that the budget has no room for is 503', async (t) => {
  const { openProven } = start(t);
  const size = BODY.LARGE_BYTES_MAX;
  for (let held = 0; held + size <= HTTP.BODY_BUDGET_BYTES; held += size) {
    openProven(size).push(chunk(size), true);
  }
  const upload = openProven(size);
  upload.push(chunk(1), true);
  t.is(await statusAfter(upload), 503);
});

test('a body below the minimum rate is 408', async (t) => {
  const { openProven, pass } = start(t);
  const slow = openProven(1e9);
  const fine = openProven(1e9);
  slow.push(chunk(HTTP.BODY_RATE_BYTES_MIN - 1), false);
  fine.push(chunk(HTTP.BODY_RATE_BYTES_MIN), false);
  pass(HTTP.BODY_RATE_WINDOW_MS);
  fine.push(chunk(1), true);
  t.is(await statusAfter(slow), 408);
  t.is(await statusAfter(fine), 200);
});

test('a body that keeps its rate but never ends is 408 at the deadline', async (t) => {
  const { openProven, pass } = start(t);
  const upload = openProven(1e9);
  for (let time = 0; time <= HTTP.BODY_DEADLINE_MS; time += HTTP.BODY_RATE_WINDOW_MS) {
    upload.push(chunk(HTTP.BODY_RATE_BYTES_MIN), false);
    pass(HTTP.BODY_RATE_WINDOW_MS);
  }
  t.is(await statusAfter(upload), 408);
});
