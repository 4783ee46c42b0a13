import type { Pattern } from '../../model/rules.ts';
import { TESTS } from './allowlists.ts';
import { NATIVE, SHELL } from './paths.ts';

const raw = String.raw;

const COMMENTS = {
  description: 'comments',
  regexTarget: 'line',
  regexes: [raw`^\s*(?:#|//|\*|/\*)`],
} as const;
const SHELL_COMMENTS = {
  description: 'comments',
  regexTarget: 'line',
  regexes: [raw`^\s*#`],
} as const;

/** C, C++ and shell that is dangerous unless what goes in is known. */
export const nativeShellPatterns = [
  {
    id: 'risk-c-gets',
    description: 'Input is read without a limit (C)',
    regex: raw`(?:^|[^\w.>])gets\s*\(\s*[A-Za-z_]|\bscanf\s*\(\s*"[^"\n]*%s|\bfscanf\s*\(\s*\w+\s*,\s*"[^"\n]*%s`,
    path: NATIVE,
    keywords: ['gets', 'scanf'],
    allowlists: [TESTS, COMMENTS],
    severity: 'medium',
    message: 'A longer line overwrites the memory behind the buffer.',
    fix: 'fgets, or a width: %63s.',
    cwe: 'CWE-242',
    source: 'https://cwe.mitre.org/data/definitions/242.html',
    examples: {
      path: 'src/main.c',
      match: ['    gets(line);', '    scanf("%s", name);'],
      noMatch: [
        '    fgets(line, sizeof line, stdin);',
        '    scanf("%63s", name);',
        '    widgets(a);',
      ],
    },
  },
  {
    id: 'risk-c-copy',
    description: 'Unbounded copy or format into a buffer (C)',
    regex: raw`(?:^|[^\w.>:])(?:strcpy|strcat|stpcpy|wcscpy|lstrcpy[AW]?)\s*\(\s*[\w\->.\[\]&*()]+\s*,\s*[A-Za-z_(*]|(?:^|[^\w.>:])v?sprintf\s*\(\s*[\w\->.\[\]&*]+\s*,\s*"[^"\n]*%s`,
    path: NATIVE,
    keywords: ['strcpy', 'strcat', 'stpcpy', 'wcscpy', 'sprintf'],
    allowlists: [TESTS, COMMENTS],
    severity: 'low',
    message: 'A longer text overwrites the memory behind the buffer.',
    fix: 'snprintf with the size of the buffer.',
    cwe: 'CWE-120',
    source: 'https://cwe.mitre.org/data/definitions/120.html',
    examples: {
      path: 'src/main.c',
      match: ['    strcpy(name, argv[1]);', '    sprintf(path, "%s/%s", dir, name);'],
      noMatch: [
        '    strlcpy(name, argv[1], sizeof name);',
        '    snprintf(path, sizeof path, "%s", dir);',
        '    strcpy(name, "x");',
      ],
    },
  },
  {
    id: 'risk-c-format',
    description: 'Non-literal format string (C)',
    regex: raw`(?:^|[^\w.>:])(?:printf|vprintf)\s*\(\s*[A-Za-z_][\w\->.\[\]]*\s*\)|(?:^|[^\w.>:])(?:fprintf|syslog|dprintf)\s*\(\s*[\w\->.]+\s*,\s*[A-Za-z_][\w\->.\[\]]*\s*\)|(?:^|[^\w.>:])snprintf\s*\(\s*[^,\n]+,\s*[^,\n]+,\s*(?:argv\[\d\]|[a-z_]\w*)\s*\)`,
    path: NATIVE,
    keywords: ['printf', 'syslog'],
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'names of constants',
        regexTarget: 'match',
        regexes: [raw`[,(]\s*[A-Z][A-Z0-9_]+\s*\)$`],
      },
    ],
    severity: 'low',
    message: 'A value with %n or %s in it reads and writes memory.',
    fix: 'printf("%s", value).',
    cwe: 'CWE-134',
    source: 'https://cwe.mitre.org/data/definitions/134.html',
    examples: {
      path: 'src/main.c',
      match: ['    printf(argv[1]);', '    syslog(LOG_ERR, message);'],
      noMatch: ['    printf("%s", argv[1]);', '    fprintf(stderr, USAGE);'],
    },
  },
  {
    id: 'risk-c-shell',
    description: 'Dynamic shell command (C)',
    regex: raw`(?:^|[^\w.>])(?:system|popen)\s*\(\s*(?:[A-Za-z_][\w\->.\[\]]*(?:\.c_str\(\))?\s*[,)]|\(?\s*(?:std::)?(?:string\s*\()?"[^"\n]*"\)?\s*\+)`,
    path: NATIVE,
    keywords: ['system', 'popen'],
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'declarations',
        regexTarget: 'match',
        regexes: [raw`\(\s*(?:void|const|int)\b`],
      },
    ],
    severity: 'medium',
    message: 'Anybody who chooses a part of this text can run commands.',
    fix: 'execv or posix_spawn with the arguments.',
    cwe: 'CWE-78',
    source: 'https://cwe.mitre.org/data/definitions/78.html',
    examples: {
      path: 'src/main.cpp',
      match: [
        '    system(command);',
        '    FILE *f = popen(cmd.c_str(), "r");',
        '    system("rm " + path);',
      ],
      noMatch: ['    system("clear");', '    filesystem(path);', '    execv(path, argv);'],
    },
  },
  {
    id: 'risk-shell-eval',
    description: 'Argument or input is evaluated as a command (shell)',
    regex: raw`(?:^|[;&|\s(])eval\s+["']?[^\n]*\$(?:\{?[1-9@*]|\{?(?:REPLY|QUERY_STRING|INPUT\w*)\b)|\b(?:ba|z|da)?sh\s+-c\s+"[^"\n]*\$(?:\{?[1-9@*]|\{?(?:REPLY|QUERY_STRING)\b)|\bxargs\b[^\n|;]*\s(?:ba)?sh\s+-c\s+["'][^"'\n]*\{\}`,
    path: SHELL,
    keywords: ['eval', 'sh -c'],
    allowlists: [TESTS, SHELL_COMMENTS],
    severity: 'medium',
    message: 'Anybody who chooses the argument can run commands.',
    fix: 'Use "$@" as the command itself, or an array.',
    cwe: 'CWE-78',
    source: 'https://www.shellcheck.net/wiki/SC2294',
    examples: {
      path: 'scripts/run.sh',
      match: ['eval "$1"', 'bash -c "deploy $1"', 'eval $@'],
      noMatch: ['eval "$(ssh-agent -s)"', '"$@"', `bash -c 'deploy "$1"' _ "$x"`],
    },
  },
  {
    id: 'risk-shell-errors-ignored',
    description: 'Script continues after errors (shell)',
    regex: raw`^\s*set\s+\+(?:e|o\s+errexit|eu|eux|euo\s+pipefail)\b|^\s*trap\s+(?:''|"")\s+(?:ERR|EXIT|0)\b`,
    path: SHELL,
    keywords: ['set +', 'trap '],
    allowlists: [TESTS],
    severity: 'info',
    message: 'What follows runs even if what came before failed.',
    fix: 'Handle the error of the one command: if ! command; then.',
    source: 'https://www.gnu.org/software/bash/manual/html_node/The-Set-Builtin.html',
    examples: {
      path: 'scripts/run.sh',
      match: ['set +e', '  set +o errexit', "trap '' ERR"],
      noMatch: ['set -e', 'set +x', 'trap cleanup EXIT'],
    },
  },
  {
    id: 'risk-weak-cipher',
    description: 'Weak cipher or hash',
    regex: raw`(?i)\bgetInstance\(\s*"(?:(?:DES|DESede|RC2|RC4|ARCFOUR|Blowfish)(?:/[\w-]+)*|AES|[\w-]+/ECB(?:/[\w-]+)?)"\s*[,)]|\b(?:AES|DES3?|Blowfish)\.MODE_ECB\b|\b(?:des|rc4)\.New(?:TripleDES)?Cipher\(|\bcreate(?:C|Dec)ipher(?:iv)?\(\s*["'](?:des|rc4|rc2|bf|[\w-]+-ecb)\b|\bopenssl_(?:en|de)crypt\([^;\n]*["'](?:des|rc4|rc2|bf|[\w-]+-ecb)\b|\bOpenSSL::Cipher(?:\.new|::Cipher\.new)\(\s*["'](?:des|rc4|[\w-]+-ecb)\b|\bMCRYPT_(?:DES|RC4|MODE_ECB)\b|\bEVP_(?:des_(?:ecb|cbc)|rc4|aes_\d+_ecb)\(|\bmcrypt_encrypt\(|\b(?:md5|sha1)\(\s*\$?(?:this->)?(?:user_?)?passw(?:or)?d\b|\bhashlib\.(?:md5|sha1)\(\s*(?:\w+\.)?passw(?:or)?d\b`,
    path: raw`(?i)\.(?:java|kt|scala|groovy|py|go|[cm]?[jt]sx?|php|rb|c|cc|cpp|h|hpp|cs)$`,
    keywords: [
      'getinstance(',
      'mode_ecb',
      'des.new',
      'rc4.new',
      'createcipher',
      'createdecipher',
      'openssl_',
      'openssl::cipher',
      'mcrypt_',
      'evp_',
      'md5(',
      'sha1(',
    ],
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'keys, not ciphers',
        regexTarget: 'line',
        regexes: [raw`\b(?:KeyGenerator|SecretKeyFactory|AlgorithmParameters|KeyFactory)\b`],
      },
    ],
    severity: 'medium',
    message: 'What this protects can be read or guessed with little effort.',
    fix: 'AES-GCM or ChaCha20-Poly1305; argon2, scrypt or bcrypt for passwords.',
    cwe: 'CWE-327',
    source: 'https://cwe.mitre.org/data/definitions/327.html',
    examples: {
      path: 'src/main/java/app/Crypt.java',
      match: [
        '    Cipher.getInstance("DES/CBC/PKCS5Padding");',
        '    cipher = AES.new(key, AES.MODE_ECB)',
        `    return md5($password);`,
      ],
      noMatch: [
        '    Cipher.getInstance("AES/GCM/NoPadding");',
        '    etag = hashlib.md5(body)',
        '    KeyGenerator.getInstance("AES");',
      ],
    },
  },
] satisfies readonly Pattern[];
