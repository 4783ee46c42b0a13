import type { Pattern } from '../../model/rules.ts';
import { GO, JVM, PYTHON, REHEARSAL } from '../risk/paths.ts';

const raw = String.raw;

const TESTS = { description: 'tests, examples', paths: [REHEARSAL, raw`_test\.go$`] };

/** Tokens that anybody can write. */
export const tokenPatterns = [
  {
    id: 'vuln-10-python-jwt',
    description: 'A token is read without checking its signature (Python)',
    regex: raw`(?i)\bjwt\.decode\(.*(?:["']?verify_signature["']?\s*[:=]\s*False|\bverify\s*=\s*False|algorithms\s*=\s*\[\s*["']none["'])`,
    path: PYTHON,
    keywords: ['jwt.decode'],
    report_as: 'vuln-10',
    severity: 'critical',
    message: 'Anybody can make a token for any user.',
    fix: 'Name the key and the algorithms that are allowed.',
    cwe: 'CWE-347',
    source: 'https://pyjwt.readthedocs.io/en/stable/usage.html',
    examples: {
      path: 'app/auth.py',
      match: [
        'claims = jwt.decode(token, options={"verify_signature": False})',
        'claims = jwt.decode(token, key, algorithms=["none"])',
      ],
      noMatch: [
        'claims = jwt.decode(token, key, algorithms=["RS256"])',
        'header = jwt.get_unverified_header(token)',
      ],
    },
  },
  {
    id: 'vuln-10-node-jwt',
    description: 'A token without signature is accepted or made (Node)',
    regex: raw`(?i)\balgorithms["']?\s*:\s*\[[^\]\n]*["']none["']|\bjwt\.(?:sign|verify)\([^\n]*\balgorithms?["']?\s*:\s*\[?\s*["']none["']|\bnew\s+UnsecuredJWT\(|\bUnsecuredJWT\.decode\(`,
    path: raw`(?i)\.(?:[cm]?[jt]sx?|vue|svelte)$`,
    keywords: ['"none"', "'none'", 'unsecuredjwt'],
    allowlists: [TESTS],
    report_as: 'vuln-10',
    severity: 'critical',
    message: 'Anybody can make a token for any user.',
    fix: `Name the algorithm of your key: algorithms: ['RS256'].`,
    cwe: 'CWE-347',
    source: 'https://www.rfc-editor.org/rfc/rfc8725#section-3.1',
    examples: {
      path: 'src/auth.ts',
      match: [
        `jwt.verify(token, key, { algorithms: ['HS256', 'none'] });`,
        `jwt.sign(claims, '', { algorithm: 'none' });`,
      ],
      noMatch: [
        `jwt.verify(token, key, { algorithms: ['RS256'] });`,
        `compress({ algorithm: 'none' });`,
      ],
    },
  },
  {
    id: 'vuln-10-go-jwt',
    description: 'A token without signature is accepted or made (Go)',
    regex: raw`\bjwt\.UnsafeAllowNoneSignatureType\b|\bjwt\.NewWithClaims\(\s*jwt\.SigningMethodNone\b|\bWithInsecureNoSignature\(`,
    path: GO,
    keywords: ['unsafeallownonesignaturetype', 'signingmethodnone', 'withinsecurenosignature'],
    allowlists: [TESTS],
    report_as: 'vuln-10',
    severity: 'critical',
    message: 'Anybody can make a token for any user.',
    fix: 'jwt.WithValidMethods, and the key of the issuer.',
    cwe: 'CWE-347',
    source: 'https://pkg.go.dev/github.com/golang-jwt/jwt/v5#pkg-constants',
    examples: {
      path: 'pkg/auth.go',
      match: [
        '\treturn jwt.UnsafeAllowNoneSignatureType, nil',
        '\tt := jwt.NewWithClaims(jwt.SigningMethodNone, claims)',
      ],
      noMatch: [
        '\tt := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)',
        '\tif t.Method == jwt.SigningMethodNone {',
      ],
    },
  },
  {
    id: 'vuln-10-jvm-jwt',
    description: 'A token without signature is accepted or made (Java, Kotlin)',
    regex: raw`\bAlgorithm\.none\(\)|\.setSkipSignatureVerification\(\s*\)|\.setSkipAllValidators\(\s*\)|\.setDisableRequireSignature\(\s*\)|\bSignatureAlgorithm\.NONE\b`,
    path: JVM,
    keywords: [
      'algorithm.none',
      'setskipsignatureverification',
      'setskipallvalidators',
      'setdisablerequiresignature',
    ],
    allowlists: [
      TESTS,
      {
        description: 'compared with',
        regexTarget: 'line',
        regexes: [
          raw`[!=]=\s*SignatureAlgorithm\.NONE|\.equals\(\s*SignatureAlgorithm\.NONE|^\s*(?://|\*)`,
        ],
      },
    ],
    report_as: 'vuln-10',
    severity: 'critical',
    message: 'Anybody can make a token for any user.',
    fix: 'Verify with the key of the issuer.',
    cwe: 'CWE-347',
    source: 'https://www.rfc-editor.org/rfc/rfc8725#section-3.1',
    examples: {
      path: 'src/main/java/app/Auth.java',
      match: [
        '    JWT.require(Algorithm.none()).build().verify(token);',
        '    .setSkipSignatureVerification()',
      ],
      noMatch: [
        '    JWT.require(Algorithm.RSA256(key)).build().verify(token);',
        '    if (alg == SignatureAlgorithm.NONE) throw new E();',
      ],
    },
  },
  {
    id: 'vuln-10-ruby-php-jwt',
    description: 'A token is read without checking its signature (Ruby, PHP)',
    regex: raw`\bJWT\.decode[\s(]+[^,\n]+,\s*[^,\n]+,\s*false\b|\bJWT\.(?:encode|decode)[\s(]+[^\n]*["']none["']|\bConfiguration::forUnsecuredSigner\(|\bnew\s+(?:\\?Lcobucci\\JWT\\Signer\\)?None\(\)`,
    path: raw`(?i)(?:\.(?:rb|rake|php\d?|inc))$`,
    keywords: ['jwt.decode', 'jwt.encode', 'forunsecuredsigner', 'none()'],
    allowlists: [
      TESTS,
      { description: 'comments', regexTarget: 'line', regexes: [raw`^\s*(?:#|//|\*)`] },
    ],
    report_as: 'vuln-10',
    severity: 'critical',
    message: 'Anybody can make a token for any user.',
    fix: `JWT.decode(token, key, true, algorithm: 'RS256').`,
    cwe: 'CWE-347',
    source: 'https://www.rfc-editor.org/rfc/rfc8725#section-3.1',
    examples: {
      path: 'app/services/auth.rb',
      match: [
        '    JWT.decode(token, nil, false)',
        "    JWT.encode(payload, nil, 'none')",
        '    $config = Configuration::forUnsecuredSigner();',
      ],
      noMatch: [
        "    JWT.decode(token, key, true, algorithm: 'RS256')",
        '    $config = Configuration::forSymmetricSigner($s, $k);',
      ],
    },
  },
  {
    id: 'vuln-10-dotnet-jwt',
    description: 'Tokens need no signature (.NET)',
    regex: raw`\bRequireSignedTokens\s*=\s*false\b|\bSignatureValidator\s*=\s*(?:\([^)\n]*\)|delegate\b[^{\n]*)\s*(?:=>|\{)\s*(?:return\s+)?new\s+(?:JwtSecurityToken|JsonWebToken)\(`,
    path: raw`(?i)\.(?:cs|vb|fs)$`,
    keywords: ['requiresignedtokens', 'signaturevalidator'],
    allowlists: [
      TESTS,
      { description: 'comments', regexTarget: 'line', regexes: [raw`^\s*(?://|\*|')`] },
    ],
    report_as: 'vuln-10',
    severity: 'critical',
    message: 'Anybody can make a token for any user.',
    fix: 'IssuerSigningKey, and RequireSignedTokens = true.',
    cwe: 'CWE-347',
    source:
      'https://learn.microsoft.com/en-us/dotnet/fundamentals/code-analysis/quality-rules/ca5404',
    examples: {
      path: 'src/Auth.cs',
      match: [
        '    RequireSignedTokens = false,',
        '    SignatureValidator = (token, p) => new JwtSecurityToken(token),',
      ],
      noMatch: ['    RequireSignedTokens = true,', '    SignatureValidator = Validate,'],
    },
  },
] satisfies readonly Pattern[];
