import type { Pattern } from '../../model/rules.ts';
import { fake } from '../fake.ts';
import { START } from './delimited.ts';
import { CWE, FIX } from './generic-values.ts';

const raw = String.raw;

const KEY_BODY = `${fake('MII', 61)}\n${fake('', 64)}`;
const REPLACE_PAIR = 'Replace the key pair, and keep the private key in a secret store.';

/**
 * How a private key begins in base64, by its DER structure: two bytes of tag and length, or three,
 * or four; the version; then what the kind of key has there.
 */
const DER = [
  // PKCS#8 (RFC 5958): the algorithm follows, and for Ed25519, X25519 and their like its OID.
  raw`MII[A-Za-z0-9+/]{2}[AQgw]IBA[DT](?:A[A-Za-z0-9+/]Bg|CCA)`,
  raw`MI[GH][A-Za-z0-9+/]AgE[AB]MB[A-Za-z0-9+/]GByqG`,
  raw`M[A-H][A-Za-z0-9+/]CAQ[AE]w(?:BQYDK2V|E[A-Za-z0-9+/]YHKoZI)`,
  // PKCS#8, encrypted by PBES2 (RFC 8018).
  raw`MII[A-Za-z0-9+/]{2}[DTjz][A-Za-z0-9+/]{2}BgkqhkiG9w0BBQ0w`,
  raw`MI[GH][A-Za-z0-9+/]M[A-H][A-Za-z0-9+/]GCSqGSIb3DQEFDTB`,
  // PKCS#1 (RFC 8017) and the form of DSA keys: the modulus follows.
  raw`MII[A-Za-z0-9+/]{2}[AQgw]IBAA[JK][BC]`,
  // SEC1 (RFC 5915): the key itself follows, of 24 to 66 bytes.
  raw`M[A-H][A-Za-z0-9+/]CAQEE[GHIK]`,
  raw`MI[GH][A-Za-z0-9+/]AgEBB[DE]`,
  // OpenSSH, which is no DER but has a first word of its own.
  'b3BlbnNzaC1rZXktdjEA',
];

/** Bytes in hexadecimal, `..` for any: plain, with blanks or colons, or as C and `xxd -i` do it. */
const hex = (bytes: string) =>
  bytes
    .split(' ')
    .map((byte) => raw`[\s:,]{0,4}(?:0x|\\x)?${byte === '..' ? '[0-9a-f]{2}' : byte}`)
    .join('');

/** The structures of `DER` in hexadecimal: PKCS#8 of RSA, EC and Ed25519, PKCS#1, SEC1. */
const HEX_DER = [
  `(?:${hex('30')}(?:${hex('82 .. ..')}|${hex('81 ..')}|${hex('..')})${hex('02 01')})(?:`,
  `${hex('0[01] 30 .. 06')}(?:${hex('09 2a 86 48 86 f7 0d 01 01')}|${hex('07 2a 86 48 ce 3d 02 01')}`,
  `|${hex('03 2b 65 (?:6[ef]|7[01])')})|${hex('00 02 (?:4[01]|8[12])')}`,
  `|${hex('01 04 (?:18|1c|20|30|42)')})`,
].join('');

/** Private keys and signed tokens, by their published forms. */
export const keyPatterns = [
  {
    id: 'secret-service-account',
    description: 'Private key of a service account (JSON)',
    regex: raw`(?s)"private_key"\s{0,8}:\s{0,8}"(-{5}BEGIN [^"]{100,})".*?"client_email"\s{0,8}:|"client_email"\s{0,8}:\s{0,8}"[^"]{3,}".*?"private_key"\s{0,8}:\s{0,8}"(-{5}BEGIN [^"]{100,})"`,
    keywords: ['"client_email"'],
    target: 'hunk',
    entropy: 3.5,
    severity: 'critical',
    message: 'Anybody who can read the repository can act as this service account.',
    fix: 'Delete this key of the account; use workload identity, or a secret store.',
    cwe: 'CWE-321',
    source: 'https://cloud.google.com/iam/docs/keys-create-delete',
    examples: {
      path: 'deploy/service-account.json',
      match: [
        `{\n  "type": "service_account",\n  "private_key": "-----BEGIN PRIVATE KEY-----\\n${fake('MII', 120)}\\n-----END PRIVATE KEY-----\\n",\n  "client_email": "a@b.iam.gserviceaccount.com"\n}`,
        `{"client_email": "a@b.iam.gserviceaccount.com", "private_key": "-----BEGIN PRIVATE KEY-----\\n${fake('MII', 120)}"}`,
      ],
      noMatch: [
        '{"client_email": "a@b.iam.gserviceaccount.com", "private_key": "..."}',
        `client_email = config["client_email"]; private_key = config["private_key"]`,
      ],
    },
  },
  {
    id: 'secret-private-key',
    description: 'Private key (PEM, OpenSSH, SSH2 or OpenPGP)',
    regex: raw`----[- ]?BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE[\s\\n"'+]{1,8}KEY(?: BLOCK)?[- ]?----((?:[A-Za-z0-9+/=\s\\:,"'.&;()#*|]|-[A-Za-z0-9]){64,})`,
    keywords: ['private key-----', 'private key block-----', 'private key ----'],
    target: 'hunk',
    secretGroup: 1,
    entropy: 3.5,
    allowlists: [
      {
        description: 'words about a key, or a key that was cut short',
        regexes: [
          raw`(?i)\b(?:your|private|content|goes|here|redacted|omitted)\b|\.\.\.|example`,
          // A sentence goes on behind the first line of a key.
          raw`^["'.,;:)\x60]{0,3} ?[a-z]{2,14} [a-z]{2,14}\b`,
        ],
      },
    ],
    severity: 'critical',
    message: 'Anybody who can read the repository can act with this private key.',
    fix: REPLACE_PAIR,
    cwe: 'CWE-321',
    source: 'https://www.rfc-editor.org/rfc/rfc7468',
    examples: {
      match: [
        `-----BEGIN RSA PRIVATE KEY-----\n${KEY_BODY}\n-----END RSA PRIVATE KEY-----`,
        `key: "-----BEGIN PRIVATE KEY-----\\n${fake('', 64)}\\n-----END PRIVATE KEY-----"`,
        `-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: X,0\n\n${KEY_BODY}`,
        `-----BEGIN OPENSSH PRIVATE KEY-----\n${fake('b3Blbn', 64)}\n${fake('', 64)}`,
        `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "x"\n${KEY_BODY}`,
        `k = "-----BEGIN PRIVATE KEY-----\\n" +\n  "${fake('MII', 61)}\\n" +\n  "${fake('', 64)}";`,
      ],
      noMatch: [
        `-----BEGIN PUBLIC KEY-----\n${KEY_BODY}\n-----END PUBLIC KEY-----`,
        '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
        `if (text.includes('-----BEGIN PRIVATE KEY-----')) return;`,
        '// (the "-----BEGIN OPENSSH PRIVATE KEY-----" format that ssh-keygen writes). A password is\n// optional, and nil stands for a key without one.\nfunc WithKeySigning(pem, password []byte) Option {',
        `-----BEGIN RSA PRIVATE KEY-----\nThe content of your private key goes here, all of it, in base64, as it came from the tool\n`,
      ],
    },
  },
  {
    id: 'secret-der-private-key',
    description: 'Private key in base64, known by its DER structure',
    regex: raw`(?:^|[^A-Za-z0-9+/]|\\[nr])((?:${DER.join('|')})[A-Za-z0-9+/]{24,}={0,2})`,
    keywords: [
      ...['ibada', 'ibadc', 'ibaak', 'ibaaj', 'ageamb', 'agebmb', 'caqaw', 'caqew', 'caqee'],
      ...['agebbd', 'agebbe', 'bgkqhkig9w0bbq0w', 'gcsqgsib3dqefdtb', 'b3blbnnzac1rzxktdjea'],
    ],
    secretGroup: 1,
    entropy: 3.5,
    severity: 'critical',
    message: 'Anybody who can read the repository can act with this private key.',
    fix: REPLACE_PAIR,
    cwe: 'CWE-321',
    source: 'https://www.rfc-editor.org/rfc/rfc5958#section-2',
    examples: {
      match: [
        `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${fake('', 32)}`,
        `  key: "MC4CAQAwBQYDK2VwBCIEI${fake('', 43)}"`,
        `MHcCAQEEI${fake('', 55)}`,
      ],
      noMatch: [
        `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA${fake('', 20)}`,
        `MIIDazCCAlOgAwIBAgIU${fake('', 44)}`,
        `MIICijCCAXICAQAwRTELMAkGA1UEBhMC${fake('', 32)}`,
      ],
    },
  },
  {
    id: 'secret-hex-private-key',
    description: 'Private key in hexadecimal or as an array of bytes',
    regex: raw`(?i)(?:^|[^0-9a-f])(${HEX_DER}(?:${hex('..')}){24,})`,
    keywords: [
      ...['02010030', '02010130', '02010002', '02010104'],
      ...['02:01:00:30', '02:01:01:30', '02:01:00:02', '02:01:01:04'],
      ...['02 01 00 30', '02 01 01 30', '02 01 00 02', '02 01 01 04'],
      ...['0x02, 0x01, 0x0', '0x02,0x01,0x0', String.raw`\x02\x01\x0`],
    ],
    target: 'hunk',
    secretGroup: 1,
    entropy: 2.5,
    severity: 'critical',
    message: 'Anybody who can read the repository can act with this private key.',
    fix: REPLACE_PAIR,
    cwe: 'CWE-321',
    source: 'https://www.rfc-editor.org/rfc/rfc5958#section-2',
    examples: {
      match: [
        `key = "302e020100300506032b657004220420${fake('', 64, 'hex')}"`,
        `0x30, 0x77, 0x02, 0x01, 0x01, 0x04, 0x20, ${fake('', 64, 'hex').replace(/../g, '0x$&, ')}`,
        `30:82:04:bd:02:01:00:30:0d:06:09:2a:86:48:86:f7:0d:01:01:01:${fake('', 64, 'hex').replace(/../g, '$&:')}`,
      ],
      noMatch: [
        `302a300506032b6570032100${fake('', 64, 'hex')}`,
        `hash = "${fake('', 64, 'hex')}"`,
      ],
    },
  },
  {
    id: 'secret-binary-private-key',
    description: 'Private key in a binary DER file',
    // What is no UTF-8 reads as a question mark.
    regex: raw`(0\?[^\n]{1,2}\x02\x01\x000[^\n]\x06(?:\x09\*\?H\?\?\x0d\x01\x01\x01|\x07\*\?H\?=\x02\x01))`,
    keywords: ['\u0002\u0001\u00000'],
    secretGroup: 1,
    severity: 'critical',
    message: 'Anybody who can read the repository can act with this private key.',
    fix: REPLACE_PAIR,
    cwe: 'CWE-321',
    source: 'https://www.rfc-editor.org/rfc/rfc5958#section-2',
    examples: {
      match: [
        '0?\u0004?\u0002\u0001\u00000\r\u0006\t*?H??\r\u0001\u0001\u0001\u0005\0',
        '0?\u0001\u0002\u0001\u00000\u0013\u0006\u0007*?H?=\u0002\u0001\u0006\b*?H?=',
      ],
      noMatch: [
        '0?\u0001\u00220\r\u0006\t*?H??\r\u0001\u0001\u0001\u0005\0',
        '0?\u0004?\u0002\u0001\u00000\r\u0006\t`?H\u0001e\u0003\u0004\u0002\u0001\u0005\0',
      ],
    },
  },
  {
    id: 'secret-xml-private-key',
    description: 'RSA private key in the XML of .NET',
    regex: raw`<D>\s{0,16}([A-Za-z0-9+/][A-Za-z0-9+/\s]{60,}={0,2})\s{0,16}</D>`,
    keywords: ['</d>'],
    target: 'hunk',
    secretGroup: 1,
    entropy: 4,
    severity: 'critical',
    message: 'Anybody who can read the repository can act with this private key.',
    fix: REPLACE_PAIR,
    cwe: 'CWE-321',
    source:
      'https://learn.microsoft.com/en-us/dotnet/api/system.security.cryptography.rsa.toxmlstring',
    examples: {
      match: [
        `<RSAKeyValue><Modulus>x</Modulus><D>${fake('', 171)}=</D></RSAKeyValue>`,
        `<D>\n  ${fake('', 76)}\n  ${fake('', 76)}\n</D>`,
      ],
      noMatch: ['<D>x</D>', `<Modulus>${fake('', 171)}=</Modulus>`],
    },
  },
  {
    id: 'secret-putty-key',
    description: 'PuTTY private key file',
    regex: raw`PuTTY-User-Key-File-[23]:.+(?s:.*?)Private-Lines: \d{1,3}((?:\s{1,16}[A-Za-z0-9+/=]{16,})+)`,
    keywords: ['putty-user-key-file-'],
    target: 'hunk',
    secretGroup: 1,
    entropy: 3.5,
    severity: 'critical',
    message: 'Anybody who can read the repository can act with this private key.',
    fix: REPLACE_PAIR,
    cwe: 'CWE-321',
    source: 'https://the.earth.li/~sgtatham/putty/latest/htmldoc/AppendixC.html',
    examples: {
      path: 'deploy/key.ppk',
      match: [
        `PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPublic-Lines: 1\n${fake('AAAA', 60)}\nPrivate-Lines: 2\n${fake('', 64)}\n${fake('x', 40)}`,
        `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: aes256-cbc\nPrivate-Lines: 1\n${fake('', 64)}`,
      ],
      noMatch: [
        'PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none',
        'a file that begins with PuTTY-User-Key-File-2: is a key of PuTTY',
      ],
    },
  },
  {
    id: 'secret-jwk',
    description: 'JSON Web Key with its private part',
    regex: raw`(?s)\bkty["']?\s{0,4}[:=]\s{0,4}\\?["'](?:RSA|EC|OKP|oct)\\?["'][^{}]*?[\s,"'\\]["']?\b(?:d|k|dp|dq|qi)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']([A-Za-z0-9_-]{22,})|[\s,{"'\\]["']?\b(?:d|k|dp|dq|qi)\\?["']?\s{0,4}[:=]\s{0,4}\\?["']([A-Za-z0-9_-]{22,})\\?["'][^{}]*?\bkty["']?\s{0,4}[:=]`,
    keywords: ['kty"', "kty'", 'kty:', 'kty\\"'],
    target: 'hunk',
    entropy: 3.5,
    randomness: 0.4,
    severity: 'high',
    message: 'Anybody who can read the repository can sign or decrypt with this key.',
    fix: REPLACE_PAIR,
    cwe: 'CWE-321',
    source: 'https://www.rfc-editor.org/rfc/rfc7518#section-6',
    examples: {
      path: 'config/keys.json',
      match: [
        `{"kty": "EC", "crv": "P-256", "x": "${fake('x', 42)}", "d": "${fake('Q7', 41)}"}`,
        `{\n  "d": "${fake('Z', 42)}",\n  "kty": "OKP",\n  "crv": "Ed25519"\n}`,
        `const key = { kty: 'oct', k: '${fake('', 43)}' };`,
      ],
      noMatch: [
        `{"kty": "EC", "crv": "P-256", "x": "${fake('x', 42)}", "y": "${fake('y', 42)}"}`,
        `if (key.kty === 'RSA' && key.d) throw new TypeError();`,
        `{"kty": "oct", "k": "secret"}`,
      ],
    },
  },
  {
    id: 'secret-jwt',
    description: 'Signed JSON Web Token',
    regex: raw`${START}(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,})`,
    keywords: ['eyj'],
    entropy: 3.5,
    allowlists: [
      {
        description: 'subjects, names and times of the examples of jwt.io and RFC 7519',
        stopwords: [
          ...['eyjzdwiioiixmjm0nty3odkw', 'ikpvag4grg9l', 'eyjpc3mioijqb2ui', 'mtuxnjizotaym'],
          ...['eyjmb28ioijiyxii', 'eyjozwxsbyi6', 'eyj1c2vyijoi'],
        ],
      },
    ],
    severity: 'medium',
    message: 'Anybody who can read the repository can use this token until it expires.',
    fix: 'Revoke the session or the signing key, unless the token has expired.',
    cwe: CWE,
    source: 'https://www.rfc-editor.org/rfc/rfc7519',
    examples: {
      match: [
        `token = "${fake('eyJ', 20)}.${fake('eyJ', 40)}.${fake('', 43)}"`,
        `Authorization: Bearer ${fake('eyJ', 30)}.${fake('eyJ', 60)}.${fake('', 86)}`,
      ],
      noMatch: [
        `token = "${fake('eyJ', 20)}.eyJzdWIiOiIxMjM0NTY3ODkwIiwibm.${fake('', 43)}"`,
        `eyJ${'a'.repeat(20)}.eyJ${'a'.repeat(20)}.${'a'.repeat(40)}`,
        'eyJhbGciOiJIUzI1NiJ9',
      ],
    },
  },
  {
    id: 'secret-jwe',
    description: 'Encrypted JSON Web Token',
    regex: raw`${START}(eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{20,})(?:[^A-Za-z0-9_.-]|$)`,
    keywords: ['eyj'],
    entropy: 4,
    severity: 'medium',
    message: 'Anybody who can read the repository can use this token until it expires.',
    fix: FIX,
    cwe: CWE,
    source: 'https://www.rfc-editor.org/rfc/rfc7516#section-3.1',
    examples: {
      match: [
        `session = "${fake('eyJ', 40)}..${fake('', 16)}.${fake('', 80)}.${fake('', 22)}"`,
        `t: ${fake('eyJ', 40)}.${fake('', 86)}.${fake('', 16)}.${fake('', 40)}.${fake('', 22)};`,
      ],
      noMatch: ['eyJhbGciOiJkaXIifQ..', 'import eyJs from "a.b.c.d.e"'],
    },
  },
] satisfies readonly Pattern[];
