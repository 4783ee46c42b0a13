import test from 'ava';
import { statusOf } from '../../src/http/server/refusal.ts';
import { createUploads, type Upload } from '../../src/http/server/uploads.ts';
import { HTTP } from '../../src/limits.ts';
import type { CraError } from '../../src/model/errors.ts';

function start() {
  let time = 0;
  const uploads = createUploads(() => time);
  return {
    uploads,
    /** Lets time pass and the watch look. */
    pass(ms: number) {
      time += ms;
      uploads.check();
    },
  };
}

const chunk = (bytes: number) => new ArrayBuffer(bytes);

async function statusAfter(upload: Upload): Promise<number> {
  return upload.done.then(
    () => 200,
    (error: CraError) => statusOf(error),
  );
}

test('an upload joins its chunks in shared memory', async (t) => {
  const { uploads } = start();
  const upload = uploads.open(100);
  upload.push(new Uint8Array([1, 2]).buffer, false);
  upload.push(new Uint8Array([3]).buffer, true);
  const body = await upload.done;
  t.deepEqual([...body], [1, 2, 3]);
  t.true(body.buffer instanceof SharedArrayBuffer);
});

test('an upload is in shared memory only above the size that it is asked for', async (t) => {
  const { uploads } = start();
  const read = async (size: number, sharedAbove: number) => {
    const upload = uploads.open(HTTP.LARGE_BODY_BYTES_MAX, sharedAbove);
    for (let at = 0; at < size; at += 1_000) {
      const part = new Uint8Array(Math.min(1_000, size - at)).fill(at % 251);
      upload.push(part.buffer, at + 1_000 >= size);
    }
    return await upload.done;
  };
  const small = await read(20_000, 32_768);
  t.true(small.buffer instanceof ArrayBuffer);
  const large = await read(70_000, 32_768);
  t.true(large.buffer instanceof SharedArrayBuffer);
  t.deepEqual(large.subarray(0, 20_000), small);
  t.is(large.length, 70_000);
});

test('bytes are charged as they arrive and given back on release', async (t) => {
  const { uploads } = start();
  const promised = Array.from({ length: 1000 }, () => uploads.open(HTTP.LARGE_BODY_BYTES_MAX));
  t.is(uploads.bytes, 0);
  promised[0]?.push(chunk(500), false);
  const first = uploads.bytes;
  t.true(first >= 500 && first < 100_000);
  promised[0]?.push(chunk(500), true);
  promised[0]?.release();
  promised[0]?.release();
  t.is(uploads.bytes, 0);
});

test('a million tiny chunks take no more room than their bytes doubled', async (t) => {
  const { uploads } = start();
  const upload = uploads.open(HTTP.LARGE_BODY_BYTES_MAX);
  for (let count = 0; count < 1_000_000; count += 1) upload.push(chunk(1), false);
  t.true(uploads.bytes >= 1_000_000 && uploads.bytes < 2_200_000, String(uploads.bytes));
  upload.push(chunk(1), true);
  t.is((await upload.done).length, 1_000_001);
});

test('an upload above its limit is 413 and gives its bytes back', async (t) => {
  const { uploads } = start();
  const upload = uploads.open(10);
  upload.push(chunk(10), false);
  upload.push(chunk(1), true);
  t.is(await statusAfter(upload), 413);
  t.is(uploads.bytes, 0);
});

test('an upload that the budget has no room for is 503', async (t) => {
  const { uploads } = start();
  const size = HTTP.LARGE_BODY_BYTES_MAX;
  for (let held = 0; held + size <= HTTP.BODY_BUDGET_BYTES; held += size) {
    uploads.open(size).push(chunk(size), true);
  }
  const upload = uploads.open(size);
  upload.push(chunk(1), true);
  t.is(await statusAfter(upload), 503);
});

test('an upload below the minimum rate is 408', async (t) => {
  const { uploads, pass } = start();
  const slow = uploads.open(1e9);
  const fine = uploads.open(1e9);
  slow.push(chunk(HTTP.BODY_RATE_BYTES_MIN - 1), false);
  fine.push(chunk(HTTP.BODY_RATE_BYTES_MIN), false);
  pass(HTTP.BODY_RATE_WINDOW_MS);
  fine.push(chunk(1), true);
  t.is(await statusAfter(slow), 408);
  t.is(await statusAfter(fine), 200);
});

test('an upload that keeps its rate but never ends is 408 at the deadline', async (t) => {
  const { uploads, pass } = start();
  const upload = uploads.open(1e9);
  for (let time = 0; time <= HTTP.BODY_DEADLINE_MS; time += HTTP.BODY_RATE_WINDOW_MS) {
    upload.push(chunk(HTTP.BODY_RATE_BYTES_MIN), false);
    pass(HTTP.BODY_RATE_WINDOW_MS);
  }
  t.is(await statusAfter(upload), 408);
});

test('a failed upload takes no more bytes', async (t) => {
  const { uploads } = start();
  const upload = uploads.open(1);
  upload.push(chunk(2), false);
  upload.push(chunk(1), true);
  t.is(await statusAfter(upload), 413);
  t.is(uploads.bytes, 0);
});
