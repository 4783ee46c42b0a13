import { type Entry, entriesOf, type Node, scalarsOf, valuesAt, valuesOf } from './document.ts';
import { type Observation, observe } from './observation.ts';

/** Scripts that an installation runs: of each package that comes in, and of the folder itself. */
const ON_INSTALL = /^(?:pre|post)?install$/;
const ON_OWN_INSTALL =
  /^(?:(?:pre|post)?(?:install|prepare|prepublish)|pnpm:devPreinstall|dependencies)$/;
/** Tools that only set up the work tree. */
const SETUP =
  /^(?:husky|lefthook|simple-git-hooks|patch-package|prisma generate|node-gyp rebuild|nuxt prepare|only-allow|npx only-allow)\b/;
const DOWNLOADS =
  /\b(?:curl|wget|powershell|pwsh|certutil|bitsadmin|Invoke-WebRequest|iwr)\b|\bnode\s+(?:-\S+\s+){0,5}(?:-\w{0,3}[ep]\b|--eval\b|--print\b)|\bphp\s+-r\b|\b(?:--import|-r|--require)[ =]\S?data:|\bpython3?\s+-c\b|\b(?:bun|deno)\s+(?:-e|eval|run\s+https?:)|\bperl\s+-e|\bruby\s+-e|\bbase64\b|https?:\/\/|\/dev\/tcp\/|\beval\s/i;
const FOREIGN =
  /^(?:git(?:\+\w+)?:\/\/|git\+(?:ssh|https?|file):|git@|http:\/\/|https?:\/\/\S+\.(?:tgz|tar\.gz)|https?:\/\/(?!pkg\.pr\.new\/)|(?:github|gitlab|bitbucket|gist):|[\w-]+\/[\w.-]+(?:#\S+)?$)/;
const DEPENDENCIES = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'overrides',
  'resolutions',
];
/** Programs that everybody calls; a package that brings one takes its place in scripts. */
const SYSTEM_PROGRAM =
  /^(?:node|npm|npx|pnpm|yarn|corepack|git|sh|bash|zsh|env|sudo|ssh|curl|wget|python3?|pip3?|docker|make|cat|ls|cp|mv|rm|cd|echo|test|true|kill|tar|grep|sed|awk|gpg|openssl)$/;

/**
 * Checks of package.json. `isPart`: the roots are what hunks show, of which nobody knows the maps
 * around.
 */
export function inspectPackage(roots: readonly Node[], isPart: boolean): Observation[] {
  return roots.flatMap((root) => {
    const inScripts = entriesOf(valuesOf(root, 'scripts'));
    const scripts = isPart ? [...entriesOf([root]), ...inScripts] : inScripts;
    const found = scripts.flatMap(scriptOf);
    for (const { key, value } of isPart ? [] : entriesOf(valuesOf(root, 'bin'))) {
      if (SYSTEM_PROGRAM.test(key)) found.push(observe('risk-package-bin', value, key));
    }
    for (const node of scalarsOf(valuesOf(root, 'gypfile'))) {
      if (node.value === 'true') found.push(observe('risk-install-script', node, 'gypfile'));
    }
    const maps = [
      ...DEPENDENCIES.map((key) => valuesOf(root, key)),
      valuesAt(root, 'pnpm', 'overrides'),
    ];
    for (const entry of maps.flatMap(entriesOf)) found.push(...sources(entry));
    const overridden = ['overrides', 'resolutions'].map((key) => valuesOf(root, key));
    for (const { key, keyStart, value } of [
      ...overridden.flatMap(entriesOf),
      ...entriesOf(valuesAt(root, 'pnpm', 'overrides')),
    ]) {
      found.push(observe('risk-npm-override', { start: keyStart, end: value.end }, key));
    }
    const built = ['dangerouslyAllowAllBuilds'].flatMap((key) => [...valuesAt(root, 'pnpm', key)]);
    for (const node of scalarsOf(built)) {
      if (node.value === 'true') found.push(observe('risk-build-scripts-allowed', node, 'all'));
    }
    const listed = [
      ...valuesAt(root, 'pnpm', 'onlyBuiltDependencies'),
      ...valuesAt(root, 'pnpm', 'neverBuiltDependencies').filter((node) => isEmptyList(node)),
      ...valuesOf(root, 'trustedDependencies'),
    ];
    for (const node of scalarsOf(
      listed.flatMap((one) => (one.kind === 'list' ? one.items : [one])),
    )) {
      found.push(observe('risk-build-script-listed', node, node.value));
    }
    return found;
  });
}

const isEmptyList = (node: Node) => node.kind === 'list' && node.items.length === 0;

function scriptOf({ key, keyStart, value }: Entry): Observation[] {
  const found: Observation[] = [];
  for (const node of scalarsOf([value])) {
    const range = { start: keyStart, end: node.end };
    const match = `${key} ${node.value}`;
    if (ON_OWN_INSTALL.test(key) && DOWNLOADS.test(node.value)) {
      found.push(observe('risk-install-download', range, match));
    }
    if (ON_INSTALL.test(key) && !SETUP.test(node.value.trim())) {
      found.push(observe('risk-install-script', range, match));
    }
  }
  return found;
}

/** Overrides may hold maps of overrides. */
function sources({ key, keyStart, value }: Entry): Observation[] {
  if (value.kind === 'map') return value.entries.flatMap(sources);
  return scalarsOf([value]).flatMap((node) => {
    if (!FOREIGN.test(node.value)) return [];
    const range = { start: keyStart, end: node.end };
    return [observe('risk-npm-foreign-source', range, `${key} ${node.value}`)];
  });
}
