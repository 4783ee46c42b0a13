import type { Pattern } from '../../model/rules.ts';
import { LOCAL, PROSE, REHEARSAL, SETTINGS } from './paths.ts';

const raw = String.raw;

const TESTS = { description: 'tests, examples, prose', paths: [REHEARSAL, PROSE] };
const COMMENTS = {
  description: 'comments',
  regexTarget: 'line',
  regexes: [raw`^\s*(?:#|//|\*|--)`],
} as const;

/** Changes of who may do what in an application. */
export const authPatterns = [
  {
    id: 'risk-auth-permit-all',
    description: 'All requests are permitted (Spring Security)',
    regex: raw`\banyRequest\(\)\s*\.(?:permitAll|anonymous)\(|\b(?:requestMatchers|antMatchers|securityMatcher)\(\s*["']/\*\*["']\s*\)\s*\.permitAll\(|\banyExchange\(\)\s*\.permitAll\(`,
    keywords: ['permitall', 'anyrequest()'],
    path: raw`(?i)\.(?:java|kt|groovy|scala)$`,
    allowlists: [TESTS],
    severity: 'medium',
    message: 'Whatever no earlier rule names is open to everybody.',
    fix: 'End with anyRequest().authenticated() or denyAll().',
    cwe: 'CWE-306',
    source:
      'https://docs.spring.io/spring-security/reference/servlet/authorization/authorize-http-requests.html',
    examples: {
      path: 'src/main/java/app/SecurityConfig.java',
      match: ['  .anyRequest().permitAll()', '  .requestMatchers("/**").permitAll()'],
      noMatch: ['  .anyRequest().authenticated()', '  .requestMatchers("/login").permitAll()'],
    },
  },
  {
    id: 'risk-auth-open-endpoint',
    description: 'Endpoint without authentication',
    regex: raw`\bpermission_classes\s*=\s*[\[(]\s*(?:permissions\.)?AllowAny\b|@permission_classes\(\s*[\[(]\s*(?:permissions\.)?AllowAny\b|^\s*\[AllowAnonymous\]|^\s*@PermitAll\b|\bauthentication_classes\s*=\s*[\[(]\s*[\])]|["']rest_framework\.permissions\.AllowAny["']`,
    keywords: ['allowany', 'allowanonymous', '@permitall', 'authentication_classes'],
    path: raw`(?i)\.(?:py|java|kt|cs)$`,
    allowlists: [TESTS],
    severity: 'low',
    message: 'Anybody who reaches the service may call this.',
    fix: 'Check that this is meant, and that nothing here changes or tells more than it may.',
    cwe: 'CWE-306',
    source: 'https://www.django-rest-framework.org/api-guide/permissions/#allowany',
    examples: {
      path: 'shop/views.py',
      match: ['    permission_classes = [AllowAny]', '    authentication_classes = ()'],
      noMatch: [
        '    permission_classes = [IsAuthenticated]',
        'from rest_framework.permissions import AllowAny',
      ],
    },
  },
  {
    id: 'risk-auth-skipped',
    description: 'Authentication or authorization check is skipped (Rails, Laravel)',
    regex: raw`^\s*skip_(?:before_action|before_filter)[\s(]+:(?:authenticate|authorize|require_login|verify_authorized|check_)\w*|^\s*skip_(?:authorization_check|load_and_authorize_resource|after_action[\s(]+:verify_)|->withoutMiddleware\(\s*\[?\s*["']?(?:auth|Authenticate)\b`,
    keywords: ['skip_', 'withoutmiddleware'],
    path: raw`(?i)\.(?:rb|php)$`,
    allowlists: [TESTS],
    severity: 'medium',
    message: 'These actions no longer check who calls, or what they may.',
    fix: 'Name the actions with only:, and say why they are public.',
    cwe: 'CWE-306',
    source: 'https://guides.rubyonrails.org/action_controller_overview.html',
    examples: {
      path: 'app/controllers/posts_controller.rb',
      match: ['  skip_before_action :authenticate_user!', '  skip_authorization_check'],
      noMatch: ['  before_action :authenticate_user!', '  skip_before_action :set_locale'],
    },
  },
  {
    id: 'risk-csrf-off',
    description: 'CSRF protection is disabled',
    regex: raw`^\s*@csrf_exempt\b|\bcsrf_exempt\(\s*\w|\bskip_(?:before_action|forgery_protection)\b.*(?:verify_authenticity_token|skip_forgery)|^\s*skip_forgery_protection\b|\bcsrf\(\)\s*\.disable\(\)|\bcsrf\s*\(?\s*(?:AbstractHttpConfigurer::disable|\w+\s*->\s*\w+\.disable\(\))|\bWTF_CSRF_ENABLED\W{1,6}False\b|\[IgnoreAntiforgeryToken\]|\ballow_forgery_protection\s*=\s*false\b|\bcsrf\s*\{\s*disable\(\)`,
    keywords: ['csrf', 'verify_authenticity_token', 'forgery', 'antiforgery'],
    allowlists: [
      TESTS,
      COMMENTS,
      { description: 'tests', paths: [LOCAL, raw`(?i)environments/test\.rb$`] },
    ],
    severity: 'medium',
    message: 'Any page that a logged-in user opens can now act in their name.',
    fix: 'Leave it on for cookies; exempt only endpoints that take a token in a header.',
    cwe: 'CWE-352',
    source: 'https://cwe.mitre.org/data/definitions/352.html',
    examples: {
      path: 'app/views.py',
      match: [
        '@csrf_exempt',
        '    http.csrf().disable()',
        '    .csrf(AbstractHttpConfigurer::disable)',
        '  skip_before_action :verify_authenticity_token',
        'WTF_CSRF_ENABLED = False',
      ],
      noMatch: [
        '@csrf_protect',
        'from django.views.decorators.csrf import csrf_exempt',
        '# @csrf_exempt',
      ],
    },
  },
  {
    id: 'risk-cors-any',
    description: 'CORS allows any origin',
    regex: raw`(?i)["']?Access-Control-Allow-Origin["']?\s*[,:=)]\s*["']?\*|\bCORS_(?:ALLOW_ALL_ORIGINS|ORIGIN_ALLOW_ALL)\s*=\s*True\b|\ballow_origins\s*=\s*\[\s*["']\*["']|\bAllowAllOrigins:\s*true\b|\bAllowAnyOrigin\(\)|@CrossOrigin\(\s*(?:origins\s*=\s*)?["']\*["']`,
    keywords: [
      'access-control-allow-origin',
      'cors_allow_all_origins',
      'cors_origin_allow_all',
      'allow_origins',
      'allowallorigins',
      'allowanyorigin',
      '@crossorigin',
    ],
    allowlists: [TESTS, COMMENTS],
    severity: 'low',
    message: 'Every page in the world may call this and read the answer.',
    fix: 'List the origins.',
    cwe: 'CWE-942',
    source:
      'https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Access-Control-Allow-Origin',
    examples: {
      path: 'src/server.js',
      match: [
        "res.setHeader('Access-Control-Allow-Origin', '*');",
        'CORS_ALLOW_ALL_ORIGINS = True',
      ],
      noMatch: [
        "res.setHeader('Access-Control-Allow-Origin', 'https://app.example.com');",
        'CORS_ALLOW_ALL_ORIGINS = False',
      ],
    },
  },
  {
    id: 'risk-cors-credentials',
    description: 'CORS allows any origin with credentials',
    regex: raw`(?:\borigin\s*:\s*true\s*,\s*credentials\s*:\s*true\b|\bcredentials\s*:\s*true\s*,\s*origin\s*:\s*true\b|\ballow_origins\s*=\s*\[\s*["']\*["']\s*\]\s*,\s*allow_credentials\s*=\s*True\b|\bAllowAllOrigins:\s*true,\s*AllowCredentials:\s*true|\bSetIsOriginAllowed\(\s*\w*\s*=>\s*true\s*\))`,
    target: 'hunk',
    keywords: ['credentials', 'setisoriginallowed'],
    path: raw`(?i)\.(?:[cm]?[jt]sx?|py|go|cs)$`,
    allowlists: [TESTS],
    severity: 'medium',
    message: 'Any page that a logged-in user opens can read their data.',
    fix: 'List the origins that may send credentials.',
    cwe: 'CWE-942',
    source: 'https://fetch.spec.whatwg.org/#cors-protocol-and-credentials',
    examples: {
      path: 'src/server.ts',
      match: [
        'app.use(cors({ origin: true, credentials: true }));',
        '  origin: true,\n  credentials: true,',
      ],
      noMatch: [
        "app.use(cors({ origin: 'https://a.example.com', credentials: true }));",
        'cors({ origin: true })',
      ],
    },
  },
  {
    id: 'risk-cookie-unprotected',
    description: 'Session cookie without HttpOnly or Secure',
    regex: raw`\b(?:SESSION|CSRF|LANGUAGE)_COOKIE_(?:SECURE|HTTPONLY)\W{1,6}False\b|\bsession\.cookie_(?:secure|httponly)\W{1,4}(?:0|false|off)\b|\b[hH]ttpOnly["']?\s*:\s*false\b|\bset(?:HttpOnly|Secure)\(\s*false\s*\)|\bHttpOnly\s*=\s*false\b|\bSameSite(?:Mode)?\s*[.:=]\s*["']?None["']?.{0,40}\b[sS]ecure\s*[:=]\s*false`,
    keywords: ['_cookie_', '.cookie_', 'httponly', 'setsecure', 'samesite'],
    allowlists: [TESTS, COMMENTS, { description: 'local settings', paths: [LOCAL] }],
    severity: 'low',
    message: 'One injected script, or one request over HTTP, gives the session away.',
    fix: 'Set Secure, HttpOnly and SameSite.',
    cwe: 'CWE-1004',
    source: 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/Cookies',
    examples: {
      path: 'app/settings.py',
      match: [
        'SESSION_COOKIE_SECURE = False',
        '  cookie: { httpOnly: false },',
        'cookie.setHttpOnly(false);',
      ],
      noMatch: ['SESSION_COOKIE_SECURE = True', '  cookie: { httpOnly: true },'],
    },
  },
  {
    id: 'risk-auth-disabled-setting',
    description: 'Setting disables authentication',
    regex: raw`(?i)(?:^|[\s"'])(?:(?:disable|skip|bypass|no)_?auth(?:entication|orization)?["']?\s*[:=]\s*["']?(?:true|1|yes|on)\b|[\w.]{0,30}auth(?:entication|orization)?[_.]?(?:enabled|required)["']?\s*[:=]\s*["']?(?:false|0|no|off)\b|xpack\.security\.enabled["']?\s*[:=]\s*["']?false\b|protected-mode\s+no\b|GF_AUTH_ANONYMOUS_ENABLED["']?\s*[:=]\s*["']?true\b|authorization:\s*["']?disabled\b|ALLOW_EMPTY_PASSWORD["']?\s*[:=]\s*["']?(?:yes|true|1)|MYSQL_ALLOW_EMPTY_PASSWORD["']?\s*[:=]|POSTGRES_HOST_AUTH_METHOD["']?\s*[:=]\s*["']?trust\b)`,
    keywords: ['auth', 'xpack.security', 'protected-mode', 'allow_empty_password'],
    path: SETTINGS,
    allowlists: [
      TESTS,
      COMMENTS,
      {
        description: 'Azure: keys that do without Entra ID are off',
        regexTarget: 'line',
        regexes: [raw`(?i)\blocal_auth(?:entication)?_enabled\b`],
      },
      {
        description: 'local and build settings',
        paths: [
          LOCAL,
          raw`^\.(?:github|circleci|gitlab)|(?i)compose|(?:^|/)package(?:-lock)?\.json$|\.travis`,
        ],
      },
    ],
    severity: 'medium',
    message: 'Anybody who reaches this service needs no password.',
    fix: 'Leave it on; give local machines settings of their own.',
    cwe: 'CWE-306',
    source: 'https://cwe.mitre.org/data/definitions/306.html',
    examples: {
      path: 'deploy/values.yaml',
      match: ['  disable_auth: true', 'xpack.security.enabled: false', 'AUTH_ENABLED=false'],
      noMatch: [
        '  disable_auth: false',
        'authorName: no',
        'AUTH_ENABLED=true',
        'local_auth_enabled = false',
      ],
    },
  },
] satisfies readonly Pattern[];
