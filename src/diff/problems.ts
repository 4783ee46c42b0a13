import { DIFF } from '../limits.ts';
import type { DiffProblem } from './diff.ts';

/** Collects problems up to DIFF.PROBLEMS_MAX; the last place says that there were more. */
export class Problems {
  readonly list: DiffProblem[] = [];

  add(message: string, file: string | null, diffLine: number): void {
    const free = DIFF.PROBLEMS_MAX - this.list.length;
    if (free > 1) this.list.push({ message, file, diffLine });
    else if (free === 1) this.list.push({ message: OVERFLOW, file: null, diffLine });
  }

  /** Adds the one that ends the reading; in a full list it takes the last place. */
  addLast(message: string, diffLine: number): void {
    if (this.list.length === DIFF.PROBLEMS_MAX) this.list.pop();
    this.list.push({ message, file: null, diffLine });
  }
}

const OVERFLOW = `there are more problems than the ${DIFF.PROBLEMS_MAX} that are listed`;
