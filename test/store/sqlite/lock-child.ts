import { lockDataDir } from '../../../src/store/sqlite/database.ts';

// Takes the data directory that it is given and keeps it until it is killed.
lockDataDir(process.argv[2] ?? '');
process.send?.('locked');
setInterval(() => {}, 60_000);
