import type { Allowlist } from '../../model/rules.ts';

const raw = String.raw;

export const CWE = 'CWE-798';
export const FIX =
  'Revoke it, issue a new one, and read it from the environment or a secret store.';
export const CWE_798 = 'https://cwe.mitre.org/data/definitions/798.html';

/** Quotes as code writes them, JSON within strings (`\"`), and HTML (`&quot;`). */
const QUOTE = raw`(?:\\{0,3}["'\x60]|&(?:quot|apos|#0?3[49]|#x2[27]);)`;

/** Operators that give a name its value or compare them, a type annotation included. */
const OPERATOR = raw`:\s{0,4}[\w.<>\[\]?|& ]*?=|::=|=>|[!=]==?|(?:\.|\?\??|\|\||\+)?=|:`;

/** What may open a list or a call before its first literal: `[`, `List.of(`, `[]string{`. */
const OPENER = raw`(?:new\s)?(?:\[\])?[\w.]*(?:\[\])?\s?[(\[{]\s{0,4}`;

/**
 * What stands between a name and a quoted value in any of the common languages: closing quotes and
 * brackets of the name, an operator, the start of a list or call, a value to be preferred
 * (`env.KEY || `), and the prefix of a string.
 */
export const SEPARATOR = raw`(?:(?:${QUOTE}|[\])]){0,3}\s{0,12}(?:${OPERATOR}|\.(?:equals|set)\()|${QUOTE}\s{0,4},|\()\s{0,12}(?:${OPENER})?(?:[\w.$]+(?:\[["']\w+["']\])?\s{0,2}(?:\|\||\?\?|\?:|or)\s{0,2})?[@$bBfFrRuULN]{0,2}`;

/** A quoted value without blanks, of at least so many characters. */
export const quoted = (least: number) => raw`${QUOTE}([^"'\x60\s\\]{${least},}?)${QUOTE}`;

/** Names of passwords, and of other credentials; more may stand before and behind. */
export const PASSWORD_NAME = raw`(?:passw(?:or)?d|passphrase|passcode|passkey|pwd|(?:\b|_)pass(?:\b|_)|(?-i:[a-z]Pass\b))`;
export const SECRET_NAME = raw`(?:secret|api_?-?key|auth_?-?(?:key|token)|access_?-?key|private_?-?key|token|credential|app_?-?key|(?:encrypt(?:ion)?|signing|signature|hmac|aes|master|session|cookie|jwt|shared|storage|account|subscription|license|consumer|client|service|deploy|admin|root|server|webhook|hash|crypto?)_?-?(?:key|salt)|bearer)`;

/** Where values are made up more often than not. */
export const TESTS: Allowlist = {
  description: 'made for a test or an example',
  paths: [
    raw`(?i)(?:^|/)(?:tests?|__tests__|__mocks__|specs?|e2e|fixtures?|testdata|mocks?|playgrounds?|examples?|samples?)(?:/|$)|[._-](?:test|spec|e2e|fixture|mock)\.[a-z]{1,4}$|(?:^|/)test_[^/]*\.py$|_test\.go$`,
  ],
};

/** Where names are followed by unquoted values: configuration and shell, not expressions. */
export const CONFIG_PATHS = raw`(?i)(?:^|/)(?:[^/]*\.(?:ya?ml|properties|props|ini|conf|cnf|cfg|config|toml|env|envrc|sh|bash|zsh|ksh|bat|cmd|ps1|tfvars|hcl|service|credentials|pgpass|secrets?|txt|md|log|example|sample|template|local|production|development|staging)|\.env[^/]*|[^/]*Dockerfile[^/]*|Makefile|[^/.]+|\.(?:[a-z]+rc|s3cfg|boto))$`;

/** Generated, translated or drawn: what looks random there is something else. */
export const QUIET_PATHS: Allowlist = {
  description: 'lock files, translations, style, pictures, minified and generated text',
  paths: [
    raw`(?i)(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.ya?ml|bun\.lockb?|composer\.lock|cargo\.lock|gemfile\.lock|poetry\.lock|uv\.lock|pdm\.lock|pipfile\.lock|go\.sum|flake\.lock|packages\.lock\.json|podfile\.lock)$`,
    raw`(?i)(?:^|/)(?:i18n|l10n|locales?|translations?|langs?|messages)/|\.(?:po|pot|arb|xlf|xliff|resx|strings)$`,
    raw`(?i)\.(?:css|scss|sass|less|styl|svg|map|snap|ipynb|lock|sum|csv|tsv|min\.js|bundle\.js|patch|diff)$`,
    raw`(?i)(?:^|/)(?:node_modules|vendor|third_party|dist|\.yarn/(?:releases|plugins|sdks))/`,
  ],
};

/** Parts of values that say that there is no secret. */
const PLACEHOLDERS: Allowlist = {
  description: 'placeholders',
  stopwords: [
    ...['change', 'default', 'dummy', 'example', 'fake', 'insert', 'mock', 'passw', 'redacted'],
    ...['placeholder', 'replace', 'sample', 'secret', 'test', 'todo', 'your', 'foobar', 'foo-bar'],
    ...['lorem', 'xxxx', '....', '****', '1234567', '12345', 'abcdef', 'qwerty', 'asdf', '0000'],
    ...['deadbeef', 'cafebabe', 'invalid', 'undefined', 'null', 'n0t-a', 'not-a', 'supersecret'],
    ...['process.env', 'os.environ', 'getenv', 'import.meta', 'credential', 'hunter2', 'keyboard'],
    ...['letmein', 'username', 'localhost', 'anything', 'whatever', 'something', 'my_', 'my-'],
  ],
};

/** Credentials that specifications use in their examples, and everybody after them. */
const PUBLISHED: Allowlist = {
  description:
    'examples of RFC 5849, 6455, 6749, 6750, OAuth Core 1.0, the S3 guide of 2006, Django REST',
  regexes: [
    raw`^(?:9djdj82h48djs9d2|kkk9d7dh3k39sjv7|j49sk3j29djd|dh893hdasih9|0685bd9184jfhq22|ad180jjd733klru7)$`,
    raw`^(?:dpf43f3p2l4k3l03|kd94hf93k423kf44|hh5s93j4hdidpola|hdhd0244k9j7ao03|nnch734d00sl2jdk|pfkkdhi9sl3r4s00)$`,
    raw`^(?:7Fjfp0ZBr1KtDRbnfVdmIw|2YotnFZFEjr1zCsicMWpAA|tGzv3JOkF0XG5Qx2TlKWIA|SplxlOBeZQQYbYS6WxSbIA|gX1fBat3bV|mF_9\.B5f-4\.1JqM|czZCaGRSa3F0MzpnWDFmQmF0M2JW|dGhlIHNhbXBsZSBub25jZQ==)$`,
    raw`^uV3F3YluFJax1cknvbcGwgjvx4QpvB\+leU8dUj2o$`,
    '^(?:9944b09199c62bcf9418ad846dd0e4bbdfc6ee4b|401f7ac837da42b97f613d789819ff93537bee6a)$',
  ],
};

/**
 * Search-only keys of Algolia's search for documentation, which every reader's browser gets: "it is
 * safe to commit it" (https://docusaurus.io/docs/search#connecting-algolia).
 */
export const DOCUMENTATION_SEARCH: readonly Allowlist[] = [
  {
    description: 'apiKey of 32 hex digits in the settings and templates of documentation tools',
    condition: 'AND',
    paths: [
      raw`(?i)(?:^|/)(?:\.(?:vitepress|vuepress|dumi)/|docusaurus[^/]*\.[cm]?[jt]s$|(?:docs?|documentation)/(?:source/)?_(?:templates|includes|layouts)/[^/]+\.html$|mkdocs\.ya?ml$)`,
    ],
    regexTarget: 'match',
    regexes: [raw`(?i)(?:^|[^\w])api_?-?key["']?\s{0,4}[:=]\s{0,4}["'][0-9a-f]{32}["']$`],
  },
  {
    description: 'the same beside the name of its index',
    regexTarget: 'line',
    regexes: [
      raw`(?i)\bapi_?-?key["']?\s{0,4}[:=]\s{0,4}["'][0-9a-f]{32}["'],\s{0,4}["']?indexName\b`,
    ],
  },
];

/** Values that name, fetch or describe something. */
const EXPRESSIONS: Allowlist = {
  description: 'templates, references, calls, paths, URLs, hashes of passwords, markup',
  regexes: [
    raw`\$\{|\{\{|\}\}|\$\(|%\(|#\{|<%|\{%|^%[A-Za-z_]+%?$|^\$[A-Za-z_]|^&[A-Za-z_]\w*$|^\{[\w.]*\}$`,
    raw`^[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+(?:\(.*|\[.*|;)?$`,
    raw`^[A-Za-z_$][\w$.]*[(\[]`,
    raw`^X(?:-[A-Za-z]+)+$|%[sd](?:[^\w%]|$)`,
    raw`^(?:\.{0,2}/|~/|[A-Za-z]:\\|[a-z][a-z+]{1,9}://|[#@][A-Za-z_][\w./-]*$|[\w-]+(?:\.[\w-]+)+:\d+$|arn:|vault:|ssm:|op://)`,
    raw`^\$(?:2[abxy]|5|6|1|apr1|argon2\w*|pbkdf2\w*|scrypt|y)\$|^\{(?:SSHA|SHA|MD5|CRYPT)\}|^pbkdf2_|^ENC\[|^ENC\(`,
    raw`(?i)\.(?:pem|key|crt|cert|cer|json|ya?ml|txt|env|[cm]?[jt]sx?|py|rb|go|java|php|html?|md|png|svg|sh|com|org|net|io)$`,
    raw`^\^|\.\*|\.\+|\[\^|\\[dws]|<[A-Za-z/!]|\\[nrt]|\\u[0-9a-fA-F]{4}|=>|\|\||&&|\s|%[YmdHMS].?%[YmdHMS]`,
    raw`(?i)^(?:sha(?:1|224|256|384|512)|md5|hmac|rsa|ecdsa|ed25519|aes|hs|rs|es|ps)[-_:/]?\d{0,4}[-_:/]?`,
    raw`^[0-9a-f]{8}-0000-|^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|^[\d.,:+eE_-]+$|^v?\d+\.\d+(?:\.\d+)?`,
  ],
};

/** What stands between a name and its value. */
const ENDS_NAME = raw`["'\x60\])]{0,3}\s{0,8}(?::=|=>|[=:,(>]|value=)`;

/** Names whose value is about a secret, not one. */
const ABOUT_SECRETS: Allowlist = {
  description: 'names of fields, files, addresses, kinds, hashes and limits',
  regexTarget: 'match',
  regexes: [
    raw`(?i)(?:name|names|field|label|id|ids|uri|url|path|file|type|kind|hash|hashed|digest|checksum|sha\d*|regexp?|pattern|hint|title|message|msg|error|prompt|help|policy|strength|length|size|count|limit|expiry|expires?|expiration|ttl|lifetime|format|class|selector|placeholder|input|form|reset|validator|provider|manager|store|ref|version|prefix|suffix|header|algorithm|alg|scope|endpoint|enabled|arn|column|description|public_?key|publishable_?key|site_?key|cache_?key|primary_?key|foreign_?key|partition_?key|sort_?key|i18n_?key|translation_?key|token_?id|address|csrf_?param)${ENDS_NAME}`,
    raw`(?i)(?:next|page|pagination|paging|continuation|continue|change|lock|client|request|idempotency|sync|resume|resumption|upload|cursor|cancel(?:l?ation)?|poll|start|claim|sort|grant|work_?unit|action|task|invalidation|export|import)[_-]?token(?:_?value)?${ENDS_NAME}`,
    raw`^[\w-]*::\w`,
    raw`(?i)(?:ciphertext|encrypted|cipher|wrapped|sealed)(?:_?(?:blob|text|value|data|password|secret|key|token))?${ENDS_NAME}`,
    raw`(?i)(?:token|key)${ENDS_NAME}\s{0,4}\\?["'\x60]?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`,
    raw`(?i)(?:public|publishable|integrity|commit|revision|digest|checksum|etag|fingerprint|csrf|xsrf)[_-]?(?:token|key|secret|hash)?${ENDS_NAME}`,
    raw`(?i)(?:public[_-]?key|csrf[_-]?middleware)[_-]?token${ENDS_NAME}`,
    // The name begins so (`unhashed_`, `not_hashed_` are plain), and no call makes the value:
    // `hashed_password("...")` and `hashed_password = bcrypt("...")` hold the plain text.
    raw`(?i)^(?:[^=:]*[^\w-])?hashed[_-]?(?:token|key|secret|password)["'\x60\])]{0,3}\s{0,8}(?::=|=>|[=:,>])[^(]*$`,
    // The endpoint of Spring Security at the end of a quoted address, and the MD5 sum in the next
    // column of a dump of Nacos: no name of what follows.
    raw`(?i)^check_token["'\x60]\s{0,4},\s{0,4}["'\x60][0-9a-f]{32}["'\x60]$`,
  ],
};

/** What keeps rules on names and values quiet on ordinary code. */
export const QUIET: readonly Allowlist[] = [
  QUIET_PATHS,
  PLACEHOLDERS,
  PUBLISHED,
  EXPRESSIONS,
  ABOUT_SECRETS,
];

/** The same for markup, where a name is itself the value of an attribute. */
export const QUIET_MARKUP: readonly Allowlist[] = [
  QUIET_PATHS,
  PLACEHOLDERS,
  EXPRESSIONS,
  {
    description: 'names of fields, public keys, lifetimes and addresses',
    regexTarget: 'match',
    regexes: [
      raw`(?i)(?:public_?key|publishable|hint|field|label|lifetime|expir\w*|url|uri|path|file|type|class|hash|length|policy)(?:_?token)?["'>]`,
    ],
  },
];

/** The same for values that stand in URLs, headers and commands, where there is no name. */
export const QUIET_VALUES: readonly Allowlist[] = [PLACEHOLDERS, PUBLISHED, EXPRESSIONS];
