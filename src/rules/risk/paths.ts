const raw = String.raw;

/** Of rules whose id a check of whole documents has as well (`gates/configuration`). */
export const DOCUMENT_TAG = 'cra:document';

/**
 * Of rules about calls that gate 2 follows, too: what they say of a call is low where gate 2 read
 * the whole file, and only written text comes there.
 */
export const CALL_TAG = 'cra:call';

/** Workflows of GitHub and of the hosts that run the same files. */
export const WORKFLOWS = raw`^\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml$`;

/** Workflows and the actions that they use. */
export const ACTIONS = raw`^\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml$|(?:^|/)action\.ya?ml$`;

/** Configuration of the usual build services. */
export const PIPELINES = raw`^\.(?:github|gitea|forgejo)/(?:workflows|actions)/.*\.ya?ml$|(?i)(?:^|/)(?:[^/]*\.gitlab-ci\.ya?ml|action\.ya?ml|azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.yml|buildspec[^/]*\.ya?ml|cloudbuild[^/]*\.ya?ml|\.travis\.yml|\.drone\.yml|appveyor\.yml|[^/]*Jenkinsfile[^/]*)$|^\.(?:circleci|buildkite|woodpecker|gitlab)/.*\.ya?ml$`;

/** What a shell runs: scripts, recipes, and the build files that hold commands. */
export const SCRIPTS = raw`(?i)(?:^|/)(?:[^/]*Dockerfile[^/]*|Containerfile|(?:GNU)?Makefile|Justfile|Taskfile\.ya?ml|Jenkinsfile|Procfile|Vagrantfile|package\.json|[^/]+\.(?:sh|bash|zsh|ksh|ya?ml|mk|tf|bats|service|tpl))$|(?:^|/)\.(?:husky|githooks)/[^/]+$`;

export const DOCKERFILES = raw`(?i)(?:^|/)(?:[^/]*Dockerfile[^/]*|Containerfile)$`;

export const YAML = raw`(?i)\.(?:ya?ml|yaml\.tpl|tpl|json)$`;

export const TERRAFORM = raw`(?i)\.(?:tf|tofu|hcl|tfvars)$`;

/** Infrastructure as code of all kinds. */
export const INFRASTRUCTURE = raw`(?i)\.(?:tf|tofu|hcl|tfvars|ya?ml|json|template|bicep)$`;

/** Configuration files: what is set there changes what a program does without a line of code. */
export const SETTINGS = raw`(?i)\.(?:ya?ml|json|toml|ini|cfg|conf|cnf|env|properties|xml|tfvars|tf)$|(?:^|/)\.env[^/]*$|(?:^|/)settings[^/]*\.py$|(?:^|/)(?:[^/]*Dockerfile[^/]*)$`;

/** SQL files, and files of any kind in folders of migrations. */
export const SQL = raw`(?i)(?:^|/)(?:migrations?|migrate|alembic|flyway|liquibase|db)/|\.sql$`;

export const PYTHON = raw`(?i)\.pyw?$`;
export const PHP = raw`(?i)\.(?:php\d?|phtml|inc)$`;
export const RUBY = raw`(?i)(?:\.(?:rb|rake|erb|ru)|(?:^|/)(?:Rakefile|Gemfile))$`;
export const GO = raw`\.go$`;
export const JVM = raw`(?i)\.(?:java|kt|kts|groovy|scala)$`;
export const NATIVE = raw`(?i)\.(?:c|cc|cpp|cxx|c\+\+|h|hh|hpp|hxx|m|mm)$`;
export const SHELL = raw`(?i)(?:\.(?:sh|bash|zsh|ksh)|(?:^|/)(?:[^/]*Dockerfile[^/]*|Makefile))$|(?:^|/)\.(?:husky|githooks)/[^/]+$`;
export const SCRIPT_CODE = raw`(?i)\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|php|pl|go|java|kt|cs|ps1|lua)$`;

/** Texts for people. */
export const PROSE = raw`(?i)\.(?:md|mdx|rst|adoc|txt|po|pot|arb|xlf|html?|ipynb)$`;

/** Files with tests in them, for rules on tests. */
export const TEST_FILES = raw`(?i)(?:^|/)(?:tests?|__tests__|specs?|e2e|cypress)/|[._-](?:test|spec|cy)\.[cm]?[jt]sx?$`;

/** Tests, examples and documents: code there does not run in production. */
export const REHEARSAL = [
  raw`(?i)(?:^|/)(?:(?:[\w-]*[_-]|unit|functional|integration|acceptance|system|smoke|regression|api|ui)?tests?|(?-i:\w*[a-z0-9]Tests?)|__\w+__|specs?|e2e|[\w-]*fixtures?|testdata|test[_-]?data|mocks?|examples?|samples?|demos?|playgrounds?|docs?(?:[_-]src)?|benchmarks?)/`,
  raw`[._-](?:test|tests|spec|e2e|example|sample)\.\w+$|(?:^|/)(?:test_[^/]*|conftest)\.py$`,
  // By case: Audit.java, Commit.kt and Latest.cs are no tests.
  raw`(?-i:[A-Za-z0-9](?:Tests?|Spec)|[a-z0-9]IT)\.(?:java|kt|scala|groovy|cs|php)$`,
].join('|');

/**
 * Tests, examples and benchmarks of what gate 2 reads. What it finds there is listed
 * and blocks nothing, so only what is certain stands here: no `dist`, `vendor`, `docs` or `demo`.
 * In any case.
 */
export const TEST_CODE = [
  raw`(?:^|/)(?:tests?|testdata|specs?|e2e|__\w+__|fixtures?|examples?|docs?[_-]src|playgrounds?|benchmarks?)/`,
  raw`[.-](?:test|spec|bench|stories)\.\w+$|\.test-d\.ts$`,
  raw`(?:^|/)(?:test_[^/]*|[^/]*_tests?|tests|conftest)\.py$`,
  raw`_test\.go$`,
].join('|');

/** The same by the names of classes, whose case counts: Audit.java and Latest.java are no tests. */
export const TEST_CLASSES = raw`[a-z0-9](?:Tests?|IT|TestCase)\.(?:java|kt|cs)$`;

/** Settings for one's own machine. */
export const LOCAL = raw`(?i)(?:^|[/._-])(?:dev|devel|development|local|debug|ci|testing|sandbox|devcontainer)(?:[/._-]|$)`;

/**
 * What builds, releases and maintains, and is run by its authors: who chooses what goes in can run
 * commands anyway. In any case.
 */
export const BUILDS = raw`(?:^|/)(?:scripts?|tools?|builds?|\.?ci|\.github|\.gitlab|hack|releng|packaging)/|(?:^|/)(?:setup|noxfile|fabfile|conanfile|wscript|build|make|release)(?:[._-][^/]*)?\.(?:py|[cm]?[jt]s|rb|php|groovy|kts?)$|(?:^|/)(?:Rakefile|Gruntfile|Gulpfile|Jakefile)[^/]*$`;
