import type { ImplementationFn } from 'ava';
import { checkAccepted } from './conformance/accepted.ts';
import { checkAgents } from './conformance/agents.ts';
import { checkArchive } from './conformance/archive.ts';
import { checkDecisionRaces, checkDecisions, checkDeletions } from './conformance/decisions.ts';
import { checkDeploys } from './conformance/deploys.ts';
import { checkDiffs } from './conformance/diffs.ts';
import { checkDrafts, checkRaces } from './conformance/drafts.ts';
import { checkEmergencies } from './conformance/emergencies.ts';
import { checkOutgoing } from './conformance/events.ts';
import { checkEvidence } from './conformance/evidence.ts';
import { checkFindings } from './conformance/findings.ts';
import { checkIdentity, checkInsert } from './conformance/inserts.ts';
import { checkCursors, checkLists } from './conformance/lists.ts';
import { checkClaims } from './conformance/push-claims.ts';
import { checkFallen } from './conformance/push-fallen.ts';
import { checkHeads } from './conformance/push-heads.ts';
import { checkLeases } from './conformance/push-leases.ts';
import { checkNewest } from './conformance/push-newest.ts';
import { checkProd } from './conformance/push-prod.ts';
import { checkStatuses } from './conformance/push-statuses.ts';
import { checkPushes } from './conformance/pushes.ts';
import {
  checkHonestHistories,
  checkPatrol,
  checkRecordsCheck,
} from './conformance/records-check.ts';
import { checkRefusals } from './conformance/refusals.ts';
import { checkReports } from './conformance/reports.ts';
import { checkReviews } from './conformance/reviews.ts';
import { checkRulesBook } from './conformance/rules-book.ts';
import { checkSearch } from './conformance/search.ts';
import { checkSessions } from './conformance/sessions.ts';
import { type Check, type Harness, NOW } from './conformance/steps.ts';
import { checkTasks } from './conformance/tasks.ts';
import { checkBlocked, checkEvents } from './conformance/trail.ts';
import { checkTrends } from './conformance/trends.ts';
import { checkUsage } from './conformance/usage.ts';

/** Opens a driver on empty data; `now` is its clock. */
export type OpenHarness = (now: () => number) => Promise<Harness>;

/** `test` of ava, or `test.serial` where a driver has a server to share. */
type Declare = (title: string, body: ImplementationFn<[]>) => void;

type Area = (check: Check) => void;

/** What every driver holds. */
const AREAS: readonly Area[] = [
  checkInsert,
  checkIdentity,
  checkDrafts,
  checkRaces,
  checkLists,
  checkCursors,
  checkSearch,
  checkDiffs,
  checkTrends,
  checkDecisions,
  checkDeletions,
  checkDecisionRaces,
  checkAccepted,
  checkEmergencies,
  checkAgents,
  checkEvents,
  checkEvidence,
  checkRecordsCheck,
  checkHonestHistories,
  checkPatrol,
  checkBlocked,
  checkFindings,
  checkTasks,
  checkUsage,
  checkReviews,
  checkReports,
  checkRulesBook,
  checkSessions,
  checkDeploys,
  checkOutgoing,
  checkArchive,
  checkPushes,
  checkClaims,
  checkLeases,
  checkHeads,
  checkFallen,
  checkNewest,
  checkProd,
  checkRefusals,
  checkStatuses,
];

/** Which cases of an area are run. */
type Choose = (cases: readonly Parameters<Check>[]) => readonly Parameters<Check>[];

/** Declares the tests of all areas; `choose`: of each area only these. */
export function conformance(
  test: Declare,
  driver: string,
  openHarness: OpenHarness,
  choose: Choose = (cases) => cases,
): void {
  for (const area of AREAS) {
    const cases: Parameters<Check>[] = [];
    area((...given) => cases.push(given));
    const check = checkWith(test, driver, openHarness);
    for (const given of choose(cases)) check(...given);
  }
}

/** To verify a trail takes two connections with MongoDB. */
const DECIDING = /decid|decision|emergenc|accept|reject|review|carr|delet|rules|reopen|fall/i;
const FIXTURE = /has no (?:decision|entry)|acceptance-ended/;

function checkWith(test: Declare, driver: string, openHarness: OpenHarness): Check {
  return (title, body) =>
    test(`${driver} ${title}`, async (t) => {
      const harness = await openHarness(() => NOW);
      t.teardown(() => harness.close());
      await body(t, harness);
      // Whatever happened, the records and the trail agree, but for what a test put there decided.
      if (driver !== 'SQLite' && !DECIDING.test(title)) return;
      t.deepEqual(
        (await harness.verify()).filter((difference) => !FIXTURE.test(difference)),
        [],
      );
    });
}
