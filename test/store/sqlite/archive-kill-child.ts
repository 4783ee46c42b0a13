import { parseSearch } from '../../../src/model/search.ts';
import { archiveRfcs } from '../../../src/store/archive.ts';
import { createArchiveFiles } from '../../../src/store/archive-files.ts';
import { storePaths } from '../../../src/store/sqlite/database.ts';
import { MANAGER } from '../fixtures/decisions.ts';
import { openWriter, SEED } from './harness.ts';

/**
 * Archives what a data directory holds. It kills itself at the second member: before the store has
 * its references ("signed"), or right after ("moved"); "none": it ends by itself.
 */
const [dataDir = '', moment = ''] = process.argv.slice(2);
const writer = openWriter({ dataDir });
let members = 0;
const dieAt = (now: string) => {
  if (members === 2 && now === moment) process.kill(process.pid, 'SIGKILL');
};
const filter = parseSearch('', { principal: MANAGER, nowMs: Date.now() });
const report = await archiveRfcs({
  side: {
    ...writer.archive,
    async replace(rfcs) {
      members += 1;
      dieAt('signed');
      const isDone = await writer.archive.replace(rfcs);
      dieAt('moved');
      return isDone;
    },
  },
  files: createArchiveFiles({ root: storePaths(dataDir).archive, owner: 'one', seed: SEED }),
  retention: { rules: [{ tenantId: 'default', filter, days: 31 }], holds: [] },
  instance: 'one',
  nowMs: Date.now(),
  signal: new AbortController().signal,
});
process.stdout.write(`${report.rfcs}\n`);
await writer.close();
