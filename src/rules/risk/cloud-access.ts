import type { Pattern } from '../../model/rules.ts';
import { COMMENTS, TESTS } from './allowlists.ts';
import { DOCUMENT_TAG, INFRASTRUCTURE, TERRAFORM } from './paths.ts';

const raw = String.raw;

/** Who may do what in a cloud account, and what Terraform itself may run. */
export const cloudAccessPatterns = [
  {
    id: 'risk-iam-wildcard',
    description: 'IAM policy allows all actions',
    tags: [DOCUMENT_TAG],
    regex: raw`(?i)["']?\b(?:not)?actions?["']?\s*[:=]\s*\[?\s*["'](?:\*|\*:\*)["']`,
    path: raw`(?i)\.(?:tf|json|ya?ml|hcl|ts|py|template)$`,
    keywords: ['action'],
    severity: 'medium',
    message: 'This policy allows everything that the service can do.',
    fix: 'List the actions that are needed.',
    cwe: 'CWE-732',
    source:
      'https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege',
    examples: {
      path: 'infra/policy.tf',
      match: ['      "Action": "*",', '    actions   = ["*"]'],
      noMatch: ['      "Action": "s3:GetObject",', '    actions   = ["s3:*"]'],
    },
  },
  {
    id: 'risk-iam-service-wildcard',
    description: 'IAM policy allows all actions of a privileged service',
    tags: [DOCUMENT_TAG],
    regex: raw`["'](?:iam|sts|kms|organizations|secretsmanager|sso|ssm)\s*:\s*\*["']|["']iam:PassRole["'].{0,80}["']Resource["']?\s*[:=]\s*\[?["']\*["']`,
    path: raw`(?i)\.(?:tf|tofu|json|ya?ml|hcl|ts|py|template)$`,
    keywords: ['iam:', 'sts:*', 'kms:*', 'organizations:*', 'secretsmanager:*', 'sso:*', 'ssm:*'],
    allowlists: [TESTS, COMMENTS],
    severity: 'medium',
    message: 'With these actions the holder can take every other right, or every secret.',
    fix: 'List the actions and the resources.',
    cwe: 'CWE-269',
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_job-functions.html',
    examples: {
      path: 'infra/policy.tf',
      match: ['    actions = ["iam:*"]', '      "Action": ["s3:GetObject", "secretsmanager:*"],'],
      noMatch: ['    actions = ["iam:GetUser"]', '    actions = ["s3:*"]'],
    },
  },
  {
    id: 'risk-iam-principal-any',
    description: 'IAM policy with a wildcard principal',
    tags: [DOCUMENT_TAG],
    regex: raw`["']?\bPrincipal["']?\s*[:=]\s*(?:["']\*["']|\{\s*["']?AWS["']?\s*[:=]\s*\[?\s*["']\*["'])|\bidentifiers\s*=\s*\[\s*"\*"`,
    path: INFRASTRUCTURE,
    keywords: ['principal', 'identifiers'],
    allowlists: [TESTS, COMMENTS],
    severity: 'medium',
    message: 'Unless a condition narrows it, every AWS account in the world is meant.',
    fix: 'Name the accounts or roles, or add a condition on the organisation.',
    cwe: 'CWE-284',
    source:
      'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html#principal-anonymous',
    examples: {
      path: 'infra/policy.tf',
      match: [
        '      "Principal": "*",',
        '      Principal = { AWS = "*" }',
        '      identifiers = ["*"]',
      ],
      noMatch: [
        '      "Principal": { "Service": "ec2.amazonaws.com" },',
        '      identifiers = ["arn:aws:iam::1:root"]',
      ],
    },
  },
  {
    id: 'risk-cloud-admin-role',
    description: 'Administrator role on an account, project or subscription',
    regex: raw`\barn:aws:iam::aws:policy/(?:AdministratorAccess|IAMFullAccess|PowerUserAccess)\b|["'=](?:roles/(?:owner|editor|iam\.securityAdmin|resourcemanager\.organizationAdmin))["']|\brole_definition_name\s*=\s*"(?:Owner|User Access Administrator)"`,
    path: raw`(?i)\.(?:tf|tofu|hcl|tfvars|ya?ml|json|template|sh|ts|py)$`,
    keywords: [
      'iam::aws:policy/',
      'roles/owner',
      'roles/editor',
      'roles/iam.securityadmin',
      'roles/resourcemanager',
      'role_definition_name',
    ],
    allowlists: [TESTS, COMMENTS],
    severity: 'medium',
    message: 'Anybody who gets into this identity owns the account.',
    fix: 'A role with the actions that are needed.',
    cwe: 'CWE-250',
    source:
      'https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AdministratorAccess.html',
    examples: {
      path: 'infra/iam.tf',
      match: [
        '  policy_arn = "arn:aws:iam::aws:policy/AdministratorAccess"',
        '  role = "roles/owner"',
      ],
      noMatch: [
        '  policy_arn = "arn:aws:iam::aws:policy/ReadOnlyAccess"',
        '  role = "roles/viewer"',
      ],
    },
  },
  {
    id: 'risk-oidc-any-repository',
    description: 'OIDC trust policy accepts any repository or branch',
    regex: raw`token\.actions\.githubusercontent\.com:sub["']?\s*[:=,]?\s*\[?\s*["']repo:(?:\*|[\w.-]+/\*)|["']repo:\*["']|["']repo:[\w.-]+/\*:?\*?["']`,
    path: INFRASTRUCTURE,
    keywords: ['repo:'],
    allowlists: [TESTS, COMMENTS],
    severity: 'medium',
    message: 'A workflow in another repository, or of a pull request, can take this role.',
    fix: 'Name the repository and the branch or environment.',
    cwe: 'CWE-284',
    source: 'https://docs.github.com/en/actions/concepts/security/openid-connect',
    examples: {
      path: 'infra/oidc.tf',
      match: [
        '      values   = ["repo:acme/*:*"]',
        `  "token.actions.githubusercontent.com:sub": "repo:*"`,
      ],
      noMatch: ['      values   = ["repo:acme/app:ref:refs/heads/main"]', '      repo: "acme/app"'],
    },
  },
  {
    id: 'risk-imds-v1',
    description: 'Instance metadata service v1 is enabled',
    regex: raw`\bhttp_tokens\s*=\s*"optional"|\bHttpTokens["']?\s*:\s*["']?optional\b`,
    path: INFRASTRUCTURE,
    keywords: ['http_tokens', 'httptokens'],
    allowlists: [TESTS, COMMENTS],
    severity: 'low',
    message: 'A flaw of the SSRF kind becomes a theft of the credentials of this machine.',
    fix: 'http_tokens = "required"',
    cwe: 'CWE-918',
    source:
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html',
    examples: {
      path: 'infra/ec2.tf',
      match: ['    http_tokens = "optional"', '        HttpTokens: optional'],
      noMatch: ['    http_tokens = "required"', '        HttpTokens: required'],
    },
  },
  {
    id: 'risk-terraform-exec',
    description: 'Terraform runs local commands',
    regex: raw`\bprovisioner\s+"(?:local-exec|remote-exec)"|\bdata\s+"external"\s+"`,
    path: TERRAFORM,
    keywords: ['provisioner', 'data "external"'],
    allowlists: [TESTS],
    severity: 'low',
    message:
      'Anybody who changes this runs commands with the rights of Terraform; data does so on plan.',
    fix: 'Use a resource of a provider.',
    cwe: 'CWE-78',
    source: 'https://developer.hashicorp.com/terraform/language/provisioners',
    examples: {
      path: 'infra/main.tf',
      match: ['  provisioner "local-exec" {', 'data "external" "version" {'],
      noMatch: ['data "aws_ami" "base" {', 'provider "external" {'],
    },
  },
  {
    id: 'risk-terraform-module-unpinned',
    description: 'Terraform module is not pinned',
    regex: raw`^\s*source\s*=\s*"(?:git::[^"?]*|github\.com/[^"?]*|git@[^"?]*|https?://[^"?]*\.(?:zip|tar\.gz|tgz))"`,
    path: TERRAFORM,
    keywords: ['git::', '"github.com/', 'git@', '.zip"', '.tgz"', '.tar.gz"'],
    allowlists: [TESTS],
    severity: 'low',
    message: 'A push there changes what the next apply does here.',
    fix: 'Add ?ref= with a tag or the SHA of a commit.',
    cwe: 'CWE-829',
    source:
      'https://developer.hashicorp.com/terraform/language/modules/configuration#selecting-a-revision',
    examples: {
      path: 'infra/main.tf',
      match: ['  source = "git::https://git.acme.io/vpc.git"', '  source = "github.com/acme/vpc"'],
      noMatch: [
        '  source = "git::https://git.acme.io/vpc.git?ref=v1.2.0"',
        '  source = "./modules/vpc"',
      ],
    },
  },
] satisfies readonly Pattern[];
