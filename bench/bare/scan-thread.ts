import { createHash } from 'node:crypto';
import { brotliCompressSync, constants } from 'node:zlib';

export interface BareScan {
  answer: string;
  packed: Uint8Array;
}

export interface BareRecord {
  id: number;
  json: string;
  packed: Uint8Array;
}

const params = { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 18 };

/** The least that a thread has to do with a body. */
export function scan(body: Uint8Array): BareScan {
  const { repo_name, diff } = JSON.parse(Buffer.from(body).toString()) as Record<string, string>;
  const bytes = Buffer.from(diff ?? '');
  const diff_hash = createHash('sha256').update(bytes).digest('hex');
  const answer = JSON.stringify({ ok: true, data: { repo_name, diff_hash } });
  return { answer, packed: brotliCompressSync(bytes, { params }) };
}
