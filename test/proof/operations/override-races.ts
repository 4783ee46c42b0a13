import {
  createHttpClient,
  type HttpAnswer,
  type HttpClient,
} from '../../../bench/daemon/http-client.ts';
import { createRandom } from '../../../bench/random.ts';
import { dataOf, makeChange, makeOperation } from './operation.ts';
import type { StorePlace } from './place.ts';
import { differences, readStored, verifyFaults } from './stored.ts';

export interface RaceReport {
  races: number;
  statuses: Record<number, number>;
  /** Of the slowest answer of each race. */
  lastMs: number[];
  faults: string[];
}

export interface RaceOptions {
  place: StorePlace;
  /** Of the daemons, which the callers are spread over. */
  ports: readonly number[];
  races: number;
  /** Overrides of one race. */
  callers: number;
  onRace?: (report: RaceReport) => void;
}

/** Overrides one BLOCKED RFC by all callers at once, again and again. */
export async function raceOverrides(options: RaceOptions): Promise<RaceReport> {
  const { place, ports, races, callers } = options;
  const report: RaceReport = { races: 0, statuses: {}, lastMs: [], faults: [] };
  const clients = Array.from({ length: callers }, (_, index) =>
    createHttpClient(ports[index % ports.length] ?? 0, `127.0.0.${2 + index}`),
  );
  const overridden: string[] = [];
  while (report.races < races) {
    overridden.push(await raceOnce(clients, ports.length, report));
    report.races += 1;
    options.onRace?.(report);
  }
  for (const client of clients) client.close();
  const stored = await readStored(place);
  report.faults.push(...differences(stored), ...(await verifyFaults(place)));
  for (const rfcId of overridden) {
    const told = [...stored.operations.values()].filter((operation) => operation.rfcId === rfcId);
    const done = told.filter((operation) => operation.done !== null).length;
    if (done !== 1) report.faults.push(`${rfcId}: the trail tells of ${done} overrides`);
  }
  return report;
}

async function raceOnce(
  clients: readonly HttpClient[],
  daemons: number,
  report: RaceReport,
): Promise<string> {
  const [first] = clients;
  if (first === undefined) throw new RangeError('nobody to race');
  const analyzed = dataOf(await first.analyze(makeChange(true)));
  const rfcId = String(analyzed['rfc_id']);
  if (analyzed['overall_status'] !== 'BLOCKED') report.faults.push(`${rfcId} is not BLOCKED`);
  const random = createRandom(report.races);
  const answers = await Promise.all(
    clients.map((client) => client.send(makeOperation('override', random, [rfcId]).request)),
  );
  for (const { status } of answers) report.statuses[status] = (report.statuses[status] ?? 0) + 1;
  report.lastMs.push(Math.max(...answers.map(({ ms }) => ms)));
  const won = answers.filter(({ status }) => status === 200);
  const lost = answers.filter(({ status }) => status === 409);
  if (won.length !== 1 || lost.length !== clients.length - 1) {
    report.faults.push(`${rfcId}: ${won.length} x 200, ${lost.length} x 409`);
  }
  // Each daemon shows what the winner was answered.
  for (const client of clients.slice(0, daemons)) {
    report.faults.push(...(await readFaults(client, rfcId, won[0])));
  }
  return rfcId;
}

async function readFaults(client: HttpClient, rfcId: string, won: HttpAnswer | undefined) {
  const rfc = dataOf(await client.get(`rfc/${rfcId}`));
  const history = rfc['override_history'] as { reason: string }[];
  const decision = won === undefined ? null : (dataOf(won)['decision'] as { reason: string });
  const isRight =
    rfc['overall_status'] === 'OVERRIDDEN' &&
    history.length === 1 &&
    history[0]?.reason === decision?.reason;
  return isRight ? [] : [`${rfcId}: it does not show the override that was answered`];
}
