import { DEPLOYS, type DeployReport } from '../../model/deploy.ts';
import type { ScoreCurves } from '../../model/score.ts';
import type { Client } from '../../rpc/service.ts';
import { limited, read, write } from './method.ts';

/**
 * The ledger of deploys at rest: reports, which never change. What runs is computed from them, and
 * curves of scores are fitted to them. The promises of `Records` hold here, too.
 */
export const Deploys = {
  name: 'Deploys',
  methods: {
    /** The same `report_id` again is the first report, which is answered. */
    addReport: write<
      { tenant_id: string; report: DeployReport },
      { report: DeployReport; added: boolean }
    >(),
    /** The newest reports of a place (`placeKey`) with a `reportOrder` below this, newest first. */
    reportsBelow: read<
      { tenant_id: string; place: string; order: string; limit: number },
      { reports: DeployReport[] }
    >(limited(DEPLOYS.READ_PAGE)),
    /** The same of one commit with one result. */
    reportsOf: read<
      {
        tenant_id: string;
        place: string;
        sha: string;
        result: DeployReport['result'];
        order: string;
        limit: number;
      },
      { reports: DeployReport[] }
    >(limited(DEPLOYS.READ_PAGE)),
    /** Adds a version of the curves of a tenant, unless that version is there. */
    addCurves: write<{ tenant_id: string; curves: ScoreCurves }, { added: boolean }>(),
    /** The newest version, or the newest one below `below`; null: no version. */
    newestCurves: read<
      { tenant_id: string; below: number | null },
      { curves: ScoreCurves | null }
    >(),
    /** The first place behind one, by bytes of UTF-8; null: there are no more. */
    nextPlace: read<{ tenant_id: string; after: string }, { place: string | null }>(),
  },
} as const;

export type DeployStore = Client<typeof Deploys>;
/** The ledger alone, without curves. */
export type ReportStore = Omit<DeployStore, 'addCurves' | 'newestCurves'>;
