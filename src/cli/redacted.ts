import { createCancelFlag } from '../core/deadline.ts';
import { createKnownSecretFinder, digestSecrets } from '../core/known-secrets.ts';
import type { AuditSettings } from '../daemon/config/config.ts';
import { findCheckpointSeed } from '../daemon/data-dir.ts';
import { prepareRules } from '../gates/patterns/compile.ts';
import { redactTexts } from '../redaction/redact.ts';
import { loadActiveRules } from '../rulebook/active-rules.ts';

/** Texts as the service writes them into the trail, from which nothing can be removed. */
export async function withoutSecrets(
  texts: readonly string[],
  { ownSecrets, dataDir }: AuditSettings,
): Promise<string[]> {
  const { rules } = await loadActiveRules(null);
  const seed = findCheckpointSeed(dataDir);
  const own = digestSecrets(seed === null ? [] : [seed], ownSecrets);
  const find = createKnownSecretFinder(own);
  return redactTexts(texts, prepareRules(rules), createCancelFlag(), find);
}
