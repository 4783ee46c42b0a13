import type { Severity } from '../../model/finding.ts';
import type { Pattern } from '../../model/rules.ts';
import { fake } from '../fake.ts';
import { assignment, FAKE_UUID, named, TOKEN_END, UUID } from './assignment.ts';
import { END, START } from './delimited.ts';
import { prefixed } from './prefixed.ts';
import { token } from './token.ts';

const raw = String.raw;

const GITHUB_FORMATS =
  'https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/';

/** Credentials of hosts of source code. */
export const sourceHostingPatterns: readonly Pattern[] = [
  token({
    id: 'secret-github-token',
    what: 'GitHub personal access token',
    regex: raw`(ghp_[A-Za-z0-9]{36,251})${END}`,
    keywords: ['ghp_'],
    entropy: 3,
    severity: 'critical',
    source: GITHUB_FORMATS,
    match: [
      `token: ${fake('ghp_', 36)}`,
      `https://x-access-token:${fake('ghp_', 36)}@github.com/a/b`,
    ],
    noMatch: [`token: ghp_${'x'.repeat(36)}`, `token: ${fake('ghp_', 20)}`],
  }),
  token({
    id: 'secret-github-fine-grained-token',
    what: 'GitHub fine-grained personal access token',
    regex: raw`(github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})${END}`,
    keywords: ['github_pat_'],
    entropy: 3,
    severity: 'critical',
    source: GITHUB_FORMATS,
    match: [
      `curl -H "Authorization: Bearer ${fake('github_pat_', 22)}_${fake('', 59)}"`,
      `GITHUB_TOKEN=${fake('github_pat_', 22)}_${fake('', 59)}`,
    ],
    noMatch: ['GITHUB_TOKEN=github_pat_...', `github_pat_${'x'.repeat(22)}_${'x'.repeat(59)}`],
  }),
  token({
    id: 'secret-github-oauth-token',
    what: 'GitHub OAuth access token',
    regex: raw`(gho_[A-Za-z0-9]{36,251})${END}`,
    keywords: ['gho_'],
    entropy: 3,
    severity: 'critical',
    source: GITHUB_FORMATS,
    match: [`oauth_token: ${fake('gho_', 36)}`, `"access_token": "${fake('gho_', 36)}"`],
    noMatch: [`oauth_token: gho_${'x'.repeat(36)}`, `${fake('gho_', 12)}`],
  }),
  token({
    id: 'secret-github-app-token',
    what: 'GitHub app token',
    regex: raw`(gh[us]_[A-Za-z0-9]{36,251})${END}`,
    keywords: ['ghu_', 'ghs_'],
    entropy: 3,
    severity: 'critical',
    source: GITHUB_FORMATS,
    match: [`GH_TOKEN=${fake('ghs_', 36)}`, `token: '${fake('ghu_', 36)}'`],
    noMatch: [`GH_TOKEN=ghs_${'x'.repeat(36)}`, `${fake('ghu_', 12)}`],
  }),
  token({
    id: 'secret-github-refresh-token',
    what: 'GitHub refresh token',
    regex: raw`(ghr_[A-Za-z0-9]{36,251})${END}`,
    keywords: ['ghr_'],
    entropy: 3,
    severity: 'critical',
    source: GITHUB_FORMATS,
    match: [`refresh_token: ${fake('ghr_', 76)}`, `"${fake('ghr_', 36)}"`],
    noMatch: [`refresh_token: ghr_${'x'.repeat(76)}`, `${fake('ghr_', 12)}`],
  }),
  ...gitlabPatterns(),
  token({
    id: 'secret-gitlab-runner-registration-token',
    what: 'GitLab runner registration token',
    regex: raw`(GR1348941[A-Za-z0-9_-]{20,22})${TOKEN_END}`,
    keywords: ['gr1348941'],
    entropy: 3.5,
    severity: 'critical',
    source: 'https://docs.gitlab.com/security/tokens/#runner-registration-tokens-deprecated',
    match: [`--registration-token ${fake('GR1348941', 20)}`, `token = "${fake('GR1348941', 20)}"`],
    noMatch: ['--registration-token GR1348941$TOKEN', `token = "GR1348941${'x'.repeat(20)}"`],
  }),
  token({
    id: 'secret-bitbucket-app-password',
    what: 'Bitbucket app password',
    regex: raw`${START}(ATBB[A-Za-z0-9_=.-]{32})${TOKEN_END}`,
    keywords: ['atbb'],
    entropy: 3.5,
    source: 'https://support.atlassian.com/bitbucket-cloud/docs/app-passwords/',
    match: [`BITBUCKET_APP_PASSWORD=${fake('ATBB', 32)}`, `password: "${fake('ATBB', 32)}"`],
    noMatch: [`BITBUCKET_APP_PASSWORD=ATBB${'x'.repeat(32)}`, 'WATBBQ'],
  }),
  token({
    id: 'secret-bitbucket-access-token',
    what: 'Bitbucket repository, project or workspace access token',
    regex: raw`(ATCTT3xFfGN0[A-Za-z0-9_=-]{160,})`,
    keywords: ['atctt3xffgn0'],
    entropy: 4,
    severity: 'critical',
    source: 'https://support.atlassian.com/bitbucket-cloud/docs/access-tokens/',
    match: [
      `BB_TOKEN=${fake('ATCTT3xFfGN0', 171)}=ADBEEF01`,
      `https://x-token-auth:${fake('ATCTT3xFfGN0', 171)}=ADBEEF01@bitbucket.org/a/b`,
    ],
    noMatch: ['BB_TOKEN=ATCTT3xFfGN0...', `ATCTT3xFfGN0${'x'.repeat(171)}`],
  }),
  token({
    id: 'secret-gitea-token',
    what: 'Gitea or Forgejo access token',
    regex: assignment('gitea|forgejo|codeberg', '[a-f0-9]{40}'),
    keywords: ['gitea', 'forgejo', 'codeberg'],
    entropy: 3,
    severity: 'critical',
    source: 'https://docs.gitea.com/development/api-usage#authentication',
    match: [`GITEA_TOKEN=${fake('', 40, 'hex')}`, `forgejoApiKey: "${fake('', 40, 'hex')}"`],
    noMatch: [
      `uses: https://gitea.com/actions/checkout@${fake('', 40, 'hex')}`,
      `gitea_commit = "${fake('', 40, 'hex')}"`,
    ],
  }),
  token({
    id: 'secret-gitee-token',
    what: 'Gitee personal access token',
    regex: assignment('gitee', '[a-f0-9]{32}'),
    keywords: ['gitee'],
    entropy: 3,
    source: 'https://gitee.com/api/v5/oauth_doc',
    match: [`GITEE_TOKEN=${fake('', 32, 'hex')}`, `gitee_access_token: '${fake('', 32, 'hex')}'`],
    noMatch: [`GITEE_TOKEN: \${{ secrets.GITEE_TOKEN }}`, `gitee_md5: ${fake('', 32, 'hex')}`],
  }),
  token({
    id: 'secret-sourcegraph-token',
    what: 'Sourcegraph access token',
    regex: raw`(sgp_(?:(?:[a-f0-9]{16}|local)_)?[a-f0-9]{40}|sg[dpw]_[a-f0-9]{64}|slk_[a-f0-9]{64})${END}`,
    keywords: ['sgp_', 'sgd_', 'sgw_', 'slk_'],
    entropy: 3,
    source: 'https://sourcegraph.com/docs/cli/how-tos/creating-an-access-token',
    match: [
      `SRC_ACCESS_TOKEN=${fake('sgp_', 16, 'hex')}_${fake('', 40, 'hex')}`,
      `token: ${fake('sgp_local_', 40, 'hex')}`,
    ],
    noMatch: [`SRC_ACCESS_TOKEN=sgp_${'0'.repeat(40)}`, 'sgp_from_the_settings_page'],
  }),
  token({
    id: 'secret-phabricator-token',
    what: 'Phabricator Conduit token',
    regex: assignment('phabricator|phorge|conduit|arc_', '(?:api|cli)-[a-z0-9]{28}'),
    keywords: ['phabricator', 'phorge', 'conduit'],
    entropy: 3.3,
    source: 'https://secure.phabricator.com/book/phabdev/article/conduit/',
    match: [
      `PHABRICATOR_TOKEN=${fake('api-', 28).toLowerCase()}`,
      `"conduit_token": "${fake('cli-', 28).toLowerCase()}"`,
    ],
    noMatch: ['PHABRICATOR_TOKEN=api-...', `conduit_token: api-${'x'.repeat(28)}`],
  }),
  prefixed({
    id: 'secret-gitlab-session-cookie',
    what: 'session cookie of GitLab',
    prefixes: ['_gitlab_session='],
    body: '[0-9a-f]{32}',
    sample: fake('_gitlab_session=', 32, 'hex'),
    name: 'Cookie',
    severity: 'critical',
    source: 'https://docs.gitlab.com/user/profile/#cookies-used-for-sign-in',
  }),
  prefixed({
    id: 'secret-codesandbox-token',
    what: 'CodeSandbox API key',
    prefixes: ['csb_v1_'],
    body: '[A-Za-z0-9_-]{40,50}',
    sample: fake('csb_v1_', 43),
    name: 'CSB_API_KEY',
    entropy: 3.8,
    source: 'https://codesandbox.io/docs/sdk/manage-sandboxes',
  }),
  prefixed({
    id: 'secret-gitpod-token',
    what: 'Gitpod personal access token',
    prefixes: ['gitpod_pat_'],
    body: raw`[A-Za-z0-9_-]{20,90}(?:\.[A-Za-z0-9_-]{30,60})?`,
    sample: `${fake('gitpod_pat_', 43)}.${fake('', 40)}`,
    name: 'GITPOD_ACCESS_TOKEN',
    entropy: 3.8,
    source: 'https://www.gitpod.io/docs/classic/user/configure/user-settings/access-tokens',
  }),
  named({
    id: 'secret-coder-session-token',
    what: 'Coder session token',
    vendors: ['coder_session_token', 'codersessiontoken', 'coder-session-token'],
    words: '',
    value: '[A-Za-z0-9]{10}-[A-Za-z0-9]{22}',
    sample: `Fk9s2KxQz1-${fake('', 22)}`,
    names: ['CODER_SESSION_TOKEN', 'coderSessionToken'],
    entropy: 3.5,
    source: 'https://coder.com/docs/reference/api',
  }),
  named({
    id: 'secret-wakatime-key',
    what: 'WakaTime API key',
    vendors: ['wakatime'],
    value: raw`(?:waka_)?${UUID}`,
    sample: `waka_${FAKE_UUID}`,
    names: ['WAKATIME_API_KEY', 'wakatimeApiKey'],
    severity: 'medium',
    source: 'https://wakatime.com/faq#api-key',
  }),
];

/** Prefixes of https://docs.gitlab.com/security/tokens/#token-prefixes */
function gitlabPatterns(): Pattern[] {
  const kinds: [id: string, what: string, prefix: string, severity: Severity][] = [
    ['token', 'personal, project or group access token', 'glpat-', 'critical'],
    ['oauth-application-secret', 'OAuth application secret', 'gloas-', 'high'],
    ['deploy-token', 'deploy token', 'gldt-', 'high'],
    ['runner-token', 'runner authentication token', 'glrt-', 'critical'],
    ['runner-registration', 'runner registration token', 'glrtr-', 'critical'],
    ['job-token', 'CI/CD job token', 'glcbt-', 'high'],
    ['trigger-token', 'pipeline trigger token', 'glptt-', 'high'],
    ['feed-token', 'feed token', 'glft-', 'medium'],
    ['mail-token', 'incoming mail token', 'glimt-', 'high'],
    ['agent-token', 'agent for Kubernetes token', 'glagent-', 'critical'],
    ['workspace-token', 'workspace token', 'glwt-', 'high'],
    ['scim-token', 'SCIM token', 'glsoat-', 'critical'],
    ['feature-flags-token', 'feature flags client token', 'glffct-', 'medium'],
  ];
  return kinds.map(([id, what, prefix, severity]) =>
    token({
      id: `secret-gitlab-${id}`,
      what: `GitLab ${what}`,
      // Routable tokens have parts behind a dot: payload, its length, checksum.
      regex: raw`(${prefix}[A-Za-z0-9_-]{20,300}(?:\.[a-z0-9]{2}\.[a-z0-9]{9})?)`,
      keywords: [prefix],
      entropy: 3,
      severity,
      source: 'https://docs.gitlab.com/security/tokens/#token-prefixes',
      match: [
        `GITLAB_TOKEN=${fake(prefix, 20)}`,
        `"${fake(prefix, 36)}.01.${fake('', 9, 'digits')}"`,
      ],
      noMatch: [`GITLAB_TOKEN=${prefix}${'x'.repeat(20)}`, `${prefix}$GITLAB_TOKEN`],
    }),
  );
}
