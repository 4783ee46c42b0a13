import { type GateFinding, plainFinding } from '../../model/finding.ts';
import { fingerprint } from './fingerprint.ts';

const OVERFLOW_ID = 'findings-overflow';

/** Where findings begin that are not listed. */
interface Overflow {
  path: string;
  /** 1-based line of the new file. */
  line: number;
  message: string;
}

/** Says that there is more: what is listed may all be suppressed, and nobody knows the rest. */
export function overflowFinding(key: Uint8Array, { path, line, message }: Overflow): GateFinding {
  return plainFinding({
    id: OVERFLOW_ID,
    gate: 'ast',
    severity: 'high',
    message,
    file: path,
    line,
    end_line: line,
    fingerprint: fingerprint(key, OVERFLOW_ID, path),
    fix: 'Fix the listed findings, or split the change, and submit it again.',
  });
}
