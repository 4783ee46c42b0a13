import { type CancelFlag, isRaised } from '../../core/cancel-flag.ts';
import { RISK_GATE } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';

/** What a scan has done so far; it ends one that takes too long. */
export class Work {
  regexRuns = 0;
  /** Bytes given to expressions; those read again after a first match are counted again. */
  regexBytes = 0;
  /** Bytes of decoded and put together texts that were searched for keywords. */
  derivedBytes = 0;
  private rescanLeft: number = RISK_GATE.RESCAN_BYTES_MAX;
  private readonly cancel: CancelFlag;

  constructor(cancel: CancelFlag) {
    this.cancel = cancel;
  }

  /** Counts a run over `bytes` bytes. Throws CANCELLED when the flag is raised. */
  count(bytes: number): void {
    this.regexRuns += 1;
    this.regexBytes += bytes;
    if (this.regexRuns % RISK_GATE.CANCEL_CHECK_RUNS === 0) this.check();
  }

  /** Counts a derived text of `bytes` bytes. Throws CANCELLED when the flag is raised. */
  countDerived(bytes: number): void {
    this.derivedBytes += bytes;
    this.check();
  }

  /**
   * Asks for `bytes` bytes to be read once more, to find the next match. An expression may look
   * at all that is left for every single match, so without a bound n matches would cost n².
   */
  mayRescan(bytes: number): boolean {
    this.rescanLeft -= bytes;
    return this.rescanLeft >= 0;
  }

  /** Throws CANCELLED when the flag is raised. */
  check(): void {
    if (isRaised(this.cancel)) throw new CraError('CANCELLED', 'the scan was cancelled');
  }
}
