import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { parseSync } from '@swc/core';

const FOLDERS = ['src', 'workers', 'bench', 'test', 'tools'];
const LITERALS = new Set(['StringLiteral', 'TemplateElement', 'RegExpLiteral']);

/**
 * Reads and parses every TypeScript source, and the scripts of tools/, below a root.
 * A source: `path` (relative, with `/`), `bytes`, `lines`, `nodes` (every syntax node, in order),
 * `imports`, `exports`, `comments`, `isProgram`. Lines are 1-based.
 */
export function readSources(root) {
  return FOLDERS.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => listFiles(root, folder))
    .map((path) => readSource(root, path));
}

/** The Markdown pages that people read: `{path, text}` at the top and in docs/. */
export function readPages(root) {
  const docs = existsSync(join(root, 'docs'))
    ? readdirSync(join(root, 'docs'), { recursive: true }).map((name) => `docs/${name}`)
    : [];
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...docs]
    .filter((path) => path.endsWith('.md') && existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

function listFiles(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : listFiles(root, path);
    return /\.(?:ts|mts|cts|tsx|mjs)$/.test(entry.name) ? [path] : [];
  });
}

function readSource(root, path) {
  const text = readFileSync(join(root, path), 'utf8');
  const bytes = Buffer.from(text);
  const nodes = parse(text, path.endsWith('.tsx'));
  const lineAt = createLineIndex(bytes);
  const lines = text.split('\n');
  const source = { path, bytes, lines, lineAt, nodes: nodes ?? [], isProgram: nodes !== null };
  const comments = findComments(source);
  return { ...source, comments, imports: findImports(source), exports: findExports(source) };
}

/**
 * All nodes with `start` and `end` as byte offsets into the text. SWC counts from wherever its
 * last parse ended and begins a module at its first token, so a `;` is put first to count from.
 * Null when the text is no program.
 */
function parse(text, tsx) {
  try {
    const code = `;${text.replace(/^#!/, '//')}`;
    const [first, ...rest] = parseSync(code, { syntax: 'typescript', tsx, target: 'es2023' }).body;
    const nodes = [];
    collect(rest, first.span.end, nodes, null);
    return nodes;
  } catch {
    return null;
  }
}

function collect(value, base, nodes, parent) {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, base, nodes, parent);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  let owner = parent;
  if (typeof value.type === 'string') {
    value.start = value.span ? value.span.start - base : (parent?.start ?? 0);
    value.end = value.span ? value.span.end - base : (parent?.end ?? 0);
    value.parent = parent;
    nodes.push(value);
    owner = value;
  }
  for (const [key, child] of Object.entries(value)) {
    if (key !== 'parent' && key !== 'span') collect(child, base, nodes, owner);
  }
}

/** Every module specifier: `{specifier, names, isType, line}`; null for a computed one. */
function findImports({ path, nodes, lineAt }) {
  const found = [];
  const add = (node, specifier, isType, names = []) => {
    const target = specifier?.startsWith('.') ? posix.join(dirname(path), specifier) : null;
    found.push({ specifier, target, isType, names, line: lineAt(node.start) });
  };
  for (const node of nodes) {
    if (node.type === 'ImportDeclaration') {
      add(node, node.source.value, isTypeImport(node), importedNames(node));
    } else if (node.type === 'ExportNamedDeclaration' && node.source) {
      add(node, node.source.value, node.typeOnly === true);
    } else if (node.type === 'ExportAllDeclaration') {
      add(node, node.source.value, false);
    } else if (node.type === 'TsImportType') {
      add(node, node.argument.value, true);
    } else if (node.type === 'CallExpression' && node.callee.type === 'Import') {
      const argument = node.arguments[0]?.expression;
      add(node, argument?.type === 'StringLiteral' ? argument.value : null, false);
    }
  }
  return found;
}

function isTypeImport(node) {
  if (node.typeOnly) return true;
  const { specifiers } = node;
  return specifiers.length > 0 && specifiers.every((specifier) => specifier.isTypeOnly === true);
}

/** What is imported by value: names, `default`, or `*`. */
function importedNames({ typeOnly, specifiers }) {
  if (typeOnly) return [];
  return specifiers.flatMap((specifier) => {
    if (specifier.isTypeOnly) return [];
    if (specifier.type === 'ImportNamespaceSpecifier') return ['*'];
    if (specifier.type === 'ImportDefaultSpecifier') return ['default'];
    return [(specifier.imported ?? specifier.local).value];
  });
}

/** Exported functions and classes: `{name, node, line}`, `node` being the whole statement. */
function findExports({ nodes, lineAt }) {
  return nodes.flatMap((node) => {
    if (node.type !== 'ExportDeclaration') return [];
    return namesOf(node.declaration).map((name) => ({ name, node, line: lineAt(node.start) }));
  });
}

function namesOf(declaration) {
  if (declaration.type === 'FunctionDeclaration' || declaration.type === 'ClassDeclaration') {
    return [declaration.identifier.value];
  }
  if (declaration.type !== 'VariableDeclaration') return [];
  return declaration.declarations
    .filter(({ init }) => /^(?:Arrow)?FunctionExpression$/.test(init?.type ?? ''))
    .map(({ id }) => id.value);
}

/** Comments as `{text, line, start, end}`: what looks like one outside of every literal. */
function findComments({ bytes, nodes, lineAt }) {
  const masked = Buffer.from(bytes);
  for (const node of nodes) {
    if (LITERALS.has(node.type)) masked.fill(0x20, node.start, node.end);
  }
  // One byte a character, so that indexes are byte offsets.
  const code = masked.toString('latin1');
  return [...code.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g)].map((match) => {
    const end = match.index + match[0].length;
    const text = bytes.toString('utf8', match.index, end);
    return { text, start: match.index, end, line: lineAt(match.index) };
  });
}

function createLineIndex(bytes) {
  const starts = [0];
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) starts.push(at + 1);
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next === -1 ? starts.length : next;
  };
}
