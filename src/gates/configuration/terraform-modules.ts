import type { DiffFile } from '../../diff/diff.ts';
import type { Node } from './document.ts';
import { readHcl } from './hcl.ts';
import { DOCUMENTS } from './limits.ts';
import { piecesOf } from './pieces.ts';
import type { Report } from './report.ts';

/** Files by their folders; see `ProgramTree` of gate 2. */
export interface Folders {
  read(paths: readonly string[]): Promise<readonly (string | null)[]>;
  list(folder: string): Promise<readonly string[]>;
}

interface ModuleFile {
  path: string;
  roots: readonly Node[];
}

const MODULE_CUT = `the modules of the change have more than ${DOCUMENTS.MODULE_FILES_MAX} files, so that values of some variables are not known`;

/** Modules of Terraform that the files of a change belong to: values of variables stand there. */
export class TerraformModules {
  private readonly bytes: Uint8Array;
  private readonly files: readonly DiffFile[];
  /** Null: only the files that the change adds are at hand. */
  private readonly program: Readonly<Record<'base' | 'head', Folders>> | null;
  private readonly report: Report;
  private readonly known = new Map<string, Promise<ModuleFile[]>>();
  private fileCount = 0;
  private isCut = false;

  constructor(
    bytes: Uint8Array,
    files: readonly DiffFile[],
    program: Readonly<Record<'base' | 'head', Folders>> | null,
    report: Report,
  ) {
    this.bytes = bytes;
    this.files = files;
    this.program = program;
    this.report = report;
  }

  /** What the other files of the module of a file declare. */
  async around(path: string, side: 'base' | 'head'): Promise<Node[]> {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    const key = `${side} ${folder}`;
    const known = this.known.get(key) ?? this.read(folder, side);
    this.known.set(key, known);
    return (await known).flatMap((file) => (file.path === path ? [] : file.roots));
  }

  private async read(folder: string, side: 'base' | 'head'): Promise<ModuleFile[]> {
    const tree = this.program?.[side];
    const prefix = folder === '' ? '' : `${folder}/`;
    const files = tree == null ? this.addedIn(prefix) : await filesIn(tree, folder, prefix);
    const room = Math.max(0, DOCUMENTS.MODULE_FILES_MAX - this.fileCount);
    this.fileCount += files.length;
    if (files.length > room && !this.isCut) {
      this.report.unread(`${prefix}*.tf`, 'terraform', MODULE_CUT, 'medium');
      this.isCut = true;
    }
    return files.slice(0, room).map(({ path, text }) => ({ path, roots: readHcl(text).roots }));
  }

  private addedIn(prefix: string): { path: string; text: string }[] {
    return this.files.flatMap((file) => {
      const isIn = file.path.startsWith(prefix) && isTerraform(file.path.slice(prefix.length));
      const [piece, ...more] = isIn && file.change === 'added' ? piecesOf(this.bytes, file) : [];
      return piece === undefined || more.length > 0 ? [] : [{ path: file.path, text: piece.text }];
    });
  }
}

function isTerraform(name: string): boolean {
  return /^[^/]+\.(?:tf|tofu)$/i.test(name);
}

async function filesIn(tree: Folders, folder: string, prefix: string) {
  const names = (await tree.list(folder)).filter(isTerraform);
  const paths = names.map((name) => `${prefix}${name}`);
  const texts = await tree.read(paths);
  return paths.flatMap((path, index) => {
    const text = texts[index];
    return text == null ? [] : [{ path, text }];
  });
}
