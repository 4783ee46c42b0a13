import type { CraError } from '../model/errors.ts';
import type { PushTimes } from '../pushes/push-record.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Config } from './config/config.ts';

/** Parts and bounds of a daemon. */
export interface DaemonOptions {
  config: Config;
  log: Logger;
  /** Called when the daemon cannot go on (a store thread was lost). */
  onFatal(error: CraError): void;
  /** Called when it should be stopped in order and started again. */
  onWornOut(): void;
  /** Bounds that tests set; `limits.ts` otherwise. */
  answerWithinMs?: number;
  attemptsMax?: number;
  threadOldSpaceMiB?: number;
  threadLossesMax?: number;
  pushTimes?: PushTimes;
  /** How long a review that failed waits until it is tried again. */
  reviewRetryMs?: number;
  /** False: drafts are left to the next start. */
  finishDrafts?: boolean;
  /** Where git is looked for: directories as in PATH; and how often, in ms. */
  gitPath?: string;
  gitLookMs?: number;
}
