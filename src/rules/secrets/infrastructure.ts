import type { Pattern } from '../../model/rules.ts';
import { fake } from '../fake.ts';
import { assignment, exactAssignment, FAKE_UUID, TOKEN_END, UUID } from './assignment.ts';
import { BEFORE, delimited, END, ESCAPE, START } from './delimited.ts';
import { token } from './token.ts';

const raw = String.raw;

/** Credentials of tools that keep secrets, build infrastructure and join networks. */
export const infrastructurePatterns: readonly Pattern[] = [
  token({
    id: 'secret-vault-token',
    what: 'HashiCorp Vault token',
    regex: raw`${START}(hv[sbr]\.[A-Za-z0-9_-]{24,300})${TOKEN_END}`,
    keywords: ['hvs.', 'hvb.', 'hvr.'],
    entropy: 3.5,
    severity: 'critical',
    source: 'https://developer.hashicorp.com/vault/docs/concepts/tokens#token-prefixes',
    match: [`VAULT_TOKEN=${fake('hvs.', 91)}`, `X-Vault-Token: ${fake('hvb.', 140)}`],
    noMatch: [`VAULT_TOKEN=hvs.${'x'.repeat(24)}`, 'hvs.token'],
  }),
  token({
    id: 'secret-vault-legacy-token',
    what: 'HashiCorp Vault token of the older form',
    regex: assignment('vault', raw`(?-i:[sbr]\.[A-Za-z0-9]{24})`),
    keywords: ['vault_token', 'vaulttoken', 'vault-token', 'vault_root', 'vault_dev_root'],
    entropy: 3.5,
    severity: 'critical',
    source: 'https://developer.hashicorp.com/vault/docs/concepts/tokens#token-prefixes',
    match: [`VAULT_TOKEN=${fake('s.', 24)}`, `X-Vault-Token: ${fake('s.', 24)}`],
    noMatch: ['VAULT_TOKEN=s.token', `VAULT_TOKEN=s.${'x'.repeat(24)}`],
  }),
  token({
    id: 'secret-vault-unseal-key',
    what: 'HashiCorp Vault unseal key',
    regex: raw`(?i)${START}unseal_?\s?key(?:_?\s?\d)?["']?\s{0,4}[:=]\s{0,4}["']?([a-z0-9+/]{43,44}=?|[a-f0-9]{64,66})(?:["'\s,;]|$)`,
    keywords: ['unseal key', 'unseal_key', 'unsealkey'],
    entropy: 3.2,
    severity: 'critical',
    source: 'https://developer.hashicorp.com/vault/docs/concepts/seal',
    match: [`Unseal Key 1: ${fake('', 44)}`, `UNSEAL_KEY=${fake('', 64, 'hex')}`],
    noMatch: ['Unseal Key 1: ...', `unseal_key: \${UNSEAL_KEY}`],
  }),
  token({
    id: 'secret-terraform-cloud-token',
    what: 'HCP Terraform token',
    regex: raw`${START}([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70})`,
    keywords: ['.atlasv1.'],
    entropy: 4,
    severity: 'critical',
    source:
      'https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens',
    match: [
      `token = "${fake('', 14)}${fake('.atlasv1.', 67)}"`,
      `TF_TOKEN_app_terraform_io=${fake('', 14)}${fake('.atlasv1.', 67)}`,
    ],
    noMatch: [
      'token = "xxxxxx.atlasv1.zzzzzzzzzzzzz"',
      `${'x'.repeat(14)}.atlasv1.${'x'.repeat(67)}`,
    ],
  }),
  token({
    id: 'secret-consul-token',
    what: 'HashiCorp Consul token',
    regex: assignment('consul', UUID),
    keywords: ['consul_token', 'consul_http_token', 'consul-token', 'consultoken', 'consul_acl'],
    entropy: 3,
    source: 'https://developer.hashicorp.com/consul/docs/secure/acl/token',
    match: [`CONSUL_HTTP_TOKEN=${FAKE_UUID}`, `X-Consul-Token: ${FAKE_UUID}`],
    noMatch: ['CONSUL_HTTP_TOKEN=$TOKEN', 'CONSUL_TOKEN=00000000-0000-0000-0000-000000000002'],
  }),
  token({
    id: 'secret-nomad-token',
    what: 'HashiCorp Nomad token',
    regex: assignment('nomad', UUID),
    keywords: ['nomad_token', 'nomad-token', 'nomadtoken', 'nomad_acl'],
    entropy: 3,
    source: 'https://developer.hashicorp.com/nomad/docs/secure/acl/tokens',
    match: [`NOMAD_TOKEN=${FAKE_UUID}`, `X-Nomad-Token: ${FAKE_UUID}`],
    noMatch: ['NOMAD_TOKEN=$TOKEN', `nomad_alloc: ${FAKE_UUID}`],
  }),
  token({
    id: 'secret-pulumi-access-token',
    what: 'Pulumi access token',
    regex: raw`(pul-[a-f0-9]{40})${END}`,
    keywords: ['pul-'],
    entropy: 3,
    severity: 'critical',
    source: 'https://www.pulumi.com/docs/pulumi-cloud/access-management/access-tokens/',
    match: [`PULUMI_ACCESS_TOKEN=${fake('pul-', 40, 'hex')}`, `token: ${fake('pul-', 40, 'hex')}`],
    noMatch: [`PULUMI_ACCESS_TOKEN=pul-${'0'.repeat(40)}`, 'pul-l-request'],
  }),
  ...dopplerPatterns(),
  token({
    id: 'secret-1password-service-account-token',
    what: '1Password service account token',
    regex: raw`(ops_eyJ[A-Za-z0-9+/_-]{200,}={0,3})`,
    keywords: ['ops_eyj'],
    entropy: 4.3,
    severity: 'critical',
    source: 'https://developer.1password.com/docs/service-accounts/',
    match: [
      `OP_SERVICE_ACCOUNT_TOKEN=${fake('ops_eyJ', 800)}`,
      `token: "${fake('ops_eyJ', 700)}=="`,
    ],
    noMatch: ['OP_SERVICE_ACCOUNT_TOKEN=ops_eyJ...', `ops_eyJ${'x'.repeat(300)}`],
  }),
  token({
    id: 'secret-1password-secret-key',
    what: '1Password secret key',
    regex: raw`${START}(A3-[A-Z0-9]{6}-(?:[A-Z0-9]{6}-[A-Z0-9]{5}|[A-Z0-9]{11})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5})${END}`,
    keywords: ['a3-'],
    entropy: 3,
    severity: 'critical',
    source: 'https://support.1password.com/secret-key/',
    match: [
      `secret key: A3-${['FAKEK3', 'Y2NOT3', 'REALF', 'AKEQ7', 'W8NOT', '3REAL'].join('-')}`,
      `"A3-${['FAKEK3', 'Y2NOT3REALF', 'AKEQ7', 'W8NOT', '3REAL'].join('-')}"`,
    ],
    noMatch: ['A3-XXXXXX-XXXXXX-XXXXX-XXXXX-XXXXX-XXXXX', 'paper A3-landscape'],
  }),
  token({
    id: 'secret-infisical-token',
    what: 'Infisical service token',
    regex: raw`${BEFORE}(st\.[a-f0-9]{8,24}[a-f0-9.-]{8,40}\.[a-f0-9]{32}\.[a-f0-9]{32})${END}`,
    keywords: delimited('st.'),
    entropy: 3.3,
    severity: 'critical',
    source: 'https://infisical.com/docs/documentation/platform/token',
    match: [
      `INFISICAL_TOKEN=${fake('st.', 24, 'hex')}.${fake('', 32, 'hex')}.${fake('', 32, 'hex')}`,
      `token: "st.${FAKE_UUID}.${fake('', 32, 'hex')}.${fake('', 32, 'hex')}"`,
    ],
    noMatch: ['INFISICAL_TOKEN=st.xxx.yyy.zzz', ' st.session_state'],
  }),
  token({
    id: 'secret-bitwarden-access-token',
    what: 'Bitwarden Secrets Manager access token',
    regex: raw`(?i)(?:bws_|bitwarden)[\w.-]{0,32}["']?\s{0,4}[:=]\s{0,4}["']?((?-i:0\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}==))`,
    keywords: ['bws_', 'bitwarden'],
    entropy: 4,
    severity: 'critical',
    source: 'https://bitwarden.com/help/access-tokens/',
    match: [
      `BWS_ACCESS_TOKEN=0.${FAKE_UUID}.${fake('', 30)}:${fake('', 22)}==`,
      `bitwarden: "0.${FAKE_UUID}.${fake('', 30)}:${fake('', 22)}=="`,
    ],
    noMatch: ['BWS_ACCESS_TOKEN=0.id.secret:key', 'bitwarden 0.1.2'],
  }),
  ...tailscalePatterns(),
  token({
    id: 'secret-ngrok-token',
    what: 'ngrok auth token or API key',
    regex: raw`(?i)ngrok[\w.\s-]{0,32}(?:token|key)["'\])]{0,3}\s{0,4}(?:[:=,(]|\s)\s{0,4}["']?((?-i:[A-Za-z0-9]{27}_[A-Za-z0-9]{17,21}))(?:["'\s;,)]|$)`,
    keywords: ['ngrok'],
    entropy: 4,
    source: 'https://ngrok.com/docs/agent/config/',
    match: [
      `ngrok config add-authtoken ${fake('', 27)}_${fake('', 21)}`,
      `NGROK_AUTHTOKEN=${fake('', 27)}_${fake('', 21)}`,
    ],
    noMatch: ['NGROK_AUTHTOKEN=$TOKEN', 'ngrok config add-authtoken <token>'],
  }),
  token({
    id: 'secret-zerotier-token',
    what: 'ZeroTier Central API token',
    regex: assignment('zerotier|zt_', '(?-i:[A-Za-z0-9]{32})'),
    keywords: ['zerotier', 'zt_token', 'zt_api'],
    entropy: 3.4,
    allowlists: [{ description: 'names', regexes: ['^[A-Za-z]+$'] }],
    source: 'https://docs.zerotier.com/api/tokens/',
    match: [`ZEROTIER_API_TOKEN=${fake('', 32)}`, `zt_token: "${fake('', 32)}"`],
    noMatch: ['ZEROTIER_API_TOKEN=$TOKEN', `zerotier_network: ${fake('', 32)}`],
  }),
  token({
    id: 'secret-kubernetes-client-key',
    what: 'private key of a Kubernetes user (kubeconfig)',
    regex: raw`client-key-data["']?\s{0,4}:\s{0,4}["']?(LS0tLS1CRUdJTi[A-Za-z0-9+/]{200,}={0,2})`,
    keywords: ['client-key-data'],
    entropy: 4,
    severity: 'critical',
    source: 'https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/',
    match: [
      `    client-key-data: ${fake('LS0tLS1CRUdJTi', 400)}==`,
      `"client-key-data":"${fake('LS0tLS1CRUdJTi', 300)}"`,
    ],
    noMatch: ['    client-key-data: REDACTED', '    client-key-data: LS0tLS1CRUdJTi...'],
  }),
  token({
    id: 'secret-kubeadm-bootstrap-token',
    what: 'Kubernetes bootstrap token',
    regex: raw`${START}kubeadm\b.{0,120}\s--token[\s=]([a-z0-9]{6}\.[a-z0-9]{16})${END}`,
    keywords: ['kubeadm'],
    entropy: 3.2,
    allowlists: [{ description: 'the token of the documentation', stopwords: ['abcdef.'] }],
    source: 'https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/',
    match: [
      `kubeadm join 10.0.0.1:6443 --token ${'f4k3t0'}.${'k3nn0tr3al5ecret'} --discovery-token-unsafe-skip-ca-verification`,
      `sudo kubeadm init --token=${'q7w8e9'}.${'z1x2c3v4b5n6m7a8'}`,
    ],
    noMatch: [
      `kubeadm join 10.0.0.1:6443 --token abcdef.${'0123456789abcdef'}`,
      'kubeadm join --token $TOKEN',
    ],
  }),
  token({
    id: 'secret-docker-swarm-token',
    what: 'Docker Swarm join token',
    regex: raw`(SWMTKN-1-[a-z0-9]{50}-[a-z0-9]{25})${END}`,
    keywords: ['swmtkn-1-'],
    entropy: 3.5,
    source: 'https://docs.docker.com/reference/cli/docker/swarm/join-token/',
    match: [
      `docker swarm join --token ${fake('SWMTKN-1-', 50).toLowerCase().replace('swmtkn', 'SWMTKN')}-${fake('', 25).toLowerCase()} 10.0.0.1:2377`,
      `TOKEN=SWMTKN-1-${fake('', 50, 'hex')}-${fake('', 25, 'hex')}`,
    ],
    noMatch: ['docker swarm join --token $TOKEN', `SWMTKN-1-${'x'.repeat(50)}-${'x'.repeat(25)}`],
  }),
  token({
    id: 'secret-docker-swarm-unlock-key',
    what: 'Docker Swarm unlock key',
    regex: raw`(SWMKEY-1-[A-Za-z0-9+/]{43})(?:[^A-Za-z0-9+/]|$)`,
    keywords: ['swmkey-1-'],
    entropy: 4,
    severity: 'critical',
    source: 'https://docs.docker.com/engine/swarm/swarm_manager_locking/',
    match: [`SWARM_UNLOCK_KEY=${fake('SWMKEY-1-', 43)}`, `    ${fake('SWMKEY-1-', 43)}`],
    noMatch: ['SWARM_UNLOCK_KEY=SWMKEY-1-...', `SWMKEY-1-${'x'.repeat(43)}`],
  }),
  token({
    id: 'secret-rancher-token',
    what: 'Rancher API token',
    regex: raw`${BEFORE}(token-[a-z0-9]{5}:[a-z0-9]{54})${END}`,
    keywords: delimited('token-'),
    entropy: 3.5,
    severity: 'critical',
    source: 'https://ranchermanager.docs.rancher.com/api/api-tokens',
    match: [
      `RANCHER_TOKEN=token-${'q7w8e'}:${fake('', 54).toLowerCase()}`,
      `token_key = "token-${'f4k3t'}:${fake('', 54).toLowerCase()}"`,
    ],
    noMatch: ['RANCHER_TOKEN=token-abcde:...', `token-xxxxx:${'x'.repeat(54)}`],
  }),
  token({
    id: 'secret-prefect-api-key',
    what: 'Prefect API key',
    regex: raw`${START}(pn[ub]_[A-Za-z0-9]{36})${END}`,
    keywords: ['pnu_', 'pnb_'],
    entropy: 3.8,
    source: 'https://docs.prefect.io/v3/how-to-guides/cloud/manage-users/api-keys',
    match: [`PREFECT_API_KEY=${fake('pnu_', 36)}`, `key: "${fake('pnb_', 36)}"`],
    noMatch: [`PREFECT_API_KEY=pnu_${'x'.repeat(36)}`, 'pnu_your_key'],
  }),
  token({
    id: 'secret-wireguard-private-key',
    what: 'WireGuard private key',
    regex: exactAssignment(
      `(?:^|[^a-z]|${ESCAPE})(?:wg_?|wireguard_?)?private_?key`,
      '(?-i:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)',
    ),
    keywords: ['privatekey', 'private_key'],
    entropy: 4.2,
    severity: 'critical',
    source: 'https://www.wireguard.com/quickstart/',
    match: [`PrivateKey = ${fake('', 42)}A=`, `WG_PRIVATE_KEY=${fake('', 42)}c=`],
    noMatch: [`PublicKey = ${fake('', 42)}A=`, 'PrivateKey = <private key>'],
  }),
];

/** https://docs.doppler.com/docs/service-tokens and its neighbours */
function dopplerPatterns(): Pattern[] {
  const kinds: [id: string, what: string, prefix: string, body: string][] = [
    ['personal-token', 'personal token', 'dp.pt.', ''],
    ['cli-token', 'CLI token', 'dp.ct.', ''],
    ['service-token', 'service token', 'dp.st.', raw`(?:[a-z0-9_-]{2,35}\.)?`],
    ['service-account-token', 'service account token', 'dp.sa.', ''],
    ['scim-token', 'SCIM token', 'dp.scim.', ''],
    ['audit-token', 'audit token', 'dp.audit.', ''],
  ];
  return kinds.map(([id, what, prefix, body]) =>
    token({
      id: `secret-doppler-${id}`,
      what: `Doppler ${what}`,
      regex: raw`(${prefix.replaceAll('.', raw`\.`)}${body}[A-Za-z0-9]{40,44})${END}`,
      keywords: [prefix],
      entropy: 3.8,
      severity: 'critical',
      source: 'https://docs.doppler.com/reference/auth-token-formats',
      match: [`DOPPLER_TOKEN=${fake(prefix, 43)}`, `token: "${fake(prefix, 40)}"`],
      noMatch: [`DOPPLER_TOKEN=${prefix}${'x'.repeat(43)}`, `${prefix}$TOKEN`],
    }),
  );
}

/** https://tailscale.com/docs/reference/key-prefixes */
function tailscalePatterns(): Pattern[] {
  const kinds: [id: string, what: string][] = [
    ['auth', 'auth key'],
    ['api', 'API access token'],
    ['client', 'OAuth client secret'],
    ['scim', 'SCIM key'],
    ['webhook', 'webhook key'],
  ];
  return kinds.map(([kind, what]) =>
    token({
      id: `secret-tailscale-${kind}-key`,
      what: `Tailscale ${what}`,
      regex: raw`(tskey-${kind}-[A-Za-z0-9]{8,20}-[A-Za-z0-9]{16,40})${END}`,
      keywords: [`tskey-${kind}-`],
      entropy: 3.5,
      severity: kind === 'webhook' ? 'high' : 'critical',
      source: 'https://tailscale.com/docs/reference/key-prefixes',
      match: [
        `TS_KEY=tskey-${kind}-${fake('', 12)}CNTRL-${fake('', 33)}`,
        `"tskey-${kind}-${fake('k', 11)}CNTRL-${fake('', 20)}"`,
      ],
      noMatch: [`TS_KEY=tskey-${kind}-...`, `tskey-${kind}-${'x'.repeat(12)}-${'x'.repeat(32)}`],
    }),
  );
}
