/** What a file is for, as far as its path tells. */
export type FileKind = 'doc' | 'ci' | 'dep' | 'test' | 'mig' | 'code' | 'infra' | 'cfg' | 'other';

/** The first row that fits decides: a test of migrations is a test, documentation is never code. */
const KINDS: readonly (readonly [kind: FileKind, path: RegExp])[] = [
  ['doc', /(?:^|\/)(?:docs?|api-ref|releasenotes)\/|\.(?:md|rst|adoc|txt|html?)$/],
  ['doc', /(?:^|\/)(?:licen[cs]e|copying|notice|authors|changelog|readme|contributing)[^/]*$/],
  ['ci', /^\.github\/workflows\/|(?:^|\/)\.(?:gitlab-ci|travis|circleci|zuul|appveyor)/],
  ['ci', /(?:^|\/)(?:jenkinsfile|azure-pipelines\.ya?ml)$/],
  [
    'dep',
    /(?:^|\/)(?:package|composer)\.json$|[-.]lock(?:\.json|\.yaml)?$|(?:^|\/)go\.(?:mod|sum)$/,
  ],
  ['dep', /(?:^|\/)(?:(?:[^/]*-)?requirements[^/]*\.in|setup\.(?:py|cfg)|pyproject\.toml)$/],
  ['dep', /(?:^|\/)(?:pom\.xml|cargo\.toml|gemfile|makefile|tox\.ini|cmakelists\.txt)$|\.gradle$/],
  ['test', /(?:^|\/)(?:tests?|specs?|testdata|__tests__)\//],
  ['test', /(?:^|\/)test_[^/]*$|[_.-](?:test|spec)s?\.[^/.]+$/],
  ['mig', /(?:^|\/)(?:migrations?|migrate_repo|alembic)\/|(?:^|\/)v\d+__[^/]*$|\.sql$/],
  [
    'code',
    /\.(?:py|go|java|[cm]?[jt]sx?|c|cc|cpp|cxx|h|hh|hpp|cs|rs|rb|php|swift|kt|scala|groovy|m|mm|qml|vue|pl|pm|lua|ex|exs|erl|hs|clj|dart|r|g4|y|l|s|asm)$/,
  ],
  [
    'infra',
    /(?:^|\/)(?:dockerfile[^/]*|helm|charts|terraform|ansible|k8s|bin)(?:\/|$)|\.(?:tf|sh)$/,
  ],
  ['cfg', /\.(?:ya?ml|json|toml|ini|conf|cfg|properties|xml|in)$/],
];

/** Tests of Java and its kin, whose names are told apart by their capitals. */
const TEST_CLASS = /(?:Tests?|IT|Spec)\.(?:java|kt|scala|groovy|cs)$/;

/** The kind of a file. */
export function fileKind(path: string): FileKind {
  const lower = path.toLowerCase();
  for (const [kind, pattern] of KINDS) {
    if (pattern.test(lower)) return kind;
    if (kind === 'mig' && TEST_CLASS.test(path)) return 'test';
  }
  return 'other';
}
