import type { DiffFile } from '../../diff/diff.ts';
import type { TreeFiles } from '../../model/change.ts';
import { type CommandChecks, commandsIn } from './command-checks.ts';
import { inspectCompose } from './compose.ts';
import type { Document, Node } from './document.ts';
import { inspectGitlab } from './gitlab.ts';
import { readJson } from './json.ts';
import { type DocumentKind, isJson, runsByItself } from './kinds.ts';
import { DOCUMENTS } from './limits.ts';
import type { Observation } from './observation.ts';
import { inspectPackage } from './packages.ts';
import { blocksOf, type Piece, piecesOf, textOf, wholePiece } from './pieces.ts';
import type { Report } from './report.ts';
import { hasBase } from './wanted-files.ts';
import { inspectWorkflow } from './workflows.ts';
import type { ReadYaml } from './yaml.ts';

const TOO_MUCH = `the change has more than ${DOCUMENTS.FILES_MAX} files of configuration, or more than ${DOCUMENTS.TOTAL_BYTES_MAX / 1024 / 1024} MiB of them`;

/** Documents whose commands run with the change. */
const RUNS: ReadonlySet<DocumentKind> = new Set(['workflow', 'action', 'gitlab']);

/**
 * Checks of documents of which all lines count. A document of which both versions are at hand is
 * read whole, and what its base had as well is not reported; of any other counts what the diff
 * adds.
 */
export class DocumentChecks {
  /** Paths of documents that were read whole, and no part of them was left out. */
  readonly read = new Set<string>();
  private readonly bytes: Uint8Array;
  private readonly trees: TreeFiles;
  private readonly report: Report;
  private readonly commands: CommandChecks;
  private readonly loadYaml: () => Promise<ReadYaml>;
  private bytesRead = 0;
  private filesRead = 0;

  constructor(
    bytes: Uint8Array,
    trees: TreeFiles,
    report: Report,
    commands: CommandChecks,
    loadYaml: () => Promise<ReadYaml>,
  ) {
    this.bytes = bytes;
    this.trees = trees;
    this.report = report;
    this.commands = commands;
    this.loadYaml = loadYaml;
  }

  async file(file: DiffFile, path: string, kind: DocumentKind): Promise<void> {
    const { bytes, trees } = this;
    const isNew = file.change === 'added';
    const [piece, ...more] = piecesOf(bytes, file);
    if (isNew && piece !== undefined && more.length === 0) {
      await this.whole(file, kind, { ...piece, added: null }, null);
      return;
    }
    const head = trees?.find((one) => one.side === 'head' && one.path === file.path);
    if (head?.bytes) {
      const old = file.oldPath ?? file.path;
      const base = trees?.find((one) => one.side === 'base' && one.path === old);
      const before = hasBase(file) && base?.bytes ? textOf(base.bytes) : null;
      await this.whole(file, kind, wholePiece(textOf(head.bytes)), before);
      return;
    }
    if (trees !== null) this.report.unread(file.path, kind, 'the whole of it could not be read');
    for (const one of [...(piece === undefined ? [] : [piece]), ...more]) {
      await this.part(file.path, path, kind, one);
    }
  }

  /** A document that is there whole. */
  private async whole(
    file: DiffFile,
    kind: DocumentKind,
    piece: Piece,
    before: string | null,
  ): Promise<void> {
    const { text } = piece;
    const size = text.length + (before?.length ?? 0);
    this.bytesRead += size;
    this.filesRead += 1;
    if (this.bytesRead > DOCUMENTS.TOTAL_BYTES_MAX || this.filesRead > DOCUMENTS.FILES_MAX) {
      this.report.unread(file.path, kind, TOO_MUCH, RUNS.has(kind) ? 'high' : 'medium');
      this.commands.lines(file.path, piece);
      return;
    }
    const document = await this.parse(file.path, text);
    if (document.problem === null) {
      this.read.add(file.path);
    } else {
      this.report.unread(file.path, kind, document.problem);
      this.commands.lines(file.path, piece);
    }
    const onCut = () => this.commands.unfollowed(file.path);
    const found = observationsOf(file.path, kind, document, onCut);
    if (found.length === 0) return;
    const known = new Map<string, number>();
    if (before !== null) {
      const base = await this.parse(file.path, before);
      for (const one of observationsOf(file.oldPath ?? file.path, kind, base, () => undefined)) {
        known.set(keyOf(one), (known.get(keyOf(one)) ?? 0) + 1);
      }
    }
    const fresh = found.filter((one) => {
      const count = known.get(keyOf(one)) ?? 0;
      known.set(keyOf(one), count - 1);
      return count <= 0;
    });
    this.report.observed(file.path, { ...piece, added: null }, fresh);
  }

  /** What a hunk shows of a document. */
  private async part(name: string, path: string, kind: DocumentKind, piece: Piece): Promise<void> {
    const found: Observation[] = [];
    for (const { text, offset } of isJson(path)
      ? [{ text: piece.text, offset: 0 }]
      : blocksOf(piece.text)) {
      const document = isJson(path) ? readJson(text, true) : await this.parse(path, text);
      for (const one of inspect(kind, document.roots, true)) {
        found.push({ ...one, start: one.start + offset, end: one.end + offset });
      }
    }
    this.report.observed(name, piece, found);
    this.commands.lines(name, piece);
  }

  private async parse(path: string, text: string): Promise<Document> {
    if (isJson(path.trimEnd())) return readJson(text);
    const readYaml = await this.loadYaml();
    return readYaml(text);
  }
}

/** `onCut`: not all downloads of a script were followed. */
function observationsOf(
  path: string,
  kind: DocumentKind,
  { roots }: Document,
  onCut: () => void,
): Observation[] {
  const isAuto = runsByItself(path.trimEnd());
  const ofRoots = roots.flatMap((root) => commandsIn(root, kind, isAuto, onCut));
  return [...inspect(kind, roots, false), ...ofRoots];
}

function inspect(kind: DocumentKind, roots: readonly Node[], isPart: boolean): Observation[] {
  switch (kind) {
    case 'workflow':
    case 'action':
      return inspectWorkflow(roots, isPart);
    case 'package':
      return inspectPackage(roots, isPart);
    case 'gitlab':
      return inspectGitlab(roots);
    case 'compose':
      return inspectCompose(roots);
    case 'commands':
      return [];
  }
}

function keyOf({ id, match }: Observation): string {
  return `${id}\0${match.replace(/\s+/g, ' ')}`;
}
