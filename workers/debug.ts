/** The child of `cra debug`: what it is given is the text of others, so it reads it alone. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { explain, type Question } from '../src/gates/syntax/report/explain.ts';

process.once('message', (question) => void answer(question as Question));

async function answer(question: Question): Promise<void> {
  process.send?.(await explain(question, readPackaged));
}

/** Grammars and their runtime are files of packages. */
function readPackaged(name: string): Promise<Uint8Array> {
  return readFile(fileURLToPath(import.meta.resolve(name)));
}
