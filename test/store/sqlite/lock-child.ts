import { lockDataDir } from '../../../src/store/sqlite/database.ts';

// Takes the data directory that it is given and keeps it until it is killed. Without a reference
// the connection would be closed, and the lock dropped, when garbage is collected.
const lock = lockDataDir(process.argv[2] ?? '');
process.send?.('locked');
setInterval(() => lock, 60_000);
