import type { Pattern } from '../../model/rules.ts';
import { TESTS } from './allowlists.ts';
import { DOCUMENT_TAG, PIPELINES, PROSE } from './paths.ts';

const raw = String.raw;

const COMMENTS = {
  description: 'comments',
  regexTarget: 'line',
  regexes: [raw`^\s*(?:#|//|\*|<!--|;)`],
} as const;
const PACKAGE_JSON = raw`(?:^|/)package\.json$`;
const ELSEWHERE = otherThan([
  'registry.npmjs.org/',
  'registry.yarnpkg.com/',
  'npm.pkg.github.com/',
  'pkg.pr.new/',
]);

/** Servers of RubyGems, and of Gradle and Python, as far as their names go. */
const RUBYGEMS = wholeHosts('rubygems.org');
const GRADLE = [
  ...['repo.maven.apache.org/', 'repo1.maven.org/', 'plugins.gradle.org/', 'pypi.org/'],
  ...['github.com/', ...wholeHosts('maven.google.com')],
];

/** A host with all that ends it in an address in quotes. */
function wholeHosts(host: string): string[] {
  return [`${host}/`, `${host}"`, `${host}'`];
}

/** Where packages come from, and what they may run when they arrive. */
export const dependencyPatterns = [
  {
    id: 'risk-package-escaped-name',
    description: 'Escaped property name in package.json',
    regex: raw`"(?:[^"\\\n]|\\.)*\\u00[2-7][0-9a-fA-F](?:[^"\\\n]|\\.)*"\s*:`,
    path: PACKAGE_JSON,
    keywords: ['\\u00'],
    severity: 'high',
    message:
      'Nobody writes letters this way but to hide a name, such as that of an install script.',
    fix: 'Write the letters themselves.',
    cwe: 'CWE-506',
    source: 'https://www.rfc-editor.org/rfc/rfc8259#section-7',
    examples: {
      path: 'package.json',
      match: [raw`    "\u0070ostinstall": "node a.js",`, raw`    "post\u0069nstall": "node a.js"`],
      noMatch: [raw`    "postinstall": "node a.js",`, raw`    "description": "caf\u00e9",`],
    },
  },
  {
    id: 'risk-install-script',
    description: 'Package runs a script on install',
    regex: raw`^\s*"(?:preinstall|install|postinstall)"\s*:\s*"`,
    path: PACKAGE_JSON,
    keywords: ['install"'],
    allowlists: [
      TESTS,
      {
        description: 'tools that only set up the work tree',
        regexTarget: 'line',
        regexes: [
          raw`:\s*"(?:husky|lefthook|simple-git-hooks|patch-package|prisma generate|node-gyp rebuild|nuxt prepare|only-allow|npx only-allow)\b`,
        ],
      },
    ],
    tags: [DOCUMENT_TAG],
    severity: 'low',
    message: 'Everybody who installs this runs the script.',
    fix: 'Build before publishing; use prepare for what only the repository needs.',
    cwe: 'CWE-829',
    source: 'https://docs.npmjs.com/cli/v11/using-npm/scripts',
    examples: {
      path: 'package.json',
      match: ['    "postinstall": "node scripts/setup.js",', '    "preinstall": "./check.sh"'],
      noMatch: ['    "prepare": "husky",', '    "postinstall": "patch-package",'],
    },
  },
  {
    id: 'risk-package-bin',
    description: 'Package installs a binary under the name of a common command',
    regex: raw`^\s*"(?:npm|npx|pnpm|yarn|git|bash|sh|sudo|ssh|curl|wget|python3?|pip3?|docker|make)"\s*:\s*"\.{0,2}/?[\w./-]+\.(?:[cm]?js|sh)"`,
    path: PACKAGE_JSON,
    keywords: ['.js"', '.cjs"', '.mjs"', '.sh"'],
    allowlists: [TESTS],
    severity: 'medium',
    message: 'Once this is installed, scripts call it instead of the program of that name.',
    fix: 'Name it after the package.',
    cwe: 'CWE-427',
    source: 'https://docs.npmjs.com/cli/v11/configuring-npm/package-json#bin',
    examples: {
      path: 'package.json',
      match: ['    "git": "./bin/git.js",', '    "npm": "cli.cjs"'],
      noMatch: ['    "acme": "./bin/acme.js",', '    "npm": ">=10"'],
    },
  },
  {
    id: 'risk-build-script-listed',
    description: 'Dependency may run install scripts',
    regex: raw`"(?:onlyBuiltDependencies|trustedDependencies)"\s*:\s*\[`,
    path: PACKAGE_JSON,
    keywords: ['onlybuiltdependencies', 'trusteddependencies'],
    allowlists: [TESTS],
    severity: 'info',
    message: 'An attacker who takes over this package runs code on every machine that installs it.',
    fix: 'List what needs its scripts, and nothing else.',
    cwe: 'CWE-829',
    source: 'https://pnpm.io/settings#onlybuiltdependencies',
    examples: {
      path: 'package.json',
      match: ['    "onlyBuiltDependencies": ["esbuild"]', '  "trustedDependencies": ["sharp"]'],
      noMatch: ['    "neverBuiltDependencies": ["sharp"]', '  "dependencies": {'],
    },
  },
  {
    id: 'risk-npm-override',
    description: 'Dependency is overridden for all packages',
    regex: raw`"(?:overrides|resolutions)"\s*:\s*\{\s*"`,
    path: PACKAGE_JSON,
    keywords: ['overrides', 'resolutions'],
    allowlists: [TESTS],
    severity: 'info',
    message: 'Every package that depends on it gets another version or source than it asks for.',
    fix: 'Say why, and until when.',
    cwe: 'CWE-829',
    source: 'https://docs.npmjs.com/cli/v11/configuring-npm/package-json#overrides',
    examples: {
      path: 'package.json',
      match: ['  "overrides": {"lodash": "4.17.21"}', '  "resolutions": { "lodash": "4.17.21" }'],
      noMatch: ['  "override": {"lodash": "4.17.21"}', '  "dependencies": {"lodash": "4.17.21"}'],
    },
  },
  {
    id: 'risk-npm-foreign-source',
    description: 'npm package from outside a registry',
    regex: raw`^\s*"(?:@[\w.-]+/)?[\w.-]+"\s*:\s*"(?:git(?:\+\w+)?://|git\+(?:ssh|https?):|git@|http://|https?://[^"]+\.(?:tgz|tar\.gz)|(?:github|gitlab|bitbucket|gist):)`,
    path: PACKAGE_JSON,
    keywords: ['"git', '"http', '"gist:', '"bitbucket:'],
    allowlists: [
      TESTS,
      {
        description: 'addresses of the project itself',
        regexTarget: 'match',
        regexes: [
          raw`^\s*"(?:url|homepage|repository|bugs|funding|type|author|email|registry|\$schema)"`,
        ],
      },
    ],
    severity: 'low',
    message: 'No registry holds this version: it can change or vanish, and its scripts are run.',
    fix: 'Use a published version, or pin the full SHA of a commit.',
    cwe: 'CWE-829',
    source: 'https://docs.npmjs.com/cli/v11/configuring-npm/package-json#git-urls-as-dependencies',
    examples: {
      path: 'package.json',
      match: [
        '    "left-pad": "git+https://git.acme.io/left-pad.git",',
        '    "tool": "github:acme/tool#main"',
        '    "a": "http://acme.io/a.tgz"',
      ],
      noMatch: [
        '    "left-pad": "^1.3.0",',
        '    "url": "git+https://github.com/acme/app.git"',
        '    "homepage": "https://acme.io"',
      ],
    },
  },
  {
    id: 'risk-dependency-unpinned',
    description: 'Unpinned dependency',
    regex: raw`^\s*"(?:@[\w.-]+/)?[\w.-]+"\s*:\s*"(?:latest|next|>=?\s*0(?:\.0)*)"`,
    path: PACKAGE_JSON,
    keywords: ['"latest"', '"next"', '">=0', '">= 0', '">0'],
    allowlists: [
      TESTS,
      {
        description: 'no dependency',
        regexTarget: 'match',
        regexes: [raw`"(?:tag|node|npm|name|version|defaultBranch|distTag)"`],
      },
    ],
    severity: 'low',
    message: 'Whatever is published tomorrow, by whomever, is installed.',
    fix: 'Name a range, and commit the lockfile.',
    cwe: 'CWE-1357',
    source: 'https://docs.npmjs.com/cli/v11/configuring-npm/package-json#dependencies',
    examples: {
      path: 'package.json',
      match: ['    "left-pad": "latest",', '    "@acme/tool": ">=0.0.0"'],
      noMatch: ['    "left-pad": "^1.3.0",', '    "tag": "latest"'],
    },
  },
  {
    id: 'risk-lockfile-host',
    description: 'Lockfile resolves a package from another host',
    regex: raw`"?\bresolved"?:? "(?:https?|git\+ssh|git\+https?|git)://${ELSEWHERE}[^"\n]*`,
    target: 'hunk',
    path: raw`(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock)$`,
    keywords: ['resolved'],
    severity: 'low',
    message: 'This package comes from a server of its own; few reviewers read lockfiles.',
    fix: 'Write the lockfile anew from package.json; lower the rule in severities for a registry of yours.',
    cwe: 'CWE-829',
    source: 'https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json',
    examples: {
      path: 'package-lock.json',
      match: [
        '      "resolved": "https://registry.npmjs.org.evil.io/left-pad/-/left-pad-1.3.0.tgz",',
        '  resolved "https://codeload.github.com/acme/tool/tar.gz/main"',
      ],
      noMatch: [
        '      "resolved": "https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz",',
        '  resolved "https://registry.yarnpkg.com/left-pad/-/left-pad-1.3.0.tgz#5b8a"',
      ],
    },
  },
  {
    id: 'risk-lockfile-plain-http',
    description: 'Lockfile resolves a package over plain HTTP or git',
    regex: raw`\bresolved"?:? "(?:http|git)://|^\s*remote: (?:http|git)://|^\s*"url": "http://[^"]+\.(?:zip|tgz|tar\.gz|git)"|\burl = "http://|^\s*source = "(?:registry\+|git\+)http://`,
    path: raw`(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|Gemfile\.lock|composer\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|Cargo\.lock)$`,
    keywords: ['"http://', '"git://', 'remote: http:', 'remote: git:', '+http://'],
    severity: 'medium',
    message: 'An attacker on the network path chooses what is installed.',
    fix: 'Use https, and write the lockfile anew.',
    cwe: 'CWE-494',
    source: 'https://cwe.mitre.org/data/definitions/494.html',
    examples: {
      path: 'yarn.lock',
      match: [
        '  resolved "http://registry.npmjs.org/a/-/a-1.0.0.tgz#aa"',
        '  remote: http://rubygems.org/',
      ],
      noMatch: [
        '  resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#aa"',
        '  remote: https://rubygems.org/',
      ],
    },
  },
  {
    id: 'risk-registry-changed',
    description: 'Package registry changes',
    regex: raw`^\s*(?:"?(?:@[\w.-]+:)?registry"?\s*[=:]?\s*["']?https?://${otherThan(['registry.npmjs.org/', 'registry.yarnpkg.com/', 'npm.pkg.github.com/'])}|npmRegistryServer:\s*["']?https?://${otherThan(['registry.npmjs.org/', 'registry.yarnpkg.com/'])}|(?:extra-)?index-url\s*=\s*https?://${otherThan(['pypi.org/'])}|replace-with\s*=)`,
    path: raw`(?:^|/)(?:\.npmrc|\.yarnrc(?:\.yml)?|\.pypirc|pip\.conf|pip\.ini|bunfig\.toml|\.?cargo/config(?:\.toml)?)$`,
    keywords: ['registry', 'index-url', 'replace-with'],
    severity: 'medium',
    message: 'From now on that server decides what a package name means.',
    fix: 'Check who runs it, and that names of your own packages are taken there.',
    cwe: 'CWE-829',
    source: 'https://docs.npmjs.com/cli/v11/configuring-npm/npmrc',
    examples: {
      path: '.npmrc',
      match: ['registry=https://npm.evil.io/', '@acme:registry=https://npm.acme.io'],
      noMatch: ['registry=https://registry.npmjs.org/', 'save-exact=true'],
    },
  },
  {
    id: 'risk-package-server',
    description: 'Manifest names another package server',
    regex: raw`(?:^|[\s;])source\s*\(?\s*["']https?://${otherThan(RUBYGEMS)}|\bgem\b[^\n#]{0,200}\bsource:\s*["']https?://${otherThan(RUBYGEMS)}|\bmaven\s*\(\s*(?:url\s*=\s*)?(?:uri\()?["']https?://${otherThan(GRADLE)}|(?:^|[\s{(;])url\s*(?:[=(]\s*|\s)(?:uri\()?["']https?://${otherThan(GRADLE)}|^\s*(?:extra-)?index-url\s*=\s*\[?\s*["']https?://${otherThan(['pypi.org/'])}|(?:^|[\s{])"type"\s*:\s*"(?:composer|vcs|git|artifact)"|<(?:repositories|pluginRepositories|mirror)>`,
    path: raw`(?:^|/)(?:Gemfile|gems\.rb|[^/]+\.gradle(?:\.kts)?|pyproject\.toml|uv\.toml|Pipfile|composer\.json|pom\.xml|settings\.xml)$`,
    keywords: [
      'source',
      'url',
      'maven',
      '"type"',
      '<repositories',
      '<pluginrepositories',
      '<mirror',
    ],
    allowlists: [TESTS, COMMENTS],
    severity: 'medium',
    message: 'From now on that server decides what some package names mean.',
    fix: 'Check who runs it, and name the packages that come from there and nowhere else.',
    cwe: 'CWE-829',
    source: 'https://docs.gradle.org/current/userguide/filtering_repository_content.html',
    examples: {
      path: 'Gemfile',
      match: [
        'source "https://gems.evil.io" do',
        'source "https://rubygems.org.evil.io"',
        'gem "acme", "1.0", source: "https://gems.evil.io"',
        '    maven { url "https://m2.evil.io/releases" }',
        'repositories { maven { url = uri("https://maven.google.com.evil.io") } }',
        '    maven("https://m2.evil.io")',
        'url = "https://pypi.evil.io/simple"',
        '        {"type": "composer", "url": "https://evil.io"}',
        '"repositories": [{"type":"composer","url":"https://evil.io"}]',
        '  <pluginRepositories>',
      ],
      noMatch: [
        'source "https://rubygems.org"',
        'gem "acme", source: "https://rubygems.org/"',
        '    maven("https://repo.maven.apache.org/maven2")',
        '    maven { url = uri("https://maven.google.com") }',
        '    maven { url "https://plugins.gradle.org/m2/" }',
        'url = "https://pypi.org/simple"',
        '    "type": "library",',
        '  <repository>',
      ],
    },
  },
  {
    id: 'risk-package-checksum-off',
    description: 'Package manager does not check checksums',
    regex: raw`^\s*checksumBehavior:\s*["']?(?:update|ignore|reset)\b|^\s*enableHardenedMode:\s*["']?false\b|^\s*(?:YARN_CHECKSUM_BEHAVIOR|NPM_CONFIG_VERIFY_STORE_INTEGRITY)\s*[:=]\s*["']?(?:update|ignore|reset|false)\b`,
    path: raw`(?:^|/)(?:\.yarnrc\.yml|[^/]+\.(?:sh|ya?ml)|[^/]*Dockerfile[^/]*)$`,
    keywords: [
      'checksumbehavior',
      'enablehardenedmode',
      'yarn_checksum_behavior',
      'verify_store_integrity',
    ],
    allowlists: [TESTS, COMMENTS],
    severity: 'medium',
    message: 'An archive that somebody replaced is installed without an error.',
    fix: 'Keep throw, and write the lockfile again where a checksum is wrong.',
    cwe: 'CWE-353',
    source: 'https://yarnpkg.com/configuration/yarnrc#checksumBehavior',
    examples: {
      path: '.yarnrc.yml',
      match: ['checksumBehavior: update', 'enableHardenedMode: false'],
      noMatch: ['checksumBehavior: throw', 'enableHardenedMode: true'],
    },
  },
  {
    id: 'risk-build-command',
    description: 'Build tool runs a program that the manifest names',
    regex: raw`^\s*(?:rustc|rustdoc|rustc-wrapper|rustc-workspace-wrapper|runner|linker)\s*=|^\s*"(?:pre|post)-(?:(?:install|update)-cmd|autoload-dump|package-(?:install|update))"\s*:|<artifactId>\s*(?:exec-maven-plugin|maven-antrun-plugin|groovy-maven-plugin|gmavenplus-plugin)\s*<|^\s*<extension>|^\s*backend-path\s*=|"packageManager"\s*:\s*"[\w-]+@https?:`,
    path: raw`(?:^|/)(?:\.?cargo/config(?:\.toml)?|composer\.json|package\.json|pom\.xml|\.mvn/extensions\.xml|pyproject\.toml)$`,
    keywords: [
      'rustc',
      'rustdoc',
      'runner',
      'linker',
      '-cmd"',
      '-autoload-dump"',
      '-package-',
      '-maven-plugin',
      'maven-antrun-plugin',
      'gmavenplus-plugin',
      '<extension>',
      'backend-path',
      'packagemanager',
    ],
    allowlists: [TESTS, COMMENTS],
    severity: 'low',
    message: 'Everybody who builds this runs the program.',
    fix: 'Read what it runs; a build of a fork should not run it.',
    cwe: 'CWE-829',
    source: 'https://doc.rust-lang.org/cargo/reference/config.html#buildrustc-wrapper',
    examples: {
      path: 'pom.xml',
      match: [
        'rustc-wrapper = "./tools/wrap.sh"',
        '        "post-install-cmd": "php setup.php",',
        '        <artifactId>exec-maven-plugin</artifactId>',
        '  <extension>',
        'backend-path = ["."]',
        '  "packageManager": "pnpm@https://evil.io/pnpm.tgz"',
      ],
      noMatch: [
        'jobs = 2',
        '        "test": "phpunit",',
        '        <artifactId>maven-jar-plugin</artifactId>',
        '  "packageManager": "pnpm@9.15.9"',
      ],
    },
  },
  {
    id: 'risk-pip-index',
    description: 'pip uses an extra index or an untrusted host',
    regex: raw`(?:^|\s)--(?:extra-index-url|trusted-host)[= ]|^\s*(?:extra-index-url|trusted-host)\s*=|\bPIP_(?:EXTRA_INDEX_URL|TRUSTED_HOST)["']?\s*[:=]`,
    path: raw`(?i)(?:^|/)(?:[^/]*requirements[^/]*\.(?:txt|in)|pip\.conf|pip\.ini|[^/]*Dockerfile[^/]*|Makefile|tox\.ini|[^/]+\.(?:sh|ya?ml|toml))$`,
    keywords: ['extra-index-url', 'trusted-host', 'pip_extra_index_url', 'pip_trusted_host'],
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'the index of PyTorch, which its manual asks for',
        regexTarget: 'line',
        regexes: [raw`https://download\.pytorch\.org/`],
      },
    ],
    severity: 'medium',
    message:
      'pip takes the highest version of either index: a package published under the name wins.',
    fix: 'One --index-url that serves both, or pinned hashes.',
    cwe: 'CWE-427',
    source: 'https://pip.pypa.io/en/stable/cli/pip_install/#cmdoption-extra-index-url',
    examples: {
      path: 'requirements.txt',
      match: [
        '--extra-index-url https://pypi.acme.io/simple',
        'RUN pip install --trusted-host pypi.acme.io tool',
      ],
      noMatch: [
        '--index-url https://pypi.org/simple',
        '# --extra-index-url https://pypi.acme.io/simple',
      ],
    },
  },
  {
    id: 'risk-package-tls-off',
    description: 'Package manager without TLS verification',
    regex: raw`^\s*strict-ssl\s*=?\s*["']?false\b|\bstrict[-_]ssl\s+false\b|\benableStrictSsl:\s*false\b|^\s*"(?:secure-http|disable-tls)"\s*:\s*(?:false|true)|^\s*source\s+["']http://|<url>\s*http://[^<]*(?:repo|maven|nexus|artifactory)|\bmaven\s*\{\s*url\s*[=(]?\s*(?:uri\()?["']http://|\b(?:isA|a)llowInsecureProtocol\s*=\s*true\b|\bnpm_config_strict_ssl\s*[:=]\s*["']?false|:ssl_verify_mode:\s*0|allowInsecureConnections\s*=\s*"true"`,
    path: raw`(?i)(?:^|/)(?:\.npmrc|\.yarnrc(?:\.yml)?|composer\.json|Gemfile|\.gemrc|pom\.xml|settings\.xml|nuget\.config|[^/]+\.(?:gradle|kts|sh|ya?ml|xml)|[^/]*Dockerfile[^/]*)$`,
    keywords: [
      'strict-ssl',
      'strict_ssl',
      'strictssl',
      'secure-http',
      'disable-tls',
      'http://',
      'insecureprotocol',
      'ssl_verify_mode',
      'allowinsecureconnections',
    ],
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'composer’s defaults; this machine',
        regexTarget: 'match',
        regexes: [raw`"disable-tls"\s*:\s*false|"secure-http"\s*:\s*true|//(?:localhost|127\.)`],
      },
    ],
    severity: 'medium',
    message: 'An attacker on the network path chooses what is installed.',
    fix: 'Use https and the CA of your registry.',
    cwe: 'CWE-295',
    source: 'https://docs.npmjs.com/cli/v11/using-npm/config#strict-ssl',
    examples: {
      path: '.npmrc',
      match: [
        'strict-ssl=false',
        "source 'http://rubygems.org'",
        '  <url>http://repo.acme.io/maven2</url>',
      ],
      noMatch: [
        'strict-ssl=true',
        "source 'https://rubygems.org'",
        '  <url>https://repo.acme.io/maven2</url>',
      ],
    },
  },
  {
    id: 'risk-go-checksum-off',
    description: 'Go checksum database is disabled',
    regex: raw`\bGONOSUMCHECK\s*[:=]\s*["']?1|\bGOSUMDB["']?\s*[:=]\s*["']?off\b|\bGO(?:NOSUMDB|INSECURE)["']?\s*[:=]\s*["']?[^\s"']|\bGOFLAGS["']?\s*[:=].*-insecure\b|\bGOFLAGS["']?\s*[:=].*-mod=mod\b.*GOSUMDB|\bgo\s+get\s+-insecure\b`,
    path: raw`(?i)(?:^|/)(?:[^/]*Dockerfile[^/]*|(?:GNU)?Makefile|[^/]+\.(?:sh|ya?ml|mk|env))$`,
    keywords: ['gonosum', 'gosumdb', 'goinsecure', 'goflags', 'go get -insecure'],
    allowlists: [TESTS, COMMENTS],
    severity: 'medium',
    message: 'A module can be replaced without anybody noticing.',
    fix: 'GOPRIVATE for your own modules only.',
    cwe: 'CWE-494',
    source: 'https://go.dev/ref/mod#checksum-database',
    examples: {
      path: 'Dockerfile',
      match: ['ENV GOSUMDB=off', 'export GOINSECURE=git.acme.io'],
      noMatch: ['ENV GOPRIVATE=git.acme.io', 'ENV GOSUMDB=sum.golang.org'],
    },
  },
  {
    id: 'risk-go-replace',
    description: 'Go module is replaced',
    regex: raw`^\s*(?:replace\s+)?[\w.-]+\.[a-z]+/[\w./-]+(?:\s+v[\w.+-]+)?\s+=>\s+[\w.-]+\.[a-z]+/`,
    path: raw`(?:^|/)go\.(?:mod|work)$`,
    keywords: ['=>'],
    severity: 'low',
    message: 'Code of another author is built under the name of the original.',
    fix: 'Say why, and until when.',
    cwe: 'CWE-829',
    source: 'https://go.dev/ref/mod#go-mod-file-replace',
    examples: {
      path: 'go.mod',
      match: [
        'replace github.com/acme/lib => github.com/other/lib v1.0.1',
        '\tgolang.org/x/net v0.1.0 => example.com/fork/net v0.1.1',
      ],
      noMatch: ['replace github.com/acme/lib => ../lib', 'require github.com/acme/lib v1.0.0'],
    },
  },
  {
    id: 'risk-python-direct-url',
    description: 'Python dependency from a direct URL',
    regex: raw`^\s*(?:-e\s+)?(?:[\w.\[\],-]+\s*@\s*)?(?:git|hg|svn|bzr)\+\w+://|^\s*(?:-e\s+)?(?:[\w.\[\],-]+\s*@\s*)?http://|^\s*["']?[\w.\[\],-]+\s*@\s*(?:git\+)?https?://|^(?:-e )?https://\S+\.(?:whl|zip|tgz|tar\.gz)\b`,
    path: raw`(?i)(?:^|/)(?:[^/]*requirements[^/]*\.(?:txt|in)|[^/]*constraints[^/]*\.txt|pyproject\.toml|setup\.(?:py|cfg))$`,
    keywords: ['git+', 'hg+', 'svn+', 'bzr+', 'http://', 'https://'],
    allowlists: [TESTS, COMMENTS],
    severity: 'low',
    message: 'No index holds this version: it can change or vanish, and its setup is run.',
    fix: 'Use a published version, or pin the full SHA of a commit and a hash.',
    cwe: 'CWE-829',
    source: 'https://pip.pypa.io/en/stable/topics/vcs-support/',
    examples: {
      path: 'requirements.txt',
      match: [
        'git+https://git.acme.io/tool.git',
        'tool @ https://acme.io/tool-1.0.tar.gz',
        'https://acme.io/tool-1.0-py3-none-any.whl',
      ],
      noMatch: [
        'tool==1.0',
        'url = https://acme.io/tool.zip',
        '# git+https://git.acme.io/tool.git',
      ],
    },
  },
  {
    id: 'risk-build-scripts-allowed',
    description: 'All packages may run install scripts',
    regex: raw`\bdangerouslyAllowAllBuilds["']?\s*[:=]\s*["']?true\b|^\s*ignore-scripts\s*=\s*false\b|^\s*enableScripts:\s*true\b|^\s*unsafe-perm\s*=\s*true\b|--unsafe-perm\b|^\s*(?:strict-dep-builds|verify-store-integrity|audit)\s*[=:]\s*false\b`,
    path: raw`(?i)(?:^|/)(?:\.npmrc|\.yarnrc\.yml|pnpm-workspace\.yaml|package\.json|[^/]*Dockerfile[^/]*|[^/]+\.sh)$`,
    keywords: [
      'dangerouslyallowallbuilds',
      'ignore-scripts',
      'enablescripts',
      'unsafe-perm',
      'strict-dep-builds',
      'verify-store-integrity',
      'audit',
    ],
    allowlists: [TESTS, COMMENTS],
    severity: 'low',
    message: 'One package that was taken over runs its code on every machine that installs.',
    fix: 'List the packages that may.',
    cwe: 'CWE-829',
    source: 'https://pnpm.io/settings#dangerouslyallowallbuilds',
    examples: {
      path: '.npmrc',
      match: ['dangerouslyAllowAllBuilds=true', 'unsafe-perm=true', 'audit=false'],
      noMatch: ['ignore-scripts=true', 'audit=true', 'unsafe-perm=false'],
    },
  },
  {
    id: 'risk-wrapper-source',
    description: 'Build tool wrapper downloads from another server',
    regex: raw`^\s*distributionUrl\s*=\s*https?\\?://${otherThan(['services.gradle.org/', 'repo.maven.apache.org/', 'repo1.maven.org/'])}|^\s*distributionUrl\s*=\s*http\\?://`,
    path: raw`(?:^|/)(?:gradle-wrapper|maven-wrapper)\.properties$`,
    keywords: ['distributionurl'],
    severity: 'medium',
    message: 'Every build runs what that server sends.',
    fix: 'Name its SHA-256 too: distributionSha256Sum.',
    cwe: 'CWE-494',
    source: 'https://docs.gradle.org/current/userguide/gradle_wrapper.html#sec:verification',
    examples: {
      path: 'gradle/wrapper/gradle-wrapper.properties',
      match: [
        raw`distributionUrl=https\://dl.evil.io/gradle-8.9-bin.zip`,
        raw`distributionUrl=http\://services.gradle.org/distributions/gradle-8.9-bin.zip`,
      ],
      noMatch: [
        raw`distributionUrl=https\://services.gradle.org/distributions/gradle-8.9-bin.zip`,
        'distributionSha256Sum=aa',
      ],
    },
  },
  {
    id: 'risk-npx-unpinned',
    description: 'CI runs an unpinned tool',
    regex: raw`\b(?:npx|pnpm\s+dlx|yarn\s+dlx|bunx)\s+(?:-y\s+|--yes\s+)?(?:@[\w.-]+/)?[\w.-]+@(?:latest|next|canary)\b|\b(?:npm|pnpm|yarn)\s+(?:i|install|add)\s+(?:-g\s+|--global\s+|global\s+)[\w@/.-]+@latest\b`,
    path: PIPELINES,
    keywords: ['@latest', '@next', '@canary'],
    allowlists: [COMMENTS, { description: 'prose', paths: [PROSE] }],
    severity: 'info',
    message: 'A tool that was taken over yesterday runs here today, with the secrets of the build.',
    fix: 'Make it a development dependency, so that the lockfile pins it.',
    cwe: 'CWE-1357',
    source: 'https://docs.npmjs.com/cli/v11/commands/npx',
    examples: {
      path: '.github/workflows/ci.yml',
      match: ['      - run: npx semantic-release@latest', '        run: npm install -g npm@latest'],
      noMatch: ['      - run: npx semantic-release@24.2.0', '      - run: npm ci'],
    },
  },
] satisfies readonly Pattern[];

/**
 * An expression for the beginning of a text that none of `known` begins: RE2 has no look-ahead.
 * Its match is the part that `known` has in common with the text and one character more.
 */
function otherThan(known: readonly string[]): string {
  const byFirst = new Map<string, string[]>();
  for (const text of known) {
    const first = text[0];
    // The end of a known text: whatever follows is known.
    if (first === undefined) return raw`[^\s\S]`;
    byFirst.set(first, [...(byFirst.get(first) ?? []), text.slice(1)]);
  }
  const firsts = [...byFirst.keys()].map((first) => first.replace(/[-./]/, '\\$&'));
  const longer = [...byFirst].map(([first, rests]) => {
    return `${first.replace('.', '\\.')}${otherThan(rests)}`;
  });
  return `(?:[^${firsts.join('')}\\s"']|${longer.join('|')})`;
}
