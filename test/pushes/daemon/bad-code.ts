import { createHash } from 'node:crypto';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A file with a secret in it, another one for each name: gate 1 blocks it. */
export function leak(name: string): string {
  const digest = createHash('sha256').update(name).digest();
  const id = [...digest.subarray(0, 16)].map((byte) => LETTERS[byte % 32]).join('');
  return `export AWS_ACCESS_KEY_ID=${['AKIA', id].join('')}\n`;
}

/** A file that runs what a request says: gate 2 blocks it, and no commit of the past matters. */
export const HOLE = "const cp = require('node:child_process');\ncp.exec(req.query.command);\n";
