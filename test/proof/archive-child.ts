import { parseSearch } from '../../src/model/search.ts';
import { archiveRfcs } from '../../src/store/archive.ts';
import { createArchiveFiles } from '../../src/store/archive-files.ts';
import { createArchiveSide } from '../../src/store/mongo/archive.ts';
import { connectMongo } from '../../src/store/mongo/database.ts';
import { MANAGER } from '../store/fixtures/decisions.ts';

/**
 * Archives what a MongoDB holds. It kills itself so many ms after a member is signed: before its
 * transaction, in it, or after it; "none": it ends by itself.
 */
const [url = '', root = '', killAfter = 'none'] = process.argv.slice(2);
const { db, collections, close } = await connectMongo(url);
const side = createArchiveSide(db, collections);
let members = 0;
const filter = parseSearch('', { principal: MANAGER, nowMs: Date.now() });
const report = await archiveRfcs({
  side: {
    ...side,
    replace(rfcs) {
      members += 1;
      if (members === 2 && killAfter !== 'none') {
        setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(killAfter));
      }
      return side.replace(rfcs);
    },
  },
  files: createArchiveFiles({ root, owner: 'one', seed: new Uint8Array(32).fill(3) }),
  retention: { rules: [{ tenantId: 'default', filter, days: 91 }], holds: [] },
  instance: 'one',
  nowMs: Date.now(),
  signal: new AbortController().signal,
});
process.stdout.write(`${report.rfcs}\n`);
await close();
