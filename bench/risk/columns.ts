import { countAllLines, measureChange } from '../../src/analysis/worker/change-shape.ts';
import { parseDiff } from '../../src/diff/parse.ts';
import { readMessage } from '../../src/verdict/score-model.ts';

export type Columns = Record<string, number>;

/**
 * The columns of the training data that the model uses, of one change, by the service's own code.
 * Unlike the service, the data counts blank lines.
 */
export function columnsOf(message: string, bytes: Uint8Array): Columns {
  const shape = measureChange(bytes, parseDiff(bytes), countAllLines);
  return { ...shape, ...readMessage(message) };
}
