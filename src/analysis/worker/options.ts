import type { SecretDigests } from '../../core/known-secrets.ts';
import type { Registry } from '../../gates/dependencies/registry.ts';
import type { Syntax } from '../../rpc/contract.ts';
import type { Client } from '../../rpc/service.ts';
import type { Trees } from '../../rpc/source-contract.ts';
import type { RulesCache } from './rules-cache.ts';
import type { FindAccepted } from './suppress.ts';

/** Parts of a scan thread that serve all of its changes. */
export interface AnalysisServiceOptions {
  rules: RulesCache;
  /** 32 bytes each. */
  fingerprintKey: Uint8Array;
  sealKey: Uint8Array;
  /** Digests of the secrets that the service is configured with. */
  ownSecrets: SecretDigests;
  syntax: Client<typeof Syntax>;
  /** Files of repositories; null: nobody serves them. */
  trees: Client<typeof Trees> | null;
  /** Null: without a store, nothing was accepted by decisions. */
  accepted: FindAccepted | null;
  /** Registries that are asked about new packages; null: no registry is set. */
  registry: Registry | null;
  now(): Date;
}
