import Database from 'better-sqlite3';
import { openSqlite } from '../../store/sqlite/harness.ts';
import { SQLITE_STEPS } from './sqlite-steps.ts';
import { STEP_SEED } from './step-operations.ts';
import { decideForever, stopHere } from './stop-here.ts';

/** Decides on a data directory until the nth time that a statement is reached, and stops there. */
const [dataDir = '', seed = '', stepIndex = '', nth = ''] = process.argv.slice(2);
const step = SQLITE_STEPS[Number(stepIndex)];
let calls = 0;

// What is prepared from here on goes through this: the product knows nothing of it.
const prepare = Database.prototype.prepare;
Database.prototype.prepare = function prepareStopping(this: Database.Database, sql: string) {
  const statement: Database.Statement<unknown[]> = prepare.call(this, sql);
  if (sql !== step?.sql) return statement;
  const run = statement.run.bind(statement);
  statement.run = (...args: unknown[]) => {
    calls += 1;
    const isMine = calls === Number(nth);
    if (isMine && step.when === 'before') stopHere();
    const result = run(...args);
    if (isMine && step.when === 'after') stopHere();
    return result;
  };
  return statement;
} as typeof prepare;

const { store, trail } = openSqlite(dataDir, Date.now, {
  checkpointEntries: 50,
  checkpointSeed: STEP_SEED,
});
await decideForever(store, trail, Number(seed));
