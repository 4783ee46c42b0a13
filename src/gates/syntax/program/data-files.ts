import {
  allOf,
  foldersAround,
  type Located,
  type ProgramTree,
  type SourceFile,
  within,
} from './tree.ts';

/** What names of files with settings begin with, as flows ask for them. */
export const DATA_FILE = 'file:';

/** Folders in which builds put what programs read by its name. */
const RESOURCES = ['', 'src/main/resources', 'resources', 'src/resources', 'config', 'conf'];

/** The file of settings that a program reads by its name: the nearest one of that name. */
export async function locateDataFile(
  tree: ProgramTree,
  importer: SourceFile,
  name: string,
): Promise<Located[]> {
  const file = name.slice(DATA_FILE.length).replace(/^\/+/, '');
  if (!/^[\w./-]+\.(?:properties|ini|cfg)$/.test(file)) return [];
  const paths = foldersAround(importer.path).flatMap((folder) =>
    RESOURCES.flatMap((inner) => within(folder, `${inner}/${file}`) ?? []),
  );
  const [first] = await allOf(tree, [...new Set(paths)]);
  return first === undefined ? [] : [{ module: name, files: [first] }];
}

/**
 * The settings of a file, by their names; in a section of an INI file by `section.name`. A
 * line that goes on in the next one is read up to there.
 */
export function settingsIn(text: string): Map<string, string> {
  const settings = new Map<string, string>();
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const [, header] = /^\[([^\]]*)\]/.exec(line) ?? [];
    if (header !== undefined) section = `${header}.`;
    const [, key = '', value = ''] = /^[ \t]*([^#!;=:\s[][^=:\s]*)[ \t]*[=:](.*)$/.exec(line) ?? [];
    if (key !== '') settings.set(`${section}${key}`, value.trim());
  }
  return settings;
}
