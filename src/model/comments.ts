/** How the files of a kind write a comment: what stands before its text, and behind it. */
type Signs = readonly [open: string, close: string];

const SLASHES: Signs = ['// ', ''];
const HASH: Signs = ['# ', ''];
const DASHES: Signs = ['-- ', ''];
const SEMICOLON: Signs = ['; ', ''];
const PERCENT: Signs = ['% ', ''];
const BLOCK: Signs = ['/* ', ' */'];
const MARKUP: Signs = ['<!-- ', ' -->'];

/** By the last extension of a name, in lower case. */
const BY_EXTENSION: ReadonlyMap<string, Signs> = new Map(
  (
    [
      ['js jsx mjs cjs ts tsx mts cts java kt kts scala groovy gradle go rs swift dart', SLASHES],
      ['c cc cpp cxx h hh hpp m mm cs fs fsx zig sol proto php php5 phtml jsonc json5', SLASHES],
      ['scss less sass adoc mod', SLASHES],
      ['py pyi pyw rb rake gemspec sh bash zsh fish ksh yaml yml toml tf tfvars hcl', HASH],
      ['pl pm r jl ex exs nix cmake mk mak ps1 psm1 psd1 graphql awk tcl bzl bazel', HASH],
      ['conf cfg cnf properties env service timer socket npmrc gitignore dockerignore', HASH],
      ['gitattributes dockerfile netrc pypirc htpasswd', HASH],
      ['sql lua hs elm', DASHES],
      ['html htm xhtml xml svg md markdown csproj vbproj fsproj plist xsd xsl vue', MARKUP],
      ['svelte astro jsp jspx', MARKUP],
      ['css', BLOCK],
      ['ini asm s clj cljs cljc lisp el reg', SEMICOLON],
      ['erl tex', PERCENT],
      ['bat cmd', ['REM ', '']],
      ['hbs mustache', ['{{! ', ' }}']],
      ['njk twig jinja jinja2 j2', ['{# ', ' #}']],
      ['erb ejs', ['<%# ', ' %>']],
      ['ml mli', ['(* ', ' *)']],
      ['vb vbs', ["' ", '']],
    ] satisfies [string, Signs][]
  ).flatMap(([extensions, signs]) => extensions.split(' ').map((one) => [one, signs] as const)),
);

/** Whole names, and beginnings of names, whose last extension says nothing. */
const BY_NAME: readonly [RegExp, Signs][] = [
  [/^(?:Dockerfile|Containerfile)(?:\.|$)|\.Dockerfile$|^\.env(?:\.|$)/, HASH],
  [/^(?:GNU)?[Mm]akefile$|^(?:Rakefile|Gemfile|Vagrantfile|Podfile|Brewfile|BUILD)$/, HASH],
  [/^CODEOWNERS$|^(?:.*[-_])?(?:requirements|constraints)[^/]*\.txt$|^CMakeLists\.txt$/, HASH],
  [/Jenkinsfile/, SLASHES],
];

/** Files whose markup and code take different comments. */
const MIXED = /\.(?:html?|xhtml|vue|svelte|astro|jspx?|md|markdown|php5?|phtml)$/i;
const JSX = /\.[jt]sx$/i;

/** A line of a program, in a file that may hold markup as well. */
const CODE = /[;{}(,]\s*$|^\s*(?:const|let|var|if|return|await|function|document|window)\b/;

/**
 * A comment with a text, as a line of the file takes it; null: files of its kind take none, or it
 * is not known which. `excerpt` is the line as far as it is known: it tells markup from code.
 */
export function commentWith(text: string, path: string, excerpt: string | null): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const [, byName] = BY_NAME.find(([shape]) => shape.test(name)) ?? [];
  const signs = byName ?? BY_EXTENSION.get(extension);
  if (signs === undefined) return null;
  const [open, close] = signsAt(signs, name, (excerpt ?? '').trim());
  return `${open}${text}${close}`;
}

function signsAt(signs: Signs, name: string, line: string): Signs {
  if (JSX.test(name) && line.startsWith('<')) return ['{/* ', ' */}'];
  if (!MIXED.test(name) || line === '') return signs;
  if (line.startsWith('<') && !line.startsWith('<?')) return MARKUP;
  return CODE.test(line) && !/\.(?:md|markdown)$/i.test(name) ? SLASHES : signs;
}
