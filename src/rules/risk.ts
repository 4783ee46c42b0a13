import type { Pattern } from '../model/rules.ts';
import { authPatterns } from './risk/auth.ts';
import { checkPatterns } from './risk/checks.ts';
import { cloudPatterns } from './risk/cloud.ts';
import { cloudAccessPatterns } from './risk/cloud-access.ts';
import { containerPatterns } from './risk/containers.ts';
import { dependencyPatterns } from './risk/dependencies.ts';
import { exfiltrationPatterns } from './risk/exfiltration.ts';
import { fetchAndRunPatterns } from './risk/fetch-and-run.ts';
import { goJavaPatterns } from './risk/go-java.ts';
import { hiddenTextPatterns } from './risk/hidden-text.ts';
import { hostPatterns } from './risk/hosts.ts';
import { kubernetesPatterns } from './risk/kubernetes.ts';
import { llmInjectionPatterns } from './risk/llm-injection.ts';
import { malwarePatterns } from './risk/malware.ts';
import { migrationPatterns } from './risk/migrations.ts';
import { nativeShellPatterns } from './risk/native-shell.ts';
import { phpRubyPatterns } from './risk/php-ruby.ts';
import { pipelinePatterns } from './risk/pipelines.ts';
import { pythonPatterns } from './risk/python.ts';
import { repositoryPatterns } from './risk/repository.ts';
import { settingPatterns } from './risk/settings.ts';
import { sqlPatterns } from './risk/sql.ts';
import { templatePatterns } from './risk/templates.ts';
import { workflowPatterns } from './risk/workflows.ts';

/**
 * Changes that are risky by what they touch, by group. Few block: high is for what is grave and
 * nearly always wrong, medium and low add to the score, info only tells.
 */
export const riskPatternGroups = {
  sql: sqlPatterns,
  migrations: migrationPatterns,
  auth: authPatterns,
  hosts: hostPatterns,
  workflows: workflowPatterns,
  pipelines: pipelinePatterns,
  fetchAndRun: fetchAndRunPatterns,
  containers: containerPatterns,
  kubernetes: kubernetesPatterns,
  cloud: cloudPatterns,
  cloudAccess: cloudAccessPatterns,
  dependencies: dependencyPatterns,
  settings: settingPatterns,
  checks: checkPatterns,
  repository: repositoryPatterns,
  hiddenText: hiddenTextPatterns,
  llmInjection: llmInjectionPatterns,
  malware: malwarePatterns,
  exfiltration: exfiltrationPatterns,
  python: pythonPatterns,
  goJava: goJavaPatterns,
  phpRuby: phpRubyPatterns,
  templates: templatePatterns,
  nativeShell: nativeShellPatterns,
} satisfies Record<string, readonly Pattern[]>;

/** All of them. */
export const riskPatterns: readonly Pattern[] = Object.values(riskPatternGroups).flat();
