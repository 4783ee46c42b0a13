import type { DecideSteps } from '../../../src/store/mongo/decide-steps.ts';
import { openMongoDriver } from '../../../src/store/mongo/store.ts';
import { connectDriver } from '../../store/in-process.ts';
import { STEP_SEED } from './step-operations.ts';

/** The MongoDB driver of the one daemon of this proof, without its thread. */
export async function openStepMongo(
  url: string,
  dataDir: string,
  wrapSteps?: (steps: DecideSteps) => DecideSteps,
) {
  const driver = await openMongoDriver({
    url,
    dataDir,
    auditUrl: null,
    diffDays: 30,
    now: Date.now,
    instance: 'proof',
    version: 'proof',
    keys: { seal: 'proof', fingerprint: 'proof' },
    checkpointSeed: STEP_SEED,
    ...(wrapSteps === undefined ? {} : { trail: { wrapSteps } }),
  });
  return { ...connectDriver(driver, driver), close: driver.close };
}
