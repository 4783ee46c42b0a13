import type { ExecutionContext } from 'ava';
import { type Logger, pino } from 'pino';
import type { VcsHost, VcsSettings } from '../../../src/hosts/settings.ts';
import type { Provider } from '../../../src/model/push.ts';
import { createOutbox, type Outbox } from '../../../src/pushes/statuses/outbox.ts';
import { fake } from '../../../src/rules/fake.ts';
import { type StatusHost, startStatusHost } from '../../hosts/status-host.ts';
import { createSteppedClock, type SteppedClock } from '../../hosts/stepped-clock.ts';
import { createDueRecords, type DueRecords } from './due-records.ts';

export const TOKEN = fake('token-', 40);

/** An outbox over records in memory, a host that behaves like a real one, and a clock. */
export interface OutboxHouse {
  outbox: Outbox;
  host: StatusHost;
  records: DueRecords;
  clock: SteppedClock;
  /** Everything that was logged. */
  log: string[];
}

export interface HouseOptions {
  kind?: 'github' | 'gitea' | 'gitlab';
  over?: Partial<VcsHost>;
  settings?: Partial<VcsSettings>;
  deadlineMs?: number;
  /** Called before the outbox starts. */
  before?(house: Omit<OutboxHouse, 'outbox'>): void | Promise<void>;
}

const NO_DECISIONS = {
  decisionsOfCommit: async () => ({ records: [] }),
  pushesOfCommit: async () => ({ records: [] }),
};

/** Starts all of it; it ends with the test. */
export async function openOutboxHouse(
  t: ExecutionContext,
  options: HouseOptions = {},
): Promise<OutboxHouse> {
  const { kind = 'gitea', over = {}, settings = {}, deadlineMs = 60_000 } = options;
  const host = await startStatusHost(t, { kind, token: TOKEN });
  const records = createDueRecords();
  const clock = createSteppedClock();
  const log: string[] = [];
  await options.before?.({ host, records, clock, log });
  const outbox = createOutbox({
    settings: {
      hosts: [vcsHost('forge', kind, host, over)],
      defaultHost: 'forge',
      adopt: 'baseline',
      judgesTags: false,
      sweepIntervalMs: 300_000,
      mirrorBytesMax: 1,
      ...settings,
    },
    // No commit was rejected.
    store: { ...records, ...NO_DECISIONS },
    baseUrl: () => 'https://cra.example',
    components: () => [],
    freezes: async () => [],
    log: listLogger(log),
    clock,
    deadlineMs,
  });
  outbox.start();
  t.teardown(() => outbox.stop());
  return { outbox, host, records, clock, log };
}

export function vcsHost(
  id: string,
  provider: Provider,
  { url, apiUrl }: StatusHost,
  over: Partial<VcsHost> = {},
): VcsHost {
  return {
    id,
    provider,
    url,
    apiUrl,
    token: TOKEN,
    username: 'cra',
    webhookSecrets: [],
    tenantId: 'default',
    ...over,
  };
}

/** A real logger that writes its lines into a list. */
export function listLogger(lines: string[]): Logger {
  return pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
}
