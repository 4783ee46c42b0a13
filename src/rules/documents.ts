import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import {
  CHANGE_MARK,
  type DocumentCondition,
  type Pattern,
  RESOURCE_KINDS,
  type ResourceKind,
} from '../model/rules.ts';

/** A fact about configuration as `src/rules/configuration/*.yaml` has it. */
interface Fact
  extends Pick<Pattern, 'severity' | 'message' | 'fix' | 'cwe' | 'source'>,
    Partial<Record<ResourceKind, Form>> {
  readonly id: string;
  readonly title: string;
}

/** How one kind of document says it. */
interface Form extends Omit<DocumentCondition, 'kind' | 'on' | 'without' | 'replaces' | 'keys'> {
  /** Types of resources, separated by spaces; absent: those of `keys`. */
  readonly on?: string;
  /** Paths by the type of resource, separated by spaces. */
  readonly keys?: Readonly<Record<string, string>>;
  readonly without?: string;
  readonly replaces?: string;
  /** Where its examples stand, if not where those of its kind do. */
  readonly path?: string;
  /** The id of findings, where a rule on lines has said it before. */
  readonly reports?: string;
  /**
   * Texts of documents, or what stands in a resource of the first type. Of a rule on changes, the
   * texts before and after, with a line `=>` between.
   */
  readonly bad: readonly string[];
  readonly good: readonly string[];
}

const FOLDER = new URL('../../../src/rules/configuration/', import.meta.url);

function rulesOf({ id, title, severity, message, fix, cwe, source, ...forms }: Fact): Pattern[] {
  return RESOURCE_KINDS.flatMap((kind) => {
    const form = forms[kind];
    if (form === undefined) return [];
    const { on, keys, without, replaces, path: own, reports, bad, good, ...condition } = form;
    const paths = Object.entries(keys ?? {}).map(([type, some]) => [type, some.split(/\s+/)]);
    const types = on?.split(/\s+/).filter(Boolean) ?? Object.keys(keys ?? {});
    const { path, replaces: ofKind = [], document } = KINDS[kind];
    const isOfChange = condition.change !== undefined;
    const replaced = [...(isOfChange ? [] : ofKind), ...(replaces?.split(/\s+/) ?? [])];
    const inResource = (text: string) => document?.(types[0] ?? '', text) ?? text;
    const whole = (text: string) => (text.trim() === '' ? '' : inResource(text));
    const wrap = (text: string) => {
      return isOfChange ? text.split(CHANGE_MARK).map(whole).join('\n=>\n') : inResource(text);
    };
    return [
      {
        id: `risk-${kind}-${id}`,
        ...(reports === undefined ? {} : { report_as: reports }),
        description: title,
        document: {
          kind,
          on: types,
          ...condition,
          ...(keys === undefined ? {} : { keys: Object.fromEntries(paths) }),
          ...(without === undefined ? {} : { without: without.split(/\s+/) }),
          ...(replaced.length === 0 ? {} : { replaces: replaced }),
        },
        severity,
        message,
        ...(fix === undefined ? {} : { fix }),
        ...(cwe === undefined ? {} : { cwe }),
        source,
        examples: { path: own ?? path, match: bad.map(wrap), noMatch: good.map(wrap) },
      },
    ];
  });
}

/** Rules on lines of infrastructure, which still look at hunks and at other notations. */
const CLOUD_LINES = [
  'risk-cloud-admin-role',
  'risk-cloud-logging-off',
  'risk-deletion-unprotected',
  'risk-encryption-off',
  'risk-iam-principal-any',
  'risk-iam-service-wildcard',
  'risk-iam-wildcard',
  'risk-imds-v1',
  'risk-ingress-admin-port',
  'risk-ingress-any',
  'risk-public-bucket',
  'risk-public-database',
  'risk-public-member',
  'risk-public-writable-bucket',
  'risk-tls-old',
];

const DJANGO_LINES = ['risk-debug-on', 'risk-hosts-any', 'risk-browser-guard-off'];

interface Kind {
  /** Where examples stand. */
  path: string;
  /** Rules on lines that all rules of this kind replace: a resource says more than its lines. */
  replaces?: readonly string[];
  /**
   * An example as a whole document: the text may be the inside of a resource of the type. Absent:
   * examples are documents.
   */
  document?(type: string, text: string): string;
}

const KINDS: Readonly<Record<ResourceKind, Kind>> = {
  terraform: { path: 'main.tf', replaces: CLOUD_LINES, document: terraform },
  cloudformation: { path: 'template.yaml', replaces: CLOUD_LINES, document: cloudformation },
  kubernetes: { path: 'app.yaml', document: kubernetes },
  dockerfile: { path: 'Dockerfile' },
  compose: {
    path: 'compose.yaml',
    document: (_type, text) =>
      text.includes('services:') ? text : `services:\n  app:\n${indented(text, 4)}\n`,
  },
  workflow: { path: '.github/workflows/ci.yml', document: workflow },
  gitlab: {
    path: '.gitlab-ci.yml',
    document: (type, text) =>
      type === 'Pipeline' || /^ +(?:script|trigger|extends):/m.test(text)
        ? text
        : `job:\n${indented(text, 2)}\n`,
  },
  jenkins: {
    path: 'Jenkinsfile',
    document: (_type, text) =>
      /\bpipeline\s*\{/.test(text) ? text : `node {\n${indented(text, 2)}\n}\n`,
  },
  'azure-pipelines': { path: 'azure-pipelines.yml', document: azurePipelines },
  circleci: {
    path: '.circleci/config.yml',
    document: (type, text) => {
      if (type === 'Pipeline' || /^(?:jobs|commands):/m.test(text)) return text;
      const job = type === 'Step' ? `steps:\n  -\n${indented(text, 4)}` : text;
      return `jobs:\n  app:\n${indented(job, 4)}\n`;
    },
  },
  bitbucket: {
    path: 'bitbucket-pipelines.yml',
    document: (type, text) => {
      if (/^(?:pipelines|definitions):/m.test(text)) return text;
      if (type === 'Pipeline') return `${text}\npipelines:\n  default: []\n`;
      return `pipelines:\n  default:\n    - step:\n${indented(text, 8)}\n`;
    },
  },
  drone: {
    path: '.drone.yml',
    document: (type, text) => {
      if (/^(?:steps|services):/m.test(text)) return text;
      const step = type === 'Step' ? text : 'image: a';
      return `${type === 'Step' ? '' : `${text}\n`}steps:\n  -\n${indented(step, 4)}\n`;
    },
  },
  migration: { path: 'db/migrations/1_change.sql', document: (_type, text) => text },
  nginx: { path: 'nginx/site.conf' },
  apache: { path: 'apache/site.conf' },
  haproxy: { path: 'haproxy.cfg' },
  sshd: { path: 'sshd_config' },
  systemd: { path: 'app.service' },
  spring: { path: 'application.properties', replaces: ['risk-actuator-exposed'] },
  django: { path: 'app/settings.py', replaces: DJANGO_LINES },
  npm: { path: '.npmrc' },
  yarn: { path: '.yarnrc.yml' },
  pip: { path: 'pip.conf' },
  conda: { path: 'environment.yml' },
  php: { path: 'php.ini' },
  mysql: { path: 'my.cnf' },
  postgresql: { path: 'postgresql.conf' },
  redis: { path: 'redis.conf' },
  helm: { path: 'charts/app/values.yaml' },
  kustomize: { path: 'kustomization.yaml' },
  cargo: { path: '.cargo/config.toml' },
  pyproject: { path: 'pyproject.toml' },
  traefik: { path: 'traefik.toml' },
  'gitlab-runner': { path: 'gitlab-runner/config.toml' },
  containerd: { path: 'containerd/config.toml' },
};

function terraform(type: string, text: string): string {
  if (
    /^\s*(?:resource|data|provider|module|variable|locals|terraform|moved|removed)\b[^=\n]*\{/m.test(
      text,
    )
  ) {
    return text;
  }
  if (type === 'PolicyStatement') {
    const statement = `  statement {\n${indented(text, 4)}\n  }`;
    return `data "aws_iam_policy_document" "this" {\n${statement}\n}\n`;
  }
  const [, data, provider] = /^(?:(data)|(provider))\./.exec(type) ?? [];
  const label = type.replace(/^(?:data|provider)\./, '');
  const head = provider ? `provider "${label}"` : `${data ?? 'resource'} "${label}" "this"`;
  return `${head} {\n${indented(text, 2)}\n}\n`;
}

function cloudformation(type: string, text: string): string {
  if (/^Resources:/m.test(text)) return text;
  if (type === 'PolicyStatement') {
    const statement = `PolicyDocument:\n  Statement:\n    -\n${indented(text, 6)}`;
    return cloudformation('AWS::IAM::ManagedPolicy', statement);
  }
  return `Resources:\n  This:\n    Type: ${type}\n    Properties:\n${indented(text, 6)}\n`;
}

function kubernetes(type: string, text: string): string {
  if (/^kind:/m.test(text)) return text;
  const pod = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: app\nspec:\n';
  if (type === 'PodSpec') return `${pod}${indented(text, 2)}\n`;
  if (type === 'Container') {
    return `${pod}  containers:\n    - name: app\n${indented(text, 6)}\n`;
  }
  return `apiVersion: v1\nkind: ${type}\nmetadata:\n  name: app\n${text}\n`;
}

function workflow(type: string, text: string): string {
  if (/^(?:jobs|runs):/m.test(text)) return text;
  if (type === 'Workflow') return `${text}\njobs: {}\n`;
  const job = type === 'Step' ? `runs-on: ubuntu-latest\nsteps:\n  -\n${indented(text, 4)}` : text;
  return `on: push\njobs:\n  app:\n${indented(job, 4)}\n`;
}

function azurePipelines(type: string, text: string): string {
  if (/^(?:stages|jobs|steps):/m.test(text)) return text;
  if (type === 'Pipeline') return `${text}\nsteps: []\n`;
  if (type === 'Step') return `steps:\n  -\n${indented(text, 4)}\n`;
  return `jobs:\n  - job: app\n${indented(text, 4)}\n`;
}

function indented(text: string, by: number): string {
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => (line === '' ? '' : `${' '.repeat(by)}${line}`)).join('\n');
}

/** Facts as the build has parsed them, which takes seconds, and the state of what it has read. */
interface ParsedFacts {
  readonly sources: readonly string[];
  readonly facts: readonly Fact[];
}

const PARSED = new URL('configuration.json', import.meta.url);

/** Files of facts: name, size and time of the last change of each. */
function sourcesOf(files: readonly string[]): string[] {
  return files.map((file) => {
    const { size, mtimeMs } = statSync(new URL(file, FOLDER));
    return `${file} ${size} ${mtimeMs}`;
  });
}

/** Takes the facts that the build has parsed as long as no file has changed since. */
function readFacts(files: readonly string[]): readonly Fact[] {
  const parsed = readParsed();
  if (parsed?.sources.join() === sourcesOf(files).join()) return parsed.facts;
  return files.flatMap((file) => parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Fact[]);
}

function readParsed(): ParsedFacts | null {
  try {
    return JSON.parse(readFileSync(PARSED, 'utf8')) as ParsedFacts;
  } catch {
    return null;
  }
}

const FILES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .sort();
const FACTS = readFacts(FILES);

/** Rules on documents: each fact is a rule for each kind of document that can say it. */
export const documentPatterns: readonly Pattern[] = FACTS.flatMap(rulesOf);

/**
 * Keeps the parsed facts for the tests, each of which is a process of its own.
 * @public The build calls it (tools/build-rules.mjs).
 */
export function storeFacts(): void {
  const parsed: ParsedFacts = { sources: sourcesOf(FILES), facts: FACTS };
  writeFileSync(PARSED, JSON.stringify(parsed));
}
