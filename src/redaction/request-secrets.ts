import type { CancelFlag } from '../core/cancel-flag.ts';
import type { CompiledRules } from '../gates/patterns/compile.ts';
import type { AnalyzeRequest } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import { redactLines } from './redact.ts';

/** What names the change: it must stay as it is, so it may hold no secret. */
const NAMES = ['repo_name', 'branch', 'commitSha', 'repoFullName'] as const;

/**
 * The request as it may be kept: secrets in the commit message are hidden. INVALID_ARGUMENT for a
 * name that holds one, as names are shown everywhere and cannot be changed.
 */
export function withoutSecrets(
  request: AnalyzeRequest,
  rules: CompiledRules,
  cancel: CancelFlag,
): AnalyzeRequest {
  const names = NAMES.map((field) => request[field] ?? '').join('\n');
  if (redactLines(names, rules, cancel) !== names) refuseName(request, rules, cancel);
  const { commit_message } = request;
  const shown = commit_message === '' ? '' : redactLines(commit_message, rules, cancel);
  return shown === commit_message ? request : { ...request, commit_message: shown };
}

function refuseName(request: AnalyzeRequest, rules: CompiledRules, cancel: CancelFlag): void {
  for (const field of NAMES) {
    const name = request[field] ?? '';
    if (redactLines(name, rules, cancel) === name) continue;
    throw new CraError('INVALID_ARGUMENT', `${field}: holds what looks like a secret`, {
      details: { field },
    });
  }
}
