/** A line of a hunk with its marker: "+", "-" or a space. */
export type LineEdit = string;

export interface FileEdit {
  path: string;
  isNew: boolean;
  hunks: readonly (readonly LineEdit[])[];
}

/** The unified diff of some edits. */
export function diffOf(files: readonly FileEdit[]): string {
  return files.map(fileText).join('');
}

function fileText({ path, isNew, hunks }: FileEdit): string {
  const head = [
    `diff --git a/${path} b/${path}`,
    ...(isNew ? ['new file mode 100644', '--- /dev/null'] : [`--- a/${path}`]),
    `+++ b/${path}`,
  ];
  const body = hunks.flatMap((lines, index) => {
    const count = (mark: string) => lines.filter((line) => !line.startsWith(mark)).length;
    const start = isNew ? 0 : 100 * index + 1;
    return [`@@ -${start},${count('+')} +${start === 0 ? 1 : start},${count('-')} @@`, ...lines];
  });
  return `${[...head, ...body].join('\n')}\n`;
}
