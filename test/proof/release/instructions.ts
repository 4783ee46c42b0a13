import { readFileSync } from 'node:fs';

/**
 * The commands of a part of a page, as it stands there: its blocks of `sh` below the heading
 * `heading`, joined. Throws when there is none.
 */
function commandsOf(page: string, heading: string): string {
  const text = readFileSync(`docs/${page}`, 'utf8');
  const part = text.split(/^(?=## )/m).find((each) => each.startsWith(`## ${heading}\n`)) ?? '';
  const blocks = [...part.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map(([, indent, block]) =>
    (block ?? '').replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
  if (blocks.length === 0) throw new Error(`docs/${page} has no commands below ${heading}`);
  return blocks.join('');
}

const UPGRADE = 'how-to/upgrade.md';

export const VERIFY = commandsOf(UPGRADE, 'Verify a release');
export const INSTALL = commandsOf(UPGRADE, 'Install it');
export const INTERRUPTED = commandsOf(UPGRADE, 'An interrupted upgrade');
export const BACKUP = commandsOf(UPGRADE, 'Upgrade');
/** The second step says to verify the earlier release as well. */
export const BACK = commandsOf(UPGRADE, 'Back to the version before').replace(
  /^(?=sudo apt install)/m,
  VERIFY,
);
export const UNINSTALL = commandsOf('how-to/uninstall.md', 'The package');

/** The command that the page about Gitea has for its webhook. */
export function webhookCommand(): string {
  const page = readFileSync('docs/how-to/gitea.md', 'utf8');
  const [, command] = /^```sh\n(curl [^`]*\/hooks [^`]*)^```$/m.exec(page) ?? [];
  if (command === undefined) throw new Error('docs/how-to/gitea.md has no command for a webhook');
  return command;
}
