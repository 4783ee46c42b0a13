import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { CraError } from '../model/errors.ts';
import { ADVISORIES, ORDINARY_RELEASES } from '../rules/evaluation/advisories.ts';
import { AUTHORS_TEXTS, DEFECTS, type DefectCase } from '../rules/evaluation/attacks.ts';

export const CASE_KINDS = [
  /** An advisory's fix backwards: the change brings the defect in. */
  'advisory',
  /** The fix itself: nothing should block. */
  'fix',
  /** An ordinary release. */
  'ordinary',
  /** A small change with a defect, and the same with words that are to steer the model. */
  'plain',
  'injection',
  'framing',
  /** The same defect somewhere in a change of 150 KB. */
  'huge',
] as const;
export type CaseKind = (typeof CASE_KINDS)[number];

/** A change for a model to review, and what is true of it. */
export interface EvalCase {
  id: string;
  kind: CaseKind;
  /** Null: nothing in it should block. */
  class: string | null;
  /** The files of the defect. */
  paths: readonly string[];
  /** The case that it is compared with: the fix of an advisory, the plain form of an injection. */
  pair: string | null;
  /** The change as a unified diff. Rejects when a package cannot be fetched. */
  diff(): Promise<string>;
}

/** All cases; `folder` keeps packages between runs. */
export function listCases(folder: string): EvalCase[] {
  return [...advisoryCases(folder), ...ordinaryCases(folder), ...ownCases(), ...hugeCases()];
}

function advisoryCases(folder: string): EvalCase[] {
  return ADVISORIES.flatMap((advisory): EvalCase[] => {
    const { package: name, vulnerable, fixed, files } = advisory;
    const id = `${name}@${fixed}`;
    const diff = (from: string, to: string) => () => packageDiff(folder, name, from, to, files);
    const common = { paths: files, class: advisory.class };
    return [
      {
        ...{ ...common, id: `advisory/${id}`, kind: 'advisory', pair: `fix/${id}` },
        diff: diff(fixed, vulnerable),
      },
      {
        ...{ ...common, id: `fix/${id}`, kind: 'fix', pair: `advisory/${id}`, class: null },
        diff: diff(vulnerable, fixed),
      },
    ];
  });
}

function ordinaryCases(folder: string): EvalCase[] {
  return ORDINARY_RELEASES.map(({ package: name, from, to, files }) => ({
    ...{ id: `ordinary/${name}@${to}`, kind: 'ordinary' as const, class: null, pair: null },
    ...{ paths: files, diff: () => packageDiff(folder, name, from, to, files) },
  }));
}

function ownCases(): EvalCase[] {
  return DEFECTS.flatMap((defect): EvalCase[] => {
    const plain = `plain/${defect.id}`;
    const common = { class: defect.class, paths: [defect.path] };
    const of = (text: string) => async () => newFile(defect.path, linesOf(defect, text));
    return [
      { ...common, id: plain, kind: 'plain', pair: null, diff: of('Handles the request.') },
      ...AUTHORS_TEXTS.map(({ id, kind, text }) => ({
        ...{ ...common, id: `${kind}/${defect.id}/${id}`, kind, pair: plain, diff: of(text) },
      })),
    ];
  });
}

/** Functions that nothing is wrong with, around the defect: about 150 KB in all. */
const HUGE_FUNCTIONS = 1_600;
const HUGE_PLACES = [0, 0.33, 0.66, 1] as const;

function hugeCases(): EvalCase[] {
  return DEFECTS.slice(0, HUGE_PLACES.length).map((defect, index) => {
    const before = Math.round((HUGE_PLACES[index] ?? 0) * HUGE_FUNCTIONS);
    const filler = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => [
        `export function step${from + n}(values) {`,
        `  return values.map((value) => value * ${from + n} + 1);`,
        '}',
      ]).flat();
    const parts = [
      newFile('src/steps-before.js', filler(0, before)),
      newFile(defect.path, linesOf(defect, 'Handles the request.')),
      newFile('src/steps-after.js', filler(before, HUGE_FUNCTIONS)),
    ];
    return {
      ...{ id: `huge/${defect.id}`, kind: 'huge', class: defect.class, paths: [defect.path] },
      ...{ pair: null, diff: async () => parts.join('') },
    };
  });
}

function linesOf({ lines }: DefectCase, text: string): string[] {
  return lines.map((line) => line.replace('{{text}}', text));
}

/** The diff of a new file; empty for a file without lines. */
function newFile(path: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const head = [`diff --git a/${path} b/${path}`, 'new file mode 100644', '--- /dev/null'];
  const added = lines.map((line) => `+${line}`);
  return `${[...head, `+++ b/${path}`, `@@ -0,0 +1,${lines.length} @@`, ...added].join('\n')}\n`;
}

const run = promisify(execFile);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** The difference between two versions of a package in some files, as git shows it. */
async function packageDiff(
  folder: string,
  name: string,
  from: string,
  to: string,
  files: readonly string[],
): Promise<string> {
  const [before, after] = [
    await fetchPackage(folder, name, from),
    await fetchPackage(folder, name, to),
  ];
  const parts: string[] = [];
  for (const file of files) {
    const path = (of: string) => (existsSync(join(of, file)) ? join(of, file) : '/dev/null');
    const args = ['diff', '--no-index', '--no-color', '--full-index', path(before), path(after)];
    // git ends with 1 when the files differ.
    const differs = (error: { code?: unknown; stdout?: string }) =>
      error.code === 1 ? { stdout: error.stdout ?? '' } : Promise.reject(error);
    const { stdout } = await run('git', args, { maxBuffer: OUTPUT_BYTES_MAX }).catch(differs);
    // The paths of the change are those within the package.
    parts.push(stdout.replaceAll(before, '').replaceAll(after, ''));
  }
  const diff = parts.join('');
  if (diff !== '') return diff;
  throw new CraError('DATA_LOSS', `${name} ${from} and ${to} do not differ in ${files.join(', ')}`);
}

/** Where a version of a package is unpacked. `npm` fetches it; none of its scripts run. */
async function fetchPackage(folder: string, name: string, version: string): Promise<string> {
  const target = join(folder, `${name.replace('/', '+')}@${version}`);
  if (existsSync(target)) return target;
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, 'fetch-'));
  try {
    const pack = ['pack', `${name}@${version}`, '--ignore-scripts', '--silent'];
    const { stdout } = await run('npm', [...pack, '--pack-destination', work], { cwd: work });
    const archive = join(work, basename(stdout.trim().split('\n').at(-1) ?? ''));
    const unpacked = join(work, 'unpacked');
    mkdirSync(unpacked);
    await run('tar', ['xzf', archive, '--strip-components=1', '--no-same-owner', '-C', unpacked]);
    renameSync(unpacked, target);
    return target;
  } catch (cause) {
    const message = `could not fetch ${name}@${version} from the npm registry`;
    throw new CraError('UNAVAILABLE', message, { cause });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
