import type { GateFinding } from '../../model/finding.ts';
import { joinMasks, maskOf } from './mask.ts';

type ByteRange = readonly [start: number, end: number];

/** Paths that hold secrets: findings name files, and would show them. */
export class PathSecrets {
  private readonly ranges = new Map<string, ByteRange[]>();

  /** Notes where in the path (byte offsets) secrets are. */
  add(path: string, secretAt: readonly ByteRange[]): void {
    const known = this.ranges.get(path);
    if (known === undefined) this.ranges.set(path, [...secretAt]);
    else known.push(...secretAt);
  }

  /** The findings, of any gate, without the secrets in their `file`. */
  hide(findings: readonly GateFinding[]): GateFinding[] {
    const shown = new Map([...this.ranges].map(([path, ranges]) => [path, hideIn(path, ranges)]));
    return findings.map((finding) => {
      const path = shown.get(finding.file ?? '');
      return path === undefined ? finding : { ...finding, file: path };
    });
  }
}

function hideIn(path: string, ranges: readonly ByteRange[]): string {
  const bytes = Buffer.from(path);
  let text = '';
  let at = 0;
  for (const mask of joinMasks(ranges.map(([start, end]) => maskOf(start, end)))) {
    text += `${bytes.toString('utf8', at, mask.start + mask.visible)}…`;
    at = mask.end;
  }
  return text + bytes.toString('utf8', at);
}
