import type { CurvesFor, RulesSource } from '../analysis/job.ts';
import type { LateReports } from '../analysis/late-reports.ts';
import type { Reviewer } from '../analysis/review.ts';
import type { Admission } from '../analysis/scan-pool.ts';
import type { VcsHost } from '../hosts/settings.ts';
import type { EarlierMaps } from '../model/components.ts';
import type { Analysis } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { Source } from '../rpc/source-contract.ts';
import type { PushStore } from '../store/contract/pushes.ts';
import type { RecordStore } from '../store/contract/records.ts';
import type { PushTimes } from './push-record.ts';

/** Parts and settings that pushes are judged with. */
export interface JudgementOptions {
  pushes: PushStore;
  store: Pick<RecordStore, 'completeDraft' | 'getRfc' | 'listRfcs' | 'reportNames' | 'getReport'>;
  late: Pick<LateReports, 'count'>;
  source: Client<typeof Source>;
  analysis: Client<typeof Analysis>;
  admission: Admission;
  rules: RulesSource;
  /** Absent: the shipped curve counts. */
  curvesFor?: CurvesFor | undefined;
  /** The components of earlier rules; absent: RFCs of another map say nothing of components. */
  earlier?: EarlierMaps;
  reviewer: Reviewer;
  /** Which branches are protected beside the default one. */
  hosts: readonly Pick<VcsHost, 'id' | 'protectedBranches'>[];
  /** What a repository that is seen for the first time counts as accepted. */
  adopt: 'baseline' | 'scan';
  times: PushTimes;
  now(): Date;
}

/** The same for one push. */
export interface PushOptions extends JudgementOptions {
  /** Fires when the push was decided about, or the daemon stops. */
  signal: AbortSignal;
}

/** What a range is judged with. */
export type RangeOptions = Pick<
  PushOptions,
  'analysis' | 'curvesFor' | 'pushes' | 'rules' | 'signal' | 'store'
> & {
  source: Pick<PushOptions['source'], 'blobs' | 'diff'>;
};
