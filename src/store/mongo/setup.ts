import { randomBytes } from 'node:crypto';
import { CraError } from '../../model/errors.ts';
import { MONGO, MONGO_TRAIL } from '../limits.ts';
import { auditDatabaseName, createClient, urlForUser } from './address.ts';
import { reasonOf } from './operations.ts';
import {
  AUDIT_USER,
  PASSWORD,
  planSetup,
  readSetupState,
  run,
  SERVICE_USER,
  type SetupPlan,
  type SetupStep,
} from './setup-plan.ts';

export interface SetupOptions {
  /** Connection string of an administrator. */
  adminUrl: string;
  /** Of the records. */
  database: string;
  /** Null: not given. */
  cappedGib: number | null;
  /** By user; missing: one is generated. */
  passwords: ReadonlyMap<string, string>;
  renewsPasswords: boolean;
  /** Only reports what would be done. */
  isDryRun: boolean;
}

export interface SetupReport extends Omit<SetupPlan, 'steps'> {
  /** What was done, or would be, in order. */
  steps: { title: string /** As mongosh takes it, without passwords. */; command: string }[];
  /**
   * Connection strings of the service and of the trail. With the password when it was generated
   * now, else with PASSWORD in its place.
   */
  storeUrl: string;
  auditUrl: string;
  /** Users whose password is in the address file: it cannot be read again. */
  generated: string[];
}

const GIB = 1024 ** 3;
const PASSWORD_BYTES = 24;

/**
 * Makes the databases, the capped collection, the role and the two users of the service on a
 * server, where they are missing. When something that is there differs, nothing is done:
 * `conflicts` names it all. Rejects with FAILED_PRECONDITION when the server can't be used.
 */
export async function setUpMongo(options: SetupOptions): Promise<SetupReport> {
  const { adminUrl, database, cappedGib } = options;
  const auditDatabase = auditDatabaseName(database);
  const client = createClient(adminUrl, 'the address of the administrator', {
    appName: 'cra-setup',
    serverSelectionTimeoutMS: MONGO.SERVER_SELECTION_MS * 2,
    readPreference: 'primary',
    writeConcern: { w: 'majority', j: true },
  });
  try {
    const state = await readSetupState(client, { database, auditDatabase });
    const plan = planSetup(state, {
      database,
      auditDatabase,
      cappedBytes: cappedGib === null ? null : cappedGib * GIB,
      cappedBytesDefault: MONGO_TRAIL.CAPPED_GIB_DEFAULT * GIB,
      renewsPasswords: options.renewsPasswords,
    });
    const passwords = passwordsFor(plan, options);
    if (!options.isDryRun && plan.conflicts.length === 0) {
      for (const step of plan.steps) {
        await client.db(step.db).command(withPassword(step, passwords.given));
      }
    }
    const urlOf = (user: string, db: string) => {
      const password = passwords.shown.get(user) ?? PASSWORD;
      const url = urlForUser(adminUrl, { database: db, user, password });
      return url.replace(encodeURIComponent(PASSWORD), PASSWORD);
    };
    return {
      ...plan,
      steps: plan.steps.map(({ title, db, command }) => ({ title, command: run(db, command) })),
      storeUrl: urlOf(SERVICE_USER, database),
      auditUrl: urlOf(AUDIT_USER, auditDatabase),
      generated: [...passwords.shown.keys()],
    };
  } catch (thrown) {
    throw failure(thrown);
  } finally {
    await client.close();
  }
}

/** The passwords that the steps need; `shown` were made here. */
function passwordsFor(
  { steps, conflicts }: SetupPlan,
  { passwords, isDryRun }: SetupOptions,
): { given: Map<string, string>; shown: Map<string, string> } {
  const given = new Map<string, string>();
  const shown = new Map<string, string>();
  if (isDryRun || conflicts.length > 0) return { given, shown };
  for (const { passwordOf: user } of steps) {
    if (user === null) continue;
    const chosen = passwords.get(user);
    const password = chosen ?? randomBytes(PASSWORD_BYTES).toString('base64url');
    given.set(user, password);
    if (chosen === undefined) shown.set(user, password);
  }
  return { given, shown };
}

function withPassword({ command, passwordOf }: SetupStep, given: ReadonlyMap<string, string>) {
  return passwordOf === null ? command : { ...command, pwd: given.get(passwordOf) };
}

function failure(thrown: unknown): CraError {
  if (thrown instanceof CraError) return thrown;
  const message = `the server did not do it (${reasonOf(thrown)})`;
  const advice =
    'the address must be that of an administrator (role root, or userAdminAnyDatabase, dbAdminAnyDatabase and clusterMonitor)';
  return new CraError('FAILED_PRECONDITION', `${message}: ${advice}`, { cause: thrown });
}
