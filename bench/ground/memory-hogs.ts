/** Ways to ask for more memory than a thread may have; each returns when there was enough. */
export const HOGS = {
  'many small objects': (): unknown => {
    const kept: unknown[] = [];
    for (let index = 0; index < 100_000_000; index++) kept.push({ index, list: [1, 2, 3] });
    return kept;
  },
  'many arrays of 800 KB': () => {
    const kept: number[][] = [];
    for (let index = 0; index < 100_000; index++) kept.push(new Array<number>(1e5).fill(0.5));
    return kept;
  },
  'one array of 240 MB': () => new Array<number>(3e7).fill(0.5),
  'one array of 960 MB': () => new Array<object>(1.2e8).fill({}),
  'a Map of 100 MB and more': () => new Map(Array.from({ length: 1.6e7 }, (_, key) => [key, key])),
  'split of 400 MB into lines': () => 'a\n'.repeat(2e8).split('\n'),
  'all matches of a JS regex in 100 MB': () => [...'ab'.repeat(5e7).matchAll(/a/g)],
  'Buffer.toString of 100 MB, kept': () =>
    Array.from({ length: 40 }, () => Buffer.alloc(100 << 20, 0xc3).toString('utf8')),
  'JSON.parse of 32 MiB, [{},{},': () => JSON.parse(filled('[', '{},', '0]')),
  'JSON.parse of 32 MiB, [[[[': () => JSON.parse('['.repeat(BODY / 2) + ']'.repeat(BODY / 2)),
  'JSON.parse of 32 MiB, [[],[],': () => JSON.parse(filled('[', '[],', '0]')),
  'JSON.parse of 32 MiB, {"1":0,"2":0,': () => JSON.parse(manyKeys()),
  'JSON.parse of 32 MiB, one string': () => JSON.parse(filled('{"diff":"', 'a', '"}')),
} as const satisfies Record<string, () => unknown>;

/** What `analyze` accepts (limits.ts, BODY.LARGE_BYTES_MAX). */
const BODY = 32 * 1024 * 1024;

function filled(open: string, unit: string, close: string): string {
  return open + unit.repeat(Math.floor((BODY - open.length - close.length) / unit.length)) + close;
}

function manyKeys(): string {
  const pairs: string[] = [];
  for (let bytes = 0, key = 1; bytes < BODY - 20; key++) {
    const pair = `"${key}":0`;
    pairs.push(pair);
    bytes += pair.length + 1;
  }
  return `{${pairs.join(',')}}`;
}
