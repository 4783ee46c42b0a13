import type { Pattern } from '../../model/rules.ts';
import { GO, JVM, PYTHON, REHEARSAL, RUBY } from '../risk/paths.ts';

const raw = String.raw;

const TESTS = { description: 'tests, examples', paths: [REHEARSAL, raw`_test\.go$`] };
const COMMENTS = {
  description: 'comments',
  regexTarget: 'line',
  regexes: [raw`^\s*(?:#|//|\*|/\*|--)`],
} as const;
const NODE = raw`(?i)(?:\.(?:[cm]?[jt]sx?|vue|svelte|sh|env|ya?ml|json)|(?:^|/)(?:Dockerfile|\.env)[^/]*)$`;

/** Connections that accept any host that answers, and ciphers that hide nothing. */
export const transportPatterns = [
  {
    id: 'vuln-09-node-tls',
    description: 'TLS certificates are not verified (Node)',
    regex: raw`\bNODE_TLS_REJECT_UNAUTHORIZED\b["'\]]{0,2}\s{0,4}[=:]\s{0,4}["']?(?:0|false)\b`,
    path: NODE,
    keywords: ['node_tls_reject_unauthorized'],
    allowlists: [TESTS, COMMENTS],
    report_as: 'vuln-09',
    severity: 'critical',
    message:
      'The process accepts any certificate: an attacker on the network path can read and change traffic.',
    fix: 'Trust the issuing CA with NODE_EXTRA_CA_CERTS.',
    cwe: 'CWE-295',
    source: 'https://nodejs.org/api/cli.html#node_tls_reject_unauthorizedvalue',
    examples: {
      path: 'src/client.js',
      match: [
        `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';`,
        `process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = 0`,
        'NODE_TLS_REJECT_UNAUTHORIZED=0 node app.js',
      ],
      noMatch: [
        `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '1';`,
        `if (process.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') throw new Error();`,
      ],
    },
  },
  {
    id: 'vuln-09-python-tls',
    description: 'TLS certificates are not verified (Python)',
    regex: raw`\b(?:requests|httpx|session|client|aiohttp)\.(?:get|post|put|patch|delete|head|options|request|stream|Client|AsyncClient)\(.*\bverify\s*=\s*False\b|\bssl\._create_unverified_context\b`,
    path: PYTHON,
    keywords: ['verify', 'unverified'],
    allowlists: [TESTS, COMMENTS],
    report_as: 'vuln-09',
    severity: 'critical',
    message:
      'Any certificate is accepted: an attacker on the network path can read and change traffic.',
    fix: 'Pass the issuing CA: verify="/path/ca.pem".',
    cwe: 'CWE-295',
    source: 'https://requests.readthedocs.io/en/latest/user/advanced/#ssl-cert-verification',
    examples: {
      path: 'app/client.py',
      match: [
        'r = requests.get(url, timeout=5, verify=False)',
        'ssl._create_default_https_context = ssl._create_unverified_context',
      ],
      noMatch: ['r = requests.get(url, verify=True)', 'user.save(verify=False)'],
    },
  },
  {
    id: 'vuln-09-go-tls',
    description: 'TLS certificates are not verified (Go)',
    regex: raw`\bInsecureSkipVerify:\s*true\b`,
    path: GO,
    keywords: ['insecureskipverify'],
    allowlists: [TESTS, COMMENTS],
    report_as: 'vuln-09',
    severity: 'critical',
    message:
      'Any certificate is accepted: an attacker on the network path can read and change traffic.',
    fix: 'Set RootCAs to the issuing CA.',
    cwe: 'CWE-295',
    source: 'https://pkg.go.dev/crypto/tls#Config',
    examples: {
      path: 'pkg/client.go',
      match: [
        'TLSClientConfig: &tls.Config{InsecureSkipVerify: true},',
        '\t\tInsecureSkipVerify: true,',
      ],
      noMatch: [
        'InsecureSkipVerify: false,',
        'InsecureSkipVerify: opts.Insecure,',
        '// InsecureSkipVerify: true',
      ],
    },
  },
  {
    id: 'vuln-09-node-connection',
    description: 'The TLS certificate of a connection is not verified (Node)',
    regex: raw`\brejectUnauthorized["']?\s*:\s*false\b|\bstrictSSL["']?\s*:\s*false\b`,
    path: raw`(?i)\.(?:[cm]?[jt]sx?|vue|svelte)$`,
    keywords: ['rejectunauthorized', 'strictssl'],
    allowlists: [TESTS, COMMENTS],
    report_as: 'vuln-09',
    severity: 'critical',
    message:
      'Any certificate is accepted: an attacker on the network path can read and change traffic.',
    fix: 'Pass the issuing CA: ca: readFileSync(...).',
    cwe: 'CWE-295',
    source: 'https://nodejs.org/api/tls.html#tlsconnectoptions-callback',
    examples: {
      path: 'src/client.ts',
      match: [
        'const agent = new https.Agent({ rejectUnauthorized: false });',
        '  strictSSL: false,',
      ],
      noMatch: [
        '  rejectUnauthorized: true,',
        '  rejectUnauthorized: !insecure,',
        '  // rejectUnauthorized: false',
      ],
    },
  },
  {
    id: 'vuln-09-jvm-tls',
    description: 'TLS certificates or host names are not verified (Java, Kotlin)',
    regex: raw`\bNoopHostnameVerifier\.INSTANCE\b|\bnew\s+NoopHostnameVerifier\(|\bALLOW_ALL_HOSTNAME_VERIFIER\b|\bnew\s+AllowAllHostnameVerifier\(|\bInsecureTrustManagerFactory\.INSTANCE\b|\bTrustAllStrategy\.INSTANCE\b|\b(?:setDefault|set)?[hH]ostnameVerifier\(\s*\(?\s*\w+\s*,\s*\w+\s*\)?\s*->\s*true\s*\)|\bvoid\s+checkServerTrusted\([^)\n]*\)\s*(?:throws\s+\w+\s*)?\{\s*\}|\bfun\s+checkServerTrusted\([^)\n]*\)\s*(?:\{\s*\}|=\s*Unit)|\bhostnameVerifier\s*\{\s*_\s*,\s*_\s*->\s*true\s*\}`,
    path: JVM,
    keywords: [
      'hostnameverifier',
      'hostname_verifier',
      'insecuretrustmanager',
      'trustallstrategy',
      'checkservertrusted',
    ],
    allowlists: [TESTS, COMMENTS],
    report_as: 'vuln-09',
    severity: 'critical',
    message:
      'Any certificate is accepted: an attacker on the network path can read and change traffic.',
    fix: 'Put the issuing CA into a trust store.',
    cwe: 'CWE-295',
    source: 'https://developer.android.com/privacy-and-security/risks/unsafe-trustmanager',
    examples: {
      path: 'src/main/java/app/Client.java',
      match: [
        '    .setSSLHostnameVerifier(NoopHostnameVerifier.INSTANCE)',
        '    public void checkServerTrusted(X509Certificate[] chain, String type) {}',
        '    conn.setHostnameVerifier((host, session) -> true);',
      ],
      noMatch: [
        '    public void checkServerTrusted(X509Certificate[] chain, String type) {',
        '    conn.setHostnameVerifier(new DefaultHostnameVerifier());',
      ],
    },
  },
  {
    id: 'vuln-09-ruby-tls',
    description: 'TLS certificates are not verified (Ruby)',
    regex: raw`\bverify_mode\s*(?:=|=>|:)\s*(?:::)?OpenSSL::SSL::VERIFY_NONE\b|:?\bssl_verify_mode:?\s*(?:=>|=)?\s*(?:::)?OpenSSL::SSL::VERIFY_NONE\b`,
    path: RUBY,
    keywords: ['verify_none'],
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'where somebody asked for it',
        regexTarget: 'line',
        regexes: [raw`\b(?:if|unless)\b|\?`],
      },
    ],
    report_as: 'vuln-09',
    severity: 'critical',
    message:
      'Any certificate is accepted: an attacker on the network path can read and change traffic.',
    fix: 'VERIFY_PEER, and ca_file for a CA of your own.',
    cwe: 'CWE-295',
    source: 'https://docs.ruby-lang.org/en/3.4/OpenSSL/SSL/SSLContext.html',
    examples: {
      path: 'lib/client.rb',
      match: [
        '    http.verify_mode = OpenSSL::SSL::VERIFY_NONE',
        '    Net::HTTP.start(h, p, use_ssl: true, verify_mode: OpenSSL::SSL::VERIFY_NONE)',
      ],
      noMatch: [
        '    http.verify_mode = OpenSSL::SSL::VERIFY_PEER',
        '    http.verify_mode = OpenSSL::SSL::VERIFY_NONE if insecure',
      ],
    },
  },
  {
    id: 'vuln-09-curl-tls',
    description: 'TLS certificates are not verified (PHP, C, C++)',
    regex: raw`\bCURLOPT_SSL_VERIFYPEER\s*(?:,|=>)\s*(?:false|FALSE|0L?)\b|["']verify_peer["']\s*=>\s*(?:false|FALSE)\b`,
    path: raw`(?i)\.(?:php\d?|phtml|inc|c|cc|cpp|cxx|h|hpp|m|mm)$`,
    keywords: ['curlopt_ssl_verifypeer', 'verify_peer'],
    allowlists: [TESTS, COMMENTS],
    report_as: 'vuln-09',
    severity: 'critical',
    message:
      'Any certificate is accepted: an attacker on the network path can read and change traffic.',
    fix: 'CURLOPT_CAINFO with the issuing CA.',
    cwe: 'CWE-295',
    source: 'https://curl.se/libcurl/c/CURLOPT_SSL_VERIFYPEER.html',
    examples: {
      path: 'src/Client.php',
      match: [
        '    curl_setopt($ch, CURLOPT_SSL_VERIFYPEER, false);',
        '    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);',
        "    'verify_peer' => false,",
      ],
      noMatch: [
        '    curl_setopt($ch, CURLOPT_SSL_VERIFYPEER, true);',
        '    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, verify);',
      ],
    },
  },
  {
    id: 'vuln-09-dotnet-tls',
    description: 'TLS certificates are not verified (.NET)',
    regex: raw`\bDangerousAcceptAnyServerCertificateValidator\b|\bServerCertificate(?:Custom)?ValidationCallback\s*\+?=\s*(?:delegate\s*\{\s*return\s+true|\([^)\n]*\)\s*=>\s*(?:true|\{\s*return\s+true))`,
    path: raw`(?i)\.(?:cs|vb|fs)$`,
    keywords: ['dangerousacceptany', 'servercertificate'],
    allowlists: [TESTS, COMMENTS],
    report_as: 'vuln-09',
    severity: 'critical',
    message:
      'Any certificate is accepted: an attacker on the network path can read and change traffic.',
    fix: 'Install the issuing CA, or compare with its thumbprint.',
    cwe: 'CWE-295',
    source:
      'https://learn.microsoft.com/en-us/dotnet/fundamentals/code-analysis/quality-rules/ca5359',
    examples: {
      path: 'src/Client.cs',
      match: [
        'ServicePointManager.ServerCertificateValidationCallback += (s, c, ch, e) => true;',
        'handler.ServerCertificateCustomValidationCallback = HttpClientHandler.DangerousAcceptAnyServerCertificateValidator;',
      ],
      noMatch: [
        'handler.ServerCertificateCustomValidationCallback = Validate;',
        'ServerCertificateValidationCallback += (s, c, ch, e) => e == SslPolicyErrors.None;',
      ],
    },
  },
  {
    id: 'vuln-09-node-cipher',
    description: 'A cipher that is broken, or without an initialisation vector (Node)',
    regex: raw`\bcrypto\.create(?:C|Dec)ipher\(|\bcreate(?:C|Dec)ipheriv\(\s*["'](?:des|des-(?:ecb|cbc|cfb|ofb)|rc4|rc2(?:-\w+)*|bf-ecb)["']`,
    path: raw`(?i)\.(?:[cm]?[jt]sx?|vue|svelte)$`,
    keywords: ['createcipher', 'createdecipher'],
    allowlists: [TESTS, COMMENTS],
    report_as: 'vuln-09',
    severity: 'critical',
    message: 'An attacker can read what this protects with little effort.',
    fix: `createCipheriv('aes-256-gcm', key, randomBytes(12)).`,
    cwe: 'CWE-327',
    source: 'https://nodejs.org/api/deprecations.html#DEP0106',
    examples: {
      path: 'src/crypt.ts',
      match: [
        `const c = crypto.createCipher('aes192', password);`,
        `createCipheriv('des-cbc', key, iv)`,
      ],
      noMatch: [
        `const c = crypto.createCipheriv('aes-256-gcm', key, iv);`,
        'function createCipher(key) {',
      ],
    },
  },
] satisfies readonly Pattern[];
