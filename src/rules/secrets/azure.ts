import type { Allowlist, Pattern } from '../../model/rules.ts';
import { fake } from '../fake.ts';
import { assignment, named, TOKEN_END } from './assignment.ts';
import { END, ESCAPE, START } from './delimited.ts';
import { token } from './token.ts';

const raw = String.raw;

const SIT = 'https://learn.microsoft.com/en-us/purview/sit-defn-';

const EMULATORS: Allowlist = {
  description: 'the published keys of the Azurite and Cosmos DB emulators',
  stopwords: ['eby8vdm02xnocqflquwjpllmetlcdxj1', 'c2y6ydjf5/r+ob0n8a7cgv30vrdjiwehlm'],
};
const AZURITE = `${'Eby8vdM02xNOcqFlquwJPLlmEtlCDXJ1'}${fake('', 54)}==`;

/** Credentials of Microsoft Azure, Entra and Azure DevOps. */
export const azurePatterns: readonly Pattern[] = [
  token({
    id: 'secret-azure-storage-account-key',
    what: 'Azure Storage or Cosmos DB account key',
    regex: raw`(?i)AccountKey\s{0,4}=\s{0,4}([a-z0-9+/]{86}==)`,
    keywords: ['accountkey'],
    entropy: 4,
    severity: 'critical',
    allowlists: [EMULATORS],
    source: `${SIT}azure-storage-account-key`,
    match: [
      `DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=${fake('', 86)}==;`,
      `AccountEndpoint=https://acme.documents.azure.com/;AccountKey=${fake('', 86)}==`,
    ],
    noMatch: [
      `AccountName=devstoreaccount1;AccountKey=${AZURITE}`,
      'AccountName=acme;AccountKey=$STORAGE_KEY',
    ],
  }),
  named({
    id: 'secret-azure-account-key-value',
    what: 'Azure Storage or Cosmos DB account key under a name',
    vendors: ['azure', 'cosmos', 'storage_account', 'storageaccount'],
    words: 'key',
    value: '[A-Za-z0-9+/]{86}==',
    sample: `${fake('', 86)}==`,
    names: ['AZURE_STORAGE_KEY', 'azureStorageKey'],
    noMatch: [
      `AZURE_STORAGE_ACCOUNT_KEY=${AZURITE}`,
      `AZURE_COSMOS_KEY=${'C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4'}${fake('', 50)}==`,
    ],
    entropy: 4,
    allowlists: [EMULATORS],
    severity: 'critical',
    source: `${SIT}azure-storage-account-key`,
  }),
  token({
    id: 'secret-azure-identifiable-key',
    what: 'Azure service key with the signature of its service',
    regex: raw`(?:^|[^A-Za-z0-9+/]|${ESCAPE})([A-Za-z0-9+/]{76}(?:\+ASt|\+ABa|\+AMC|ACDb|APIM)[A-Za-z0-9+/]{5}[AQgw]==|[A-Za-z0-9+/]{33}(?:AIoT|\+ASb|\+AEh|\+ARm|AzCa)[A-P][A-Za-z0-9+/]{5}=|[A-Za-z0-9+/]{42}\+ACR[A-D][A-Za-z0-9+/]{5}|[A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}|[A-Za-z0-9_-]{44}AzFu[A-Za-z0-9_-]{5}[AQgw]==)(?:[^A-Za-z0-9+/=]|$)`,
    keywords: [
      '+ast',
      '+aba',
      '+amc',
      'acdb',
      'apim',
      'aiot',
      '+asb',
      '+aeh',
      '+arm',
      'azca',
      '+acr',
      'azse',
      'azfu',
    ],
    entropy: 4.3,
    severity: 'critical',
    source: `${SIT}azure-storage-account-key-generic`,
    match: [
      `storageKey: "${fake('', 76)}+ASt${fake('', 5)}A=="`,
      `SEARCH_ADMIN_KEY=${fake('', 42)}AzSeA${fake('', 5)}`,
    ],
    noMatch: [
      `"integrity": "sha512-${fake('', 86)}=="`,
      `storageKey: "${'A'.repeat(76)}+ASt${'A'.repeat(6)}=="`,
    ],
  }),
  token({
    id: 'secret-azure-ai-key',
    what: 'Azure AI services key',
    regex: raw`${START}([A-Za-z0-9]{52}JQQJ9[9D][A-Za-z0-9][A-L][A-Za-z0-9]{16}[A-Za-z][A-Za-z0-9]{7}(?:[A-Za-z0-9]{2}==)?)(?:[^A-Za-z0-9+/=]|$)`,
    keywords: ['jqqj9'],
    entropy: 4,
    severity: 'critical',
    source: 'https://learn.microsoft.com/en-us/azure/ai-services/authentication',
    match: [
      `AZURE_OPENAI_API_KEY=${fake('', 52)}JQQJ99BAC${fake('', 15)}${fake('A', 7)}`,
      `"apiKey": "${fake('', 52)}JQQJ99AKA${fake('', 15)}${fake('X', 7)}"`,
    ],
    noMatch: ['AZURE_OPENAI_API_KEY=JQQJ99...', `${'a'.repeat(52)}JQQJ99BAC${'a'.repeat(23)}`],
  }),
  token({
    id: 'secret-azure-cognitive-key',
    what: 'Azure AI services key of the older form',
    regex: assignment(
      'azure_?(?:openai|cognitive|speech|search|translator)|ocp-apim',
      '[a-f0-9]{32}',
    ),
    keywords: [
      'azure_openai',
      'azureopenai',
      'azure_cognitive',
      'azurecognitive',
      'azure_speech',
      'azurespeech',
      'azure_search',
      'azuresearch',
      'azure_translator',
      'azuretranslator',
      'ocp-apim',
    ],
    entropy: 3,
    source: 'https://learn.microsoft.com/en-us/azure/ai-services/authentication',
    match: [
      `AZURE_OPENAI_API_KEY=${fake('', 32, 'hex')}`,
      `'Ocp-Apim-Subscription-Key': '${fake('', 32, 'hex')}'`,
    ],
    noMatch: ['AZURE_OPENAI_API_KEY=<key>', `azure_openai_deployment_etag: ${fake('', 40, 'hex')}`],
  }),
  token({
    id: 'secret-azure-client-secret',
    what: 'Microsoft Entra client secret',
    regex: raw`(?:^|[^A-Za-z0-9~.-]|${ESCAPE})([A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34})${TOKEN_END}`,
    keywords: ['7q~', '8q~'],
    entropy: 3.5,
    severity: 'critical',
    source: `${SIT}client-secret-api-key`,
    match: [`AZURE_CLIENT_SECRET=${fake('abC8Q~', 34)}`, `clientSecret: "${fake('x_77Q~', 31)}"`],
    noMatch: ['AZURE_CLIENT_SECRET=abC8Q~...', `clientSecret: "abC8Q~${'x'.repeat(34)}"`],
  }),
  token({
    id: 'secret-azure-shared-access-key',
    what: 'Azure shared access key (Service Bus, Event Hubs, IoT Hub)',
    regex: raw`(?i)SharedAccessKey\s{0,4}=\s{0,4}([a-z0-9+/]{43}=)(?:[^a-z0-9+/=]|$)`,
    keywords: ['sharedaccesskey'],
    entropy: 4,
    severity: 'critical',
    source: `${SIT}azure-service-bus-connection-string`,
    match: [
      `Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${fake('', 43)}=`,
      `HostName=acme.azure-devices.net;SharedAccessKeyName=o;SharedAccessKey=${fake('', 43)}=;`,
    ],
    noMatch: [
      'Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=<key>',
      `SharedAccessKey=${'A'.repeat(43)}=`,
    ],
  }),
  token({
    id: 'secret-azure-sas',
    what: 'Azure shared access signature',
    regex: raw`[?&;"'](?:amp;)?sig=([A-Za-z0-9%/+]{43,80}(?:%3[Dd]|=))`,
    keywords: ['&sig=', '?sig=', '&amp;sig=', ';sig=', '"sig=', "'sig="],
    entropy: 4,
    source: `${SIT}azure-sas`,
    match: [
      `https://acme.blob.core.windows.net/a?sv=2022-11-02&se=2030-01-01&sp=rl&sig=${fake('', 43)}%3D`,
      `https://prod.logic.azure.com/workflows/a/triggers/m?sv=1.0&sig=${fake('', 43)}=`,
    ],
    noMatch: [
      'https://acme.blob.core.windows.net/a?sv=2022-11-02&sig=REDACTED',
      `https://acme.example/verify?user=1&sig=\${signature}`,
    ],
  }),
  token({
    id: 'secret-azure-devops-pat',
    what: 'Azure DevOps personal access token',
    regex: raw`${START}([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})${END}`,
    keywords: ['azdo'],
    entropy: 4,
    severity: 'critical',
    source: `${SIT}azure-devops-personal-access-token`,
    match: [
      `AZURE_DEVOPS_EXT_PAT=${fake('', 76)}AZDO${fake('', 4)}`,
      `password: "${fake('', 76)}AZDO${fake('9', 3)}"`,
    ],
    noMatch: ['AZDO_PAT=$(System.AccessToken)', `${'a'.repeat(76)}AZDOabcd`],
  }),
  token({
    id: 'secret-azure-devops-legacy-pat',
    what: 'Azure DevOps personal access token of the older form',
    regex: assignment('azure_?devops|azdo|vsts|vsce', '(?-i:[a-z2-7]{52})'),
    keywords: ['azuredevops', 'azure_devops', 'azdo', 'vsts', 'vsce'],
    entropy: 3,
    severity: 'critical',
    source: `${SIT}azure-devops-personal-access-token`,
    match: [
      `AZURE_DEVOPS_PAT=${fake('', 52, 'upper').toLowerCase()}`,
      `vsceToken: "${fake('', 52, 'upper').toLowerCase()}"`,
    ],
    noMatch: ['AZURE_DEVOPS_PAT=your-personal-access-token', `VSTS_TOKEN=${'a'.repeat(52)}`],
  }),
];
