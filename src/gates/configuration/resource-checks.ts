import { once } from '../../core/once.ts';
import { type DiffFile, LINE } from '../../diff/diff.ts';
import type { TreeFiles } from '../../model/change.ts';
import type { Severity } from '../../model/finding.ts';
import { type ChangedFile, changedResources, type DeclaredPart } from './changed-resources.ts';
import { entriesOf, type Node, scalarsOf, valuesOf } from './document.ts';
import type { DocumentRules } from './document-rules.ts';
import type { readHcl } from './hcl.ts';
import { folderOf, isJson, isOverride, kindOfDocument, type ResourceFile } from './kinds.ts';
import { DOCUMENTS, MIGRATIONS } from './limits.ts';
import { migrationFileOf } from './migrations/migration-file.ts';
import type { Modules } from './modules.ts';
import {
  addedOffsets,
  blocksOf,
  oldPiecesOf,
  type Piece,
  type Place,
  piecesOf,
  sideOf,
  textOf,
  wholePiece,
} from './pieces.ts';
import { type Report, severityAt, shortened } from './report.ts';
import { hasBase } from './wanted-files.ts';
import { blocksOfPart, declaredIn, kindsIn, weakResources } from './weak-resources.ts';
import type { ReadYaml } from './yaml.ts';

const LONG_MIGRATION = `it has more than ${MIGRATIONS.CHARS_MAX / 1024} Ki characters`;
const TOO_MUCH = `the change has more than ${DOCUMENTS.TOTAL_BYTES_MAX / 1024 / 1024} Mi characters in files that may declare resources`;
const TOO_MANY_FILES = 'the change has more files of configuration than are read whole';
const VALUES_CUT = 'its variables stand for lists of lists with more values than are looked at';
const UNSEEN_DELETED = 'the diff deletes it and does not show what was in it';

type Declared = ReturnType<typeof declaredIn>;

/** A file that declares resources. */
interface ResourceText {
  file: DiffFile;
  /** As it counts for its kind: names of Windows may end in blanks. */
  path: string;
  kind: ResourceFile;
}

/** The first variable or list of locals of a module that a change touches. */
interface ChangedValues {
  path: string;
  piece: Piece;
  place: { start: number; end: number };
}

interface ResourceChecksInput {
  bytes: Uint8Array;
  trees: TreeFiles;
  rules: DocumentRules;
  modules: Modules;
  report: Report;
  loadYaml(): Promise<ReadYaml>;
  readTerraform: typeof readHcl;
}

/** Rules on documents, over the resources that files of a change declare. */
export class ResourceChecks {
  /** Paths of migrations that were read whole. */
  readonly read = new Set<string>();
  private readonly bytes: Uint8Array;
  private readonly trees: TreeFiles;
  private readonly rules: DocumentRules;
  private readonly modules: Modules;
  private readonly report: Report;
  private readonly loadYaml: () => Promise<ReadYaml>;
  private readonly readTerraform: typeof readHcl;
  private readYaml: ReadYaml | null = null;
  private charsRead = 0;
  private isTooMuch = false;
  private isTooMany = false;
  /** Files with resources, as they are before and after the change. */
  private readonly changedFiles: ChangedFile<Place>[] = [];
  /** By the folder of a module of Terraform. */
  private readonly changedValues = new Map<string, ChangedValues>();

  constructor(input: ResourceChecksInput) {
    const { bytes, trees, rules, modules, report, loadYaml, readTerraform } = input;
    this.bytes = bytes;
    this.trees = trees;
    this.rules = rules;
    this.modules = modules;
    this.report = report;
    this.loadYaml = loadYaml;
    this.readTerraform = readTerraform;
  }

  async file(file: DiffFile, path: string, kind: ResourceFile): Promise<void> {
    const at = { file, path, kind };
    if (file.change === 'deleted') {
      if (this.looksAtChanges(kind)) await this.deleted(at);
      return;
    }
    if (this.rules.isEmpty) return;
    const pieces = piecesOf(this.bytes, file);
    const isNew = file.change === 'added' && pieces.length === 1;
    const head = this.version('head', file.path);
    const piece = isNew ? pieces[0] : head?.bytes ? wholePiece(textOf(head.bytes)) : undefined;
    if (kind === 'migration' && (piece?.text.length ?? 0) > MIGRATIONS.CHARS_MAX) {
      // Dumps are long, and rules on lines look at them.
      this.report.unread(file.path, kind, LONG_MIGRATION, 'low');
      return;
    }
    const base = this.version('base', file.oldPath ?? file.path)?.bytes;
    const shown = (piece === undefined ? pieces : [piece]).reduce(
      (sum, one) => sum + one.text.length,
      0,
    );
    if (!this.hasRoom(at, shown + (base?.length ?? 0))) return;
    await this.loadParser(path);
    if (piece !== undefined) {
      const before = !isNew && hasBase(file) && base ? textOf(base) : null;
      await this.whole(at, piece, before, isNew ? null : addedOffsets(piece.text, pieces));
      return;
    }
    // Of a kind that is read whole for its own checks as well, they say it.
    if (this.trees !== null && kindOfDocument(path) === null) {
      this.unreadHead(at, head !== undefined);
    }
    this.hunks(at);
  }

  /** What the change does to resources that were there before: when all files are read. */
  async changed(): Promise<void> {
    if (this.rules.isEmpty) return;
    for (const [folder, values] of this.changedValues) await this.usedElsewhere(folder, values);
    const { found, removed } = changedResources(this.rules, this.changedFiles);
    for (const { place, path, ...one } of found) {
      const severity = severityAt(path, this.severityOf(one.id));
      const placed = shifted({ ...one, severity }, place.offset);
      // Where a value is gone, the resource stands on lines that the change does not add.
      this.report.observed(path, { ...place.piece, added: null }, [placed]);
    }
    for (const one of removed) this.report.removed(one);
  }

  /** Resources of untouched files of a module that values of the change make weak. */
  private async usedElsewhere(folder: string, { path, piece, place }: ChangedValues) {
    const head = await this.modules.parted(folder, 'head');
    const base = await this.modules.parted(folder, 'base');
    if (head.untouched.length === 0) return;
    const kinds = kindsIn('terraform');
    const { found } = weakResources({
      rules: this.rules,
      severityOf: this.severityOf,
      declared: { kinds, roots: head.untouched, problem: null },
      module: head.changed,
      before: () => ({ kinds, roots: base.untouched, problem: null }),
      moduleBefore: base.changed,
      isPart: false,
      isTouched: () => false,
    });
    const placed = found.map(({ note, ...one }) => {
      const where = `It is ${shortened(one.address)}, in a file that the change leaves alone.`;
      const { start, end } = place;
      return { ...one, start, end, note: note === undefined ? where : `${where} ${note}` };
    });
    this.report.observed(path, piece, placed);
  }

  /** A file that is there whole; `added`: offsets of the lines that are new, null: all are. */
  private async whole(
    { file, path, kind }: ResourceText,
    piece: Piece,
    textBefore: string | null,
    added: readonly number[] | null,
  ): Promise<void> {
    const declared = this.declared(kind, path, piece.text);
    if (declared.problem !== null && kindOfDocument(path) === null) {
      this.report.unread(file.path, kind, declared.problem, 'medium');
    }
    const readOld = textBefore === null ? null : once(() => this.declared(kind, path, textBefore));
    if (kind === 'migration' && migrationFileOf(path)?.place === 'migration') {
      if (declared.problem === null) this.read.add(file.path);
      const isAltered = readOld !== null && saysAnother(declared.roots, readOld().roots);
      if (isAltered) this.report.altered(file.path);
    }
    // Most files that no rule on a change looks at are in order, and their old text is not parsed.
    const comparesVersions = this.looksAtChanges(kind);
    const old = comparesVersions && readOld !== null ? readOld() : null;
    const module = await this.module(kind, path, 'head');
    const moduleBefore = readOld === null ? [] : await this.module(kind, path, 'base');
    const isTouched = (start: number, end: number) => {
      const line = piece.text.lastIndexOf('\n', start - 1) + 1;
      return added?.some((at) => at >= line && at <= end) ?? true;
    };
    const { found, known, settled, isCut } = weakResources({
      rules: this.rules,
      severityOf: this.severityOf,
      declared,
      module,
      before: readOld,
      moduleBefore,
      isPart: isOverride(path),
      isTouched,
    });
    if (isCut) this.report.unread(file.path, kind, VALUES_CUT, 'medium');
    this.report.observed(file.path, piece, found);
    this.report.settledIn(file.path, piece, settled);
    const value = kind === 'terraform' ? changedValue(declared.roots, isTouched) : undefined;
    const folder = folderOf(file.path);
    if (readOld !== null && value !== undefined && !this.changedValues.has(folder)) {
      this.changedValues.set(folder, { path: file.path, piece, place: value });
    }
    if (known > 0) this.report.knownBefore(file.path, known);
    if (!comparesVersions) return;
    const place = { piece, offset: 0 };
    const before =
      old === null
        ? this.oldParts({ file, path, kind })
        : [{ declared: old, module: moduleBefore, isPart: false, place }];
    const after = [{ declared, module, isPart: false, place }];
    this.changedFiles.push({ path: file.path, before, after, rest: module });
  }

  /** A file of which only the hunks are there. */
  private hunks({ file, path, kind }: ResourceText): void {
    // Hunks that only remove lines, too: the lines around them show whether a resource stays.
    const after = this.parts(sideOf(this.bytes, file.hunks, LINE.REMOVED), path, kind);
    for (const { declared, place } of after) {
      const { found, isCut } = weakResources({
        rules: this.rules,
        severityOf: this.severityOf,
        declared,
        module: [],
        before: null,
        moduleBefore: [],
        isPart: true,
        isTouched: () => true,
      });
      if (isCut) this.report.unread(file.path, kind, VALUES_CUT, 'medium');
      const placed = found.map((one) => shifted(one, place.offset));
      this.report.observed(file.path, place.piece, placed);
    }
    const before = this.oldParts({ file, path, kind });
    this.changedFiles.push({ path: file.path, before, after, rest: [] });
  }

  /** A file that the change deletes: the diff shows all of it, or the base has it. */
  private async deleted({ file, path, kind }: ResourceText): Promise<void> {
    const [shown, ...more] = oldPiecesOf(this.bytes, file);
    const base = this.version('base', file.path)?.bytes;
    const text = base ? textOf(base) : shown?.text;
    if (text === undefined) {
      this.report.unread(file.path, kind, UNSEEN_DELETED, 'low');
      return;
    }
    if (!this.hasRoom({ file, path, kind }, text.length)) return;
    await this.loadParser(path);
    const declared = this.declared(kind, path, text);
    const isPart = !base && more.length > 0;
    const place = { piece: wholePiece(text), offset: 0 };
    const module = await this.module(kind, path, 'base');
    const before = [{ declared, module, isPart, place }];
    const rest = await this.module(kind, path, 'head');
    this.changedFiles.push({ path: file.path, before, after: [], rest });
  }

  /** What the hunks show of a file as it was. */
  private oldParts({ file, path, kind }: ResourceText): DeclaredPart<Place>[] {
    if (!this.looksAtChanges(kind)) return [];
    return this.parts(oldPiecesOf(this.bytes, file), path, kind);
  }

  private parts(pieces: readonly Piece[], path: string, kind: ResourceFile) {
    return pieces.flatMap((piece): DeclaredPart<Place>[] => {
      return partsOf(kind, path, piece.text).map(({ text, offset }) => {
        const declared = this.declared(kind, path, text);
        return { declared, module: [], isPart: true, place: { piece, offset } };
      });
    });
  }

  private declared(kind: ResourceFile, path: string, text: string): Declared {
    return declaredIn(kind, path, text, this.readYaml, this.readTerraform);
  }

  private async module(kind: ResourceFile, path: string, side: 'base' | 'head'): Promise<Node[]> {
    if (kind === 'terraform') return this.modules.around(path, side);
    return kind === 'data' && this.readYaml !== null
      ? this.modules.chartOf(path, side, this.readYaml)
      : [];
  }

  private version(side: 'base' | 'head', path: string) {
    return this.trees?.find((one) => one.side === side && one.path === path);
  }

  private async loadParser(path: string): Promise<void> {
    if (!/\.(?:tf|tofu|json)$/i.test(path)) this.readYaml ??= await this.loadYaml();
  }

  private looksAtChanges(kind: ResourceFile): boolean {
    return kind !== 'conf' && kindsIn(kind).some((one) => this.rules.looksAtChanges(one));
  }

  private readonly severityOf = (id: string): Severity => this.report.severityOf(id);

  /** Whether the files of the change are not too long with this one. */
  private hasRoom({ file, kind }: ResourceText, chars: number): boolean {
    this.charsRead += chars;
    if (this.charsRead <= DOCUMENTS.TOTAL_BYTES_MAX) return true;
    if (!this.isTooMuch) this.report.unread(file.path, kind, TOO_MUCH, 'medium');
    this.isTooMuch = true;
    return false;
  }

  /** The version of a file that a repository was asked for, and did not give. */
  private unreadHead({ file, kind }: ResourceText, wasAsked: boolean): void {
    if (wasAsked) {
      this.report.unread(file.path, kind, 'the whole of it could not be read', 'medium');
    } else if (!this.isTooMany) {
      this.report.unread(file.path, kind, TOO_MANY_FILES, 'medium');
      this.isTooMany = true;
    }
  }
}

/** A variable or locals that the change touches. */
function changedValue(roots: readonly Node[], isTouched: (start: number, end: number) => boolean) {
  return entriesOf(roots)
    .filter(({ key }) => key === 'variable' || key === 'locals')
    .flatMap(({ key, value }) => (key === 'locals' ? entriesOf([value]) : [{ value }]))
    .map(({ value }) => value)
    .find(({ start, end }) => isTouched(start, end));
}

function shifted<T extends { start: number; end: number }>(one: T, offset: number): T {
  return { ...one, start: one.start + offset, end: one.end + offset };
}

/** Whether two versions of a migration do other things to a database. */
function saysAnother(now: readonly Node[], before: readonly Node[]): boolean {
  const [one, other] = [now, before].map((roots) => {
    return entriesOf(roots).map(({ key, value }) => {
      return [key, ...scalarsOf(valuesOf(value, 'text')).map((text) => text.value)];
    });
  });
  return JSON.stringify(one) !== JSON.stringify(other);
}

/** What a hunk shows of a file, in parts that can be read. */
function partsOf(kind: ResourceFile, path: string, text: string) {
  if (kind === 'terraform' && !isJson(path)) return blocksOfPart(text);
  if (kind === 'workflow' || kind === 'azure-pipelines') return blocksOf(text);
  return [{ text, offset: 0 }];
}
