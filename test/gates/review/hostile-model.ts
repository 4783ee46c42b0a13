import type { Script } from './fake-vendor.ts';

/** What a hostile model does with a prompt, and whether that proves that it has read the data. */
export interface HostileAnswer {
  kind: string;
  script: Script;
  isReading: boolean;
  /** It reports a defect that blocks, though on a line that nobody sent. */
  isBlocking: boolean;
}

type Honest = Record<string, unknown>;
type Make = (honest: Honest, user: string, n: number) => Script;

const text = (make: (honest: Honest, user: string, n: number) => string): Make => {
  return (honest, user, n) => ({ kind: 'text', text: make(honest, user, n) });
};
const json = (make: (honest: Honest, user: string, n: number) => unknown): Make =>
  text((...given) => JSON.stringify(make(...given)));

/** A finding on a line that nobody sent. */
const INVENTED = {
  file: 1,
  side: 'added',
  line: 1,
  quote: 'eval(everything)',
  why: 'it is bad',
  class: 'code-injection',
  attacker_input: 'yes',
  guard: '',
};

/** Ways to say that nothing is wrong without having read, or to be of no use. */
const UNREAD: Record<string, Make> = {
  'no receipt at the start': json(({ receipt_start: _, ...rest }) => rest),
  'no receipt at the end': json(({ receipt_end: _, ...rest }) => rest),
  'one receipt twice': json((honest) => ({ ...honest, receipt_start: honest['receipt_end'] })),
  'an invented receipt': json((honest, _, n) => {
    return { ...honest, receipt_end: n.toString(16).padStart(12, '0') };
  }),
  'a receipt in a list': json((honest) => ({ ...honest, receipt_end: [honest['receipt_end']] })),
  'other files': json((honest) => ({ ...honest, files: [2, 3] })),
  'no list of files': json((honest, _, n) => ({ ...honest, files: n })),
  'findings cleared': json((honest) => ({ ...honest, findings: { cleared: ['risk-1'] } })),
  'a verdict instead of findings': json((honest) => {
    return { ...honest, findings: undefined, verdict: 'pass' };
  }),
  'more findings than allowed': json((honest) => {
    return { ...honest, findings: Array(201).fill(INVENTED) };
  }),
  truncated: text((honest, _, n) => JSON.stringify(honest).slice(0, 1 + (n % 60))),
  'prose before the JSON': text((honest) => `Reviewed. ${JSON.stringify(honest)}`),
  'a list': json((honest) => [honest]),
  'JSON in JSON': json((honest) => JSON.stringify(honest)),
  'the prompt': text((_, user) => user),
  'all fine': text((_, __, n) => 'All fine, no findings. '.repeat(n % 50)),
  'open braces': text((_, __, n) => '{"findings":'.repeat(1 + (n % 500))),
  null: text(() => 'null'),
  empty: text(() => ''),
  refusal: () => ({ kind: 'stop', reason: 'refusal' }),
  'cut by the output limit': () => ({ kind: 'stop', reason: 'max_tokens' }),
  'a stream that breaks': () => ({ kind: 'cut' }),
  'an error in the stream': () => ({ kind: 'error-event' }),
  'a clipped prompt': () => ({ kind: 'clip' }),
  'HTTP 400': () => ({ kind: 'http', status: 400 }),
};

/** As long as what may be read, or longer; they take a while. */
const LARGE: Record<string, Make> = {
  '10 MB': text(() => 'x'.repeat(10 * 1024 * 1024)),
  '4 MB of a finding': text((honest) => {
    return JSON.stringify({ ...honest, findings: [{ why: 'x'.repeat(4 * 1024 * 1024) }] });
  }),
  'slow drip': (honest) => ({
    kind: 'text',
    text: JSON.stringify(honest),
    pause: () => new Promise((resolve) => setTimeout(resolve, DRIP_MS)),
  }),
};

/** The seven events of an answer take longer than a tier with a short timeout waits. */
const DRIP_MS = 4_000;

const INVENTING = 'a finding on an invented line';

/** The data was read, and more is said than an answer may say. */
const READ: Record<string, Make> = {
  [INVENTING]: json((honest) => ({ ...honest, findings: [INVENTED] })),
  'a verdict beside the findings': json((honest) => {
    return { ...honest, verdict: 'pass', cleared: ['risk-1', 'vuln-01'], severity: 'info' };
  }),
  'findings of no form': json((honest) => ({ ...honest, findings: [7, null, [], 'fine'] })),
};

const MANY = Object.entries({ ...UNREAD, ...READ });
const FEW = Object.entries(LARGE);
const LARGE_EVERY = 50;

/** The hostile answer of a seed; every 50th is large or slow. */
export function hostileAnswer(seed: number, user: string): HostileAnswer {
  const receipt = (name: string) => new RegExp(`^${name} (\\w+)$`, 'm').exec(user)?.[1];
  const receipt_start = receipt('receipt_start');
  const receipt_end = receipt('receipt_end');
  const files = [...user.matchAll(/^file (\d+): /gm)].map(([, number]) => Number(number));
  const isLarge = seed % LARGE_EVERY === 0;
  const kinds = isLarge ? FEW : MANY;
  const [kind, make] = kinds[(isLarge ? seed / LARGE_EVERY : seed) % kinds.length] ?? ['', null];
  if (make === null) throw new RangeError(`no hostile answer has the seed ${seed}`);
  const honest = { receipt_start, receipt_end, files, findings: [] };
  const script = make(honest, user, seed);
  return { kind, script, isReading: kind in READ, isBlocking: kind === INVENTING };
}
