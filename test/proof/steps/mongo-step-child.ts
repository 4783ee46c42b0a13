import type { AuditEvent } from '../../../src/model/audit.ts';
import type { DecideSteps } from '../../../src/store/mongo/decide-steps.ts';
import { openStepMongo } from './mongo-driver.ts';
import { MONGO_STEPS } from './mongo-steps.ts';
import { decideForever, stopHere } from './stop-here.ts';

/** Decides on a MongoDB until the nth time that a step is reached, and stops there. */
const [url = '', dataDir = '', seed = '', stepIndex = '', nth = ''] = process.argv.slice(2);
const stop = MONGO_STEPS[Number(stepIndex)];
let calls = 0;

function wrapSteps(steps: DecideSteps): DecideSteps {
  if (stop === undefined) return steps;
  const inner = steps[stop.step] as (...args: unknown[]) => Promise<unknown>;
  const stopping = async (...args: unknown[]) => {
    if (!isMeant(args[0])) return inner(...args);
    calls += 1;
    const isMine = calls === Number(nth);
    if (isMine && stop.when === 'before') stopHere();
    const result = await inner(...args);
    if (isMine && stop.when === 'after') stopHere();
    return result;
  };
  return { ...steps, [stop.step]: stopping };
}

function isMeant(first: unknown): boolean {
  if (stop?.step !== 'append') return true;
  return ((first as AuditEvent).phase === 'intent') === (stop.phase === 'intent');
}

const { store, trail } = await openStepMongo(url, dataDir, wrapSteps);
await decideForever(store, trail, Number(seed));
