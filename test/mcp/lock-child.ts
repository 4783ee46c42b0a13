import { openSessions } from '../../src/mcp/sessions.ts';

/** Starts sessions in the file that other processes write, too; says so after the first. */
const [, , path = '', count = '1'] = process.argv;
const sessions = openSessions(path);
for (let number = 0; number < Number(count); number += 1) {
  const reason = `session ${number} of process ${process.pid}`;
  await sessions.start({
    reason,
    ttlMinutes: 60,
    maxScore: 70,
    maxOverrides: 5,
    isConfirmed: false,
  });
  if (number === 0) process.send?.('started');
}
process.disconnect?.();
