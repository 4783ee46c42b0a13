import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LICENCE } from './modules.mjs';

const LINE = '-'.repeat(80);

/**
 * THIRD-PARTY-NOTICES: every package in the release with the texts of its licence, which it asks
 * to go with every copy. `modules` are in the form of `copyModules`, installed below `root`. Throws
 * when a package neither declares a licence nor has its text.
 */
export function thirdPartyNotices(root, modules, node) {
  const parts = modules.map(({ path, name, version, license }) => {
    const texts = textsOf(join(root, path));
    if (license === null && texts.length === 0) throw new Error(`${path} has no licence`);
    return [`${name} ${version}: ${license ?? 'see its text'}`, ...texts].join('\n\n');
  });
  return [
    'cra brings these programs and libraries, under their own licences.',
    ...parts,
    `Node.js ${node.version}, and what is compiled into it\n\n${readFileSync(node.licence, 'utf8').trim()}`,
  ].join(`\n\n${LINE}\n`);
}

function textsOf(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE.test(entry.name))
    .map(({ name }) => name)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim());
}
