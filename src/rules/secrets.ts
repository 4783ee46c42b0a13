import type { Pattern } from '../model/rules.ts';
import { aiPatterns } from './secrets/ai.ts';
import { namedAiPatterns } from './secrets/ai-named.ts';
import { analyticsPatterns } from './secrets/analytics.ts';
import { azurePatterns } from './secrets/azure.ts';
import { blockchainPatterns } from './secrets/blockchain.ts';
import { ciPatterns } from './secrets/ci.ts';
import { cloudPatterns } from './secrets/cloud.ts';
import { commercePatterns } from './secrets/commerce.ts';
import { dataPatterns } from './secrets/data.ts';
import { databasePatterns } from './secrets/databases.ts';
import { devicePatterns } from './secrets/devices.ts';
import { domainPatterns } from './secrets/domains.ts';
import { addressPatterns } from './secrets/generic-addresses.ts';
import { assignmentPatterns } from './secrets/generic-assignments.ts';
import { filePatterns } from './secrets/generic-files.ts';
import { keyPatterns as genericKeyPatterns } from './secrets/generic-keys.ts';
import { schemePatterns } from './secrets/generic-schemes.ts';
import { wordPatterns } from './secrets/generic-words.ts';
import { hostingPatterns } from './secrets/hosting.ts';
import { identityPatterns } from './secrets/identity.ts';
import { infrastructurePatterns } from './secrets/infrastructure.ts';
import { keyPatterns } from './secrets/keys.ts';
import { localizationPatterns } from './secrets/localization.ts';
import { marketingPatterns } from './secrets/marketing.ts';
import { messagingPatterns } from './secrets/messaging.ts';
import { observabilityPatterns } from './secrets/observability.ts';
import { namedObservabilityPatterns } from './secrets/observability-named.ts';
import { paymentPatterns } from './secrets/payments.ts';
import { productivityPatterns } from './secrets/productivity.ts';
import { registryPatterns } from './secrets/registries.ts';
import { securityToolPatterns } from './secrets/security-tools.ts';
import { slackPatterns } from './secrets/slack.ts';
import { socialPatterns } from './secrets/social.ts';
import { sourceHostingPatterns } from './secrets/source-hosting.ts';
import { testingPatterns } from './secrets/testing.ts';

/**
 * Credentials: by the formats that vendors publish first, then what looks like one wherever it
 * stands.
 */
export const secretPatterns = [
  ...aiPatterns,
  ...namedAiPatterns,
  ...analyticsPatterns,
  ...azurePatterns,
  ...blockchainPatterns,
  ...ciPatterns,
  ...cloudPatterns,
  ...commercePatterns,
  ...dataPatterns,
  ...databasePatterns,
  ...hostingPatterns,
  ...identityPatterns,
  ...infrastructurePatterns,
  ...keyPatterns,
  ...marketingPatterns,
  ...messagingPatterns,
  ...observabilityPatterns,
  ...namedObservabilityPatterns,
  ...paymentPatterns,
  ...productivityPatterns,
  ...registryPatterns,
  ...slackPatterns,
  ...socialPatterns,
  ...sourceHostingPatterns,
  ...securityToolPatterns,
  ...testingPatterns,
  ...domainPatterns,
  ...localizationPatterns,
  ...devicePatterns,
  ...addressPatterns,
  ...assignmentPatterns,
  ...filePatterns,
  ...genericKeyPatterns,
  ...schemePatterns,
  ...wordPatterns,
] satisfies readonly Pattern[];
