import { createHmac } from 'node:crypto';
import type { DiffFile, ParsedDiff } from '../diff/diff.ts';
import { type GateFinding, plainFinding, type Severity } from '../domain/finding.ts';

/** Images and fonts: nothing in them runs. */
const HARMLESS_BINARY =
  /\.(?:avif|bmp|eot|gif|icns|ico|jpe?g|otf|png|svgz|tiff?|ttf|webp|woff2?)$/i;

/** Names of source and configuration; git takes them for binary by a NUL or an attribute. */
const SOURCE_NAME =
  /(?:^|\/)(?:[^/]+\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|scala|php|c|cc|cpp|h|hpp|cs|swift|sh|bash|ps1|pl|lua|sql|ya?ml|json|toml|ini|cfg|conf|env|xml|html?|css|tf|hcl|gradle|properties|md)|Dockerfile|Makefile|Jenkinsfile|\.[a-z]+rc|\.env[^/]*|\.git(?:attributes|modules|ignore))$/i;

const LFS_POINTER = Buffer.from('version https://git-lfs.github.com/spec/');

/**
 * Findings for what no rule could look at: unreadable parts, binary files, submodules, LFS
 * pointers. `key` is the HMAC key of fingerprints.
 */
export function unseenFindings(
  bytes: Uint8Array,
  diff: ParsedDiff,
  key: Uint8Array,
): GateFinding[] {
  const findings: GateFinding[] = [];
  for (const problem of diff.problems) {
    const message = `line ${problem.diffLine} of the diff could not be read: ${problem.message}`;
    findings.push(finding(key, 'diff-unreadable', 'high', message, problem.file));
  }
  for (const file of diff.files) {
    const seen = unseenContent(bytes, file);
    if (seen !== null) findings.push(finding(key, seen.id, seen.severity, seen.message, file.path));
  }
  return findings;
}

function unseenContent(
  bytes: Uint8Array,
  file: DiffFile,
): { id: string; severity: Severity; message: string } | null {
  if (file.change === 'deleted') return null;
  if (file.content === 'submodule') {
    const message = 'the commits that this submodule brings are not part of the diff';
    return { id: 'outside-diff', severity: 'medium', message };
  }
  if (file.content === 'binary') return binaryFile(file.path);
  if (isLfsPointer(bytes, file)) {
    const message = 'the content of this Git LFS file is not part of the diff';
    return { id: 'outside-diff', severity: 'medium', message };
  }
  return null;
}

function binaryFile(path: string): { id: string; severity: Severity; message: string } {
  const id = 'binary-file';
  if (HARMLESS_BINARY.test(path)) {
    return { id, severity: 'info', message: 'an image or font; its content was not looked at' };
  }
  if (SOURCE_NAME.test(path)) {
    const message = 'named like source or configuration but given as binary, so nothing was read';
    return { id, severity: 'high', message };
  }
  return { id, severity: 'medium', message: 'a binary file; its content was not looked at' };
}

/**
 * A pointer starts with its version line
 * (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
 */
function isLfsPointer(bytes: Uint8Array, file: DiffFile): boolean {
  return file.hunks.some((hunk) => {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset + hunk.start, hunk.end - hunk.start);
    return view.subarray(hunk.markers, hunk.markers + LFS_POINTER.length).equals(LFS_POINTER);
  });
}

function finding(
  key: Uint8Array,
  id: string,
  severity: Severity,
  message: string,
  file: string | null,
): GateFinding {
  const fingerprint = createHmac('sha256', key)
    .update(`${id}\0${file ?? ''}`)
    .digest('hex');
  return plainFinding({ id, gate: 'risk', severity, message, file, fingerprint });
}
