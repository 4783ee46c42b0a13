import type { Pattern } from '../../model/rules.ts';
import { fake } from '../fake.ts';
import { FAKE_UUID, named, TOKEN_END, UUID } from './assignment.ts';
import { BEFORE, delimited, END, START } from './delimited.ts';
import { token } from './token.ts';

const raw = String.raw;

/** Keys that the tools' own documentation publishes: money sent there is lost. */
const DEVELOPMENT_KEYS = [
  'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  '47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  '4f3edf983ac636a65a842ce7c78d9aa706d3b113bce9c46f30d7d21715b23b1d',
];

const TESTS = raw`(?i)(?:^|/)(?:tests?|__tests__|specs?|fixtures?|testdata|vectors?|mocks?|examples?)/|[._-](?:test|spec)\.`;
const IN_TESTS = { description: 'made for a test', paths: [TESTS] };

/** Twelve words that are no one's phrase. */
const FAKE_PHRASE = 'zebra quick mango river stone paper cloud tiger ocean bread candle window';

/** Credentials of chains: keys of wallets, nodes, explorers and exchanges. */
export const blockchainPatterns: readonly Pattern[] = [
  named({
    id: 'secret-ethereum-private-key',
    what: 'private key of an Ethereum wallet',
    vendors: ['private_key', 'privatekey', 'deployer', 'wallet_key', 'walletkey', 'priv_key'],
    words: 'key|pk|',
    value: '(?:0x)?[0-9a-fA-F]{64}',
    sample: fake('0x', 64, 'hex'),
    names: ['DEPLOYER_PRIVATE_KEY', 'privateKey'],
    severity: 'critical',
    allowlists: [
      IN_TESTS,
      { description: 'keys of Hardhat, Anvil and Ganache', stopwords: DEVELOPMENT_KEYS },
    ],
    source: 'https://ethereum.org/en/developers/docs/accounts/',
  }),
  token({
    id: 'secret-wallet-mnemonic',
    what: 'Recovery phrase of a wallet',
    regex: raw`(?i)(?:mnemonic|seed_?phrase|recovery_?phrase|secret_?phrase)[\w-]{0,16}["'\]]{0,2}\s{0,4}(?::\s{0,2}string\s{0,4}=|=>|[:=,(])\s{0,4}["'\x60]?((?:[a-z]{3,8} ){11}(?:(?:[a-z]{3,8} ){3,12})?[a-z]{3,8})(?:["'\x60,;)]|\s*$)`,
    keywords: ['mnemonic', 'seed_phrase', 'seedphrase', 'recovery_phrase', 'secret_phrase'],
    entropy: 3,
    severity: 'critical',
    allowlists: [
      IN_TESTS,
      {
        description: 'phrases of documentation and tools; prose',
        stopwords: [
          'test test',
          'abandon abandon',
          'candy maple cake',
          'myth like bonus',
          'legal winner',
        ],
      },
      {
        description: 'prose',
        regexes: [raw`\b(?:the|and|for|with|are|not|from|must|which|its|has)\b`],
      },
    ],
    source: 'https://github.com/bitcoin/bips/blob/master/bip-0039.mediawiki',
    match: [`MNEMONIC="${FAKE_PHRASE}"`, `const seedPhrase = '${FAKE_PHRASE}';`],
    noMatch: [
      'MNEMONIC="test test test test test test test test test test test junk"',
      'mnemonic: the list of words which a wallet needs for its owner must not leak',
    ],
  }),
  token({
    id: 'secret-extended-private-key',
    what: 'Extended private key of a wallet',
    regex: raw`${START}([xyz]prv[1-9A-HJ-NP-Za-km-z]{107,108})${END}`,
    keywords: ['xprv', 'yprv', 'zprv'],
    entropy: 4.5,
    severity: 'critical',
    allowlists: [IN_TESTS],
    source: 'https://github.com/bitcoin/bips/blob/master/bip-0032.mediawiki',
    match: [
      `XPRV=${fake('xprv9s21', 103).replace(/[0IlO]/g, '7')}`,
      `seed = "${fake('zprvAWgY', 103).replace(/[0IlO]/g, '8')}"`,
    ],
    noMatch: [`XPRV=xprv${'9'.repeat(107)}`, 'XPRV=xprv9s21ZrQH143K...'],
  }),
  token({
    id: 'secret-alchemy-key',
    what: 'Alchemy API key',
    regex: raw`(?i:alchemy(?:api)?\.(?:com|io)/(?:nft/)?v\d/|alchemy[\w-]{0,24}(?:key|token|secret|id)["'\]]{0,2}\s{0,4}(?:\|\||[:=,])\s{0,4}["'\x60]?)([A-Za-z0-9_-]{32}|[A-Za-z0-9_-]{21})${TOKEN_END}`,
    keywords: ['alchemy'],
    entropy: 3.7,
    allowlists: [
      { description: 'identifiers', regexes: ['^[A-Za-z_-]+$'] },
      { description: 'the key in the documentation', stopwords: ['_gg7wsskdgc0oi'] },
    ],
    source: 'https://www.alchemy.com/docs/create-an-api-key',
    match: [
      `https://eth-mainnet.g.alchemy.com/v2/${fake('', 32)}`,
      `ALCHEMY_API_KEY=${fake('', 32)}`,
    ],
    noMatch: ['https://eth-mainnet.g.alchemy.com/v2/demo', `https://x.alchemy.com/v2/\${KEY}`],
  }),
  token({
    id: 'secret-infura-key',
    what: 'Infura API key',
    regex: raw`(?i:infura\.io/(?:ws/)?v3/|infura[\w-]{0,24}(?:key|id|token)["'\]]{0,2}\s{0,4}(?:\|\||[:=,])\s{0,4}["'\x60]?)([0-9a-f]{32})${END}`,
    keywords: ['infura'],
    entropy: 3,
    severity: 'medium',
    allowlists: [{ description: 'widely copied', stopwords: ['9aa3d95b3bc440fa88ea12eaa4456161'] }],
    source: 'https://docs.metamask.io/services/get-started/endpoints/',
    match: [
      `https://mainnet.infura.io/v3/${fake('', 32, 'hex')}`,
      `INFURA_PROJECT_ID=${fake('', 32, 'hex')}`,
    ],
    noMatch: [
      'https://mainnet.infura.io/v3/YOUR-PROJECT-ID',
      `https://sepolia.infura.io/v3/\${ID}`,
    ],
  }),
  named({
    id: 'secret-infura-secret',
    what: 'Infura API key secret',
    vendors: ['infura'],
    words: 'secret',
    value: '[0-9a-f]{32}|[A-Za-z0-9+/]{44}',
    sample: fake('', 32, 'hex'),
    names: ['INFURA_API_KEY_SECRET', 'infuraSecret'],
    source:
      'https://docs.metamask.io/developer-tools/dashboard/how-to/secure-an-api/api-key-secret/',
  }),
  token({
    id: 'secret-node-provider-url',
    what: 'URL of a node with its token (QuickNode, Ankr)',
    regex: raw`(?:quiknode\.pro/([0-9a-f]{40})|rpc\.ankr\.com/[\w/]{2,40}/([0-9a-f]{64}))${END}`,
    keywords: ['quiknode.pro/', 'rpc.ankr.com/'],
    entropy: 3,
    source:
      'https://www.quicknode.com/guides/quicknode-products/endpoint-security/how-to-protect-your-endpoint-from-leaking',
    match: [
      `https://fake-node.quiknode.pro/${fake('', 40, 'hex')}/`,
      `https://rpc.ankr.com/eth/${fake('', 64, 'hex')}`,
    ],
    noMatch: ['https://rpc.ankr.com/eth', 'https://fake-node.quiknode.pro/<token>/'],
  }),
  named({
    id: 'secret-etherscan-key',
    what: 'Etherscan (or BscScan, PolygonScan ...) API key',
    vendors: [
      'etherscan',
      'bscscan',
      'polygonscan',
      'arbiscan',
      'snowtrace',
      'ftmscan',
      'basescan',
    ],
    words: 'key|token',
    value: '[A-Z0-9]{34}',
    sample: fake('', 34).toUpperCase(),
    names: ['ETHERSCAN_API_KEY', 'etherscanApiKey'],
    entropy: 3.3,
    severity: 'medium',
    source: 'https://docs.etherscan.io/getting-an-api-key',
  }),
  token({
    id: 'secret-coingecko-key',
    what: 'CoinGecko API key',
    regex: raw`${BEFORE}(CG-[A-Za-z0-9]{24})${TOKEN_END}`,
    keywords: delimited('cg-'),
    entropy: 3.7,
    severity: 'medium',
    source: 'https://docs.coingecko.com/docs/setting-up-your-api-key',
    match: [`COINGECKO_API_KEY=${fake('CG-', 24)}`, `x-cg-demo-api-key: ${fake('CG-', 24)}`],
    noMatch: [`COINGECKO_API_KEY=CG-${'x'.repeat(24)}`, 'class="cg-something-or-other-blue"'],
  }),
  named({
    id: 'secret-coinmarketcap-key',
    what: 'CoinMarketCap API key',
    vendors: ['coinmarketcap', 'cmc_api', 'cmcapi', 'cmc_pro_api', 'cmc-pro-api'],
    words: 'key|',
    value: UUID,
    sample: FAKE_UUID,
    names: ['COINMARKETCAP_API_KEY', 'coinmarketcapKey'],
    severity: 'medium',
    source: 'https://coinmarketcap.com/api/documentation/v1/#section/Authentication',
  }),
  named({
    id: 'secret-binance-key',
    what: 'Binance API key or secret',
    vendors: ['binance'],
    words: 'key|secret',
    value: '[A-Za-z0-9]{64}',
    sample: fake('', 64),
    names: ['BINANCE_API_SECRET', 'binanceApiKey'],
    entropy: 4,
    severity: 'critical',
    source: 'https://developers.binance.com/docs/binance-spot-api-docs/rest-api/request-security',
  }),
  named({
    id: 'secret-kraken-secret',
    what: 'Kraken private key',
    vendors: ['kraken'],
    words: 'key|secret',
    value: '[A-Za-z0-9+/]{86}==',
    sample: `${fake('', 86)}==`,
    names: ['KRAKEN_API_SECRET', 'krakenPrivateKey'],
    entropy: 4,
    severity: 'critical',
    source: 'https://docs.kraken.com/api/docs/guides/spot-rest-auth',
  }),
];
