import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE, LineCursor } from '../../diff/diff.ts';
import type { LineFact } from './pins.ts';

/** Settings that make an installation safer than it is by itself; the first group is the name. */
const GUARDS: readonly { file: RegExp; line: RegExp }[] = [
  {
    // docs.npmjs.com/cli/using-npm/config#ignore-scripts, pnpm.io/settings
    file: /(?:^|\/)\.npmrc$/,
    line: /^(ignore-scripts|strict-dep-builds|block-exotic-subdeps|minimum-release-age|min-release-age|before)\s*=\s*(?:true\b|[1-9])/,
  },
  {
    file: /(?:^|\/)pnpm-workspace\.yaml$/,
    line: /^(minimumReleaseAge|blockExoticSubdeps|strictDepBuilds|trustPolicy):\s*(?:true\b|[1-9]|["']?no-downgrade)/,
  },
  {
    // yarnpkg.com/configuration/yarnrc
    file: /(?:^|\/)\.yarnrc\.yml$/,
    line: /^(?:(enableScripts):\s*["']?false|(enableHardenedMode|enableImmutableInstalls):\s*["']?true|(npmMinimalAgeGate):\s*["']?[1-9])/,
  },
  {
    // pip.pypa.io/en/stable/topics/secure-installs
    file: /(?:^|\/)(?:pip\.(?:conf|ini)|[^/]*requirements[^/]*\.(?:txt|in))$/,
    line: /^(?:--)?(require[-_]hashes|only[-_]binary)(?:\s*=\s*(?:true|1|yes|:all:)|\s+:all:|$)/i,
  },
  {
    // docs.astral.sh/uv/reference/settings
    file: /(?:^|\/)(?:uv|pyproject)\.toml$/,
    line: /^(exclude-newer|require-hashes|no-build)\s*=\s*(?:true|["'])/,
  },
];
/** A longer line is not read. Bytes. */
const LINE_BYTES_MAX = 500;

/** Guards of an installation that a change takes out of a file, or turns off. */
export function guardFacts(bytes: Uint8Array, file: DiffFile): LineFact[] {
  const guard = GUARDS.find((one) => one.file.test(file.path.trimEnd()));
  if (guard === undefined || file.deletions === 0 || file.change === 'deleted') return [];
  /** By name, the lines that go; a name that comes back as a guard stays one. */
  const gone = new Map<string, { text: string; line: number }>();
  const kept = new Set<string>();
  const cursor = new LineCursor(bytes);
  for (const hunk of file.hunks) {
    cursor.open(hunk);
    while (cursor.next()) {
      const { kind, start, end, newLine: line } = cursor;
      if (end - start > LINE_BYTES_MAX) continue;
      const text = asBuffer(bytes).toString('utf8', start, end).trim();
      const name = guard.line
        .exec(text)
        ?.slice(1)
        .find((one) => one !== undefined);
      if (name === undefined) continue;
      if (kind === LINE.REMOVED) gone.set(name, { text, line: Math.max(1, line) });
      else kept.add(name);
    }
  }
  return [...gone]
    .filter(([name]) => !kept.has(name))
    .map(([name, { text, line }]) => {
      const detail = `The setting “${text}” goes.`;
      const fact = { kind: 'guard-removed', name, version: '', detail, isLesser: false } as const;
      return { fact, line, text };
    });
}
