/** One thing that was looked at. */
export interface Check {
  name: string;
  /** `skipped`: it could not be looked at, or there is nothing of the kind. */
  state: 'ok' | 'warning' | 'failure' | 'skipped';
  /** What was found. */
  says: string;
  /** What to do about a warning or a failure; null otherwise. */
  advice: string | null;
}

/** Nothing to do. */
export function ok(name: string, says: string): Check {
  return { name, state: 'ok', says, advice: null };
}

/** It could not be looked at, or is absent. */
export function skipped(name: string, says: string): Check {
  return { name, state: 'skipped', says, advice: null };
}

/** Works, but not for long or not as it should. */
export function warning(name: string, says: string, advice: string): Check {
  return { name, state: 'warning', says, advice };
}

/** Does not work, or loses something. */
export function failure(name: string, says: string, advice: string): Check {
  return { name, state: 'failure', says, advice };
}
