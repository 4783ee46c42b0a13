import type { DiffFile } from '../../diff/diff.ts';
import type { Node } from './document.ts';
import type { readHcl } from './hcl.ts';
import { folderOf } from './kinds.ts';
import { DOCUMENTS } from './limits.ts';
import { piecesOf } from './pieces.ts';
import type { Report } from './report.ts';
import type { ReadYaml } from './yaml.ts';

/** Files by their folders; see `ProgramTree` of gate 2. */
export interface Folders {
  read(paths: readonly string[]): Promise<readonly (string | null)[]>;
  list(folder: string): Promise<readonly string[]>;
}

interface ModuleFile {
  path: string;
  roots: readonly Node[];
}

const MODULE_CUT = `the modules and charts of the change have more than ${DOCUMENTS.MODULE_FILES_MAX} files, so that values of some variables are not known`;

/**
 * Modules of Terraform and charts of Helm that the files of a change belong to: values of variables
 * stand there.
 */
export class Modules {
  private readonly bytes: Uint8Array;
  private readonly files: readonly DiffFile[];
  /** Null: only the files that the change adds are at hand. */
  private readonly program: Readonly<Record<'base' | 'head', Folders>> | null;
  private readonly report: Report;
  private readonly readTerraform: typeof readHcl;
  private readonly known = new Map<string, Promise<ModuleFile[]>>();
  /** Folders that were listed: each of them has a file at least, on one side. */
  private readonly listed = new Set<string>();
  private fileCount = 0;
  private isCut = false;

  constructor(
    bytes: Uint8Array,
    files: readonly DiffFile[],
    program: Readonly<Record<'base' | 'head', Folders>> | null,
    report: Report,
    readTerraform: typeof readHcl,
  ) {
    this.bytes = bytes;
    this.files = files;
    this.program = program;
    this.report = report;
    this.readTerraform = readTerraform;
  }

  /** Asks for the modules of all these files at once: git runs for each turn of questions. */
  async ask(files: readonly DiffFile[]): Promise<void> {
    if (this.program === null) return;
    const asked = files.flatMap(({ path, change }) => {
      const folder = folderOf(path.trimEnd());
      const head = this.filesOf(folder, 'head');
      return change === 'added' ? [head] : [head, this.filesOf(folder, 'base')];
    });
    await Promise.all(asked);
  }

  /** What the other files of the module of a file declare. */
  async around(path: string, side: 'base' | 'head'): Promise<Node[]> {
    return rootsOf(await this.filesOf(folderOf(path), side), (other) => other !== path);
  }

  /** Values of the chart that a template belongs to, as the value of `.Values`. */
  async chartOf(template: string, side: 'base' | 'head', readYaml: ReadYaml): Promise<Node[]> {
    const at = template.lastIndexOf('templates/');
    if (at === -1 || (at > 0 && template[at - 1] !== '/')) return [];
    const path = `${template.slice(0, at)}values.yaml`;
    const key = `${side} ${path}`;
    const known = this.known.get(key) ?? this.readValues(path, side, readYaml);
    this.known.set(key, known);
    return (await known).flatMap((file) => file.roots);
  }

  private async readValues(path: string, side: 'base' | 'head', readYaml: ReadYaml) {
    if (this.isCut) return [];
    this.fileCount += 1;
    if (this.fileCount > DOCUMENTS.MODULE_FILES_MAX) {
      this.cut(path);
      return [];
    }
    const tree = this.program?.[side];
    const text =
      tree == null ? this.added((one) => one === path)[0]?.text : (await tree.read([path]))[0];
    const [value] = text == null ? [] : readYaml(text).roots;
    if (value === undefined) return [];
    const { start, end } = value;
    const entries = [{ key: '.Values', keyStart: start, keyEnd: start, value }];
    return [{ path, roots: [{ kind: 'map', start, end, entries } as const] }];
  }

  /** What the files of a module declare that the change leaves alone, and what the others do. */
  async parted(folder: string, side: 'base' | 'head') {
    const changed = new Set(this.files.flatMap(({ path, oldPath }) => [path, oldPath]));
    const files = await this.filesOf(folder, side);
    return {
      untouched: rootsOf(files, (path) => !changed.has(path)),
      changed: rootsOf(files, (path) => changed.has(path)),
    };
  }

  private filesOf(folder: string, side: 'base' | 'head'): Promise<ModuleFile[]> {
    const key = `${side} ${folder}`;
    const known = this.known.get(key) ?? this.read(folder, side);
    this.known.set(key, known);
    return known;
  }

  private async read(folder: string, side: 'base' | 'head'): Promise<ModuleFile[]> {
    if (this.isCut) return [];
    const tree = this.program?.[side];
    const prefix = folder === '' ? '' : `${folder}/`;
    if (tree != null && this.listed.add(folder).size > DOCUMENTS.MODULE_FILES_MAX) {
      this.cut(`${prefix}*.tf`);
      return [];
    }
    const isIn = (path: string) =>
      path.startsWith(prefix) && isTerraform(path.slice(prefix.length));
    const added = tree == null ? this.added(isIn) : [];
    const names = tree == null ? [] : (await tree.list(folder)).filter(isTerraform);
    const room = Math.max(0, DOCUMENTS.MODULE_FILES_MAX - this.fileCount);
    const count = added.length + names.length;
    this.fileCount += count;
    if (count > room) this.cut(`${prefix}*.tf`);
    const paths = names.slice(0, room).map((name) => `${prefix}${name}`);
    const texts = tree == null ? [] : await tree.read(paths);
    const files = paths.flatMap((path, index) => {
      const text = texts[index];
      return text == null ? [] : [{ path, text }];
    });
    return [...added.slice(0, room), ...files].map(({ path, text }) => {
      return { path, roots: this.readTerraform(text).roots };
    });
  }

  /** Values that are not read are not known. */
  private cut(path: string): void {
    if (!this.isCut) this.report.unread(path, 'terraform', MODULE_CUT, 'medium');
    this.isCut = true;
  }

  /** Files that the change adds. */
  private added(isMeant: (path: string) => boolean): { path: string; text: string }[] {
    return this.files.flatMap((file) => {
      const isNew = file.change === 'added' && isMeant(file.path);
      const [piece, ...more] = isNew ? piecesOf(this.bytes, file) : [];
      return piece === undefined || more.length > 0 ? [] : [{ path: file.path, text: piece.text }];
    });
  }
}

function rootsOf(files: readonly ModuleFile[], isMeant: (path: string) => boolean): Node[] {
  return files.flatMap(({ path, roots }) => (isMeant(path) ? roots : []));
}

function isTerraform(name: string): boolean {
  return /^[^/]+\.(?:tf|tofu)$/i.test(name);
}
