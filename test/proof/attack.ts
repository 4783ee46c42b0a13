import { setTimeout as delay } from 'node:timers/promises';
import { newFileDiff } from '../../bench/corpus/package-corpus.ts';
import type { HostedDaemon } from '../../bench/daemon/hosted-daemon.ts';
import { createHttpClient, type HttpClient } from '../../bench/daemon/http-client.ts';
import { percentile } from '../../bench/harness.ts';
import { createRandom } from '../../bench/random.ts';
import { analyzeBody } from '../../bench/request-body.ts';
import { type Answer, isUnparsed, readAnswer } from './answers.ts';
import type { Bodies } from './bodies.ts';
import { type CrashForm, crashText, SINK_LINE, SIZES } from './crash-form.ts';
import { type Fate, fateOf } from './parser-fate.ts';
import { measureRate, startTraffic, type TrafficResult } from './traffic.ts';

export interface AttackOptions {
  daemon: HostedDaemon;
  forms: readonly CrashForm[];
  /** How often each form is posted with and without the sink; sizes take turns. */
  count: number;
  bodies: Bodies;
  seed: number;
  /** Of the traffic of others before and after the attack. */
  quietMs: number;
  onForm?: (outcome: FormOutcome) => void;
}

/** How one form fared. */
export interface FormOutcome {
  name: string;
  posts: number;
  /** By size: what a bare parser does with the text beside the sink. */
  fates: ReadonlyMap<number, Fate>;
  /** Answers beside the sink that hold `ast-unparsed`. */
  unparsed: number;
  /** Those that hold the sink itself instead: the form did not keep it from being seen. */
  found: number;
  /** Answers without the sink that hold `ast-unparsed`. */
  unparsedAlone: number;
  /** Slowest answer, ms. */
  maxMs: number;
  /** An answer that is not valid, or one that passes over code which nobody looked at. */
  faults: string[];
}

export interface AttackReport {
  outcomes: FormOutcome[];
  /** Requests a second of the others, and what the daemon could take. */
  rate: number;
  rateMax: number;
  /** Requests of the others that were not answered with 200. */
  failures: readonly string[];
  /** Ms, of the others. */
  quiet: { p50: number; p99: number };
  attacked: { p50: number; p99: number };
  childrenBefore: number[];
  childrenAfter: number[];
}

/** The attacker has an address, and so a turn, of its own. */
const ATTACKER = '127.0.0.2';
/** The others take a third of what there is. */
const SHARE = 1 / 3;
const CALIBRATION_MS = 2_000;
const WARM_UP = 200;

/** Posts every form while others post ordinary diffs, and compares how those fare. */
export async function attack(options: AttackOptions): Promise<AttackReport> {
  const { daemon, bodies } = options;
  // Before all else: bare parsers that die are not a part of the attack, but take CPU.
  const targets = options.forms.map((form) => ({ form, fates: fatesOf(form) }));
  const others = createHttpClient(daemon.port);
  const attacker = createHttpClient(daemon.port, ATTACKER);
  const random = createRandom(options.seed);
  const ordinary = [...bodies.plain, ...bodies.script];
  const nextBody = () => random.pick(ordinary);
  try {
    for (let index = 0; index < WARM_UP; index += 1) await others.analyze(nextBody());
    const rateMax = await measureRate(others, nextBody, 8, CALIBRATION_MS);
    const rate = Math.max(1, Math.round(rateMax * SHARE));
    const { childPids: childrenBefore } = await daemon.sample();
    const traffic = startTraffic(others, nextBody, rate);
    traffic.phase('quiet');
    await delay(options.quietMs);
    traffic.phase('attacked');
    const outcomes: FormOutcome[] = [];
    for (const target of targets) {
      const outcome = await postForm(attacker, target, options.count);
      outcomes.push(outcome);
      options.onForm?.(outcome);
    }
    traffic.phase('quiet');
    await delay(options.quietMs);
    const result = await traffic.stop();
    const { childPids: childrenAfter } = await daemon.sample();
    const quiet = spread(result, 'quiet');
    const attacked = spread(result, 'attacked');
    const { failures } = result;
    return { outcomes, rate, rateMax, failures, quiet, attacked, childrenBefore, childrenAfter };
  } finally {
    others.close();
    attacker.close();
  }
}

interface Target {
  form: CrashForm;
  fates: ReadonlyMap<number, Fate>;
}

function fatesOf(form: CrashForm): Map<number, Fate> {
  const fate = (size: number) => fateOf(`${crashText(form, size)}\n${SINK_LINE}\n`, form.extension);
  return new Map(sizesOf(form).map((size) => [size, fate(size)]));
}

/** The form without repetition has one size. */
function sizesOf(form: CrashForm): readonly number[] {
  return form.open === '' ? [0] : SIZES;
}

/** Posts beside the sink and alone in turn; the sink stands below the form or on its line. */
async function postForm(
  attacker: HttpClient,
  { form, fates }: Target,
  count: number,
): Promise<FormOutcome> {
  const outcome: FormOutcome = {
    name: form.name,
    posts: 0,
    fates,
    unparsed: 0,
    found: 0,
    unparsedAlone: 0,
    maxMs: 0,
    faults: [],
  };
  const sizes = sizesOf(form);
  for (let index = 0; index < count; index += 1) {
    const size = sizes[index % sizes.length] ?? 0;
    const isBelow = Math.floor(index / sizes.length) % 2 === 0;
    const text = crashText(form, size);
    const lines = isBelow ? [text, SINK_LINE] : [`${text};${SINK_LINE}`];
    const what = `${form.name} x ${size}, sink ${isBelow ? 'below' : 'on the line'}`;
    const answer = await post(attacker, form, lines, outcome);
    if (answer !== null) judge(answer, what, fates.get(size), isBelow, outcome);
    const alone = await post(attacker, form, [text], outcome);
    if (alone !== null && isUnparsed(alone)) outcome.unparsedAlone += 1;
  }
  return outcome;
}

/** A line too long to be parsed is left out, so the sink below it may be found all the same. */
function judge(
  answer: Answer,
  what: string,
  fate: Fate | undefined,
  mayBeFound: boolean,
  outcome: FormOutcome,
): void {
  const isFound = answer.gates.ast.findings.some(({ id }) => id === SINK_RULE);
  const isDeadly = fate === 'kills it' || fate === 'takes too long';
  if (isUnparsed(answer)) outcome.unparsed += 1;
  else if (isFound) outcome.found += 1;
  else outcome.faults.push(`${what}: neither the sink nor ast-unparsed in the verdict`);
  if (isDeadly && !isUnparsed(answer) && !(mayBeFound && isFound)) {
    outcome.faults.push(`${what}: ${fate}, and the verdict holds no ast-unparsed`);
  }
}

const SINK_RULE = 'vuln-01';

/** Null when there is no verdict. */
async function post(
  attacker: HttpClient,
  form: CrashForm,
  lines: readonly string[],
  outcome: FormOutcome,
): Promise<Answer | null> {
  const diff = newFileDiff(`src/form.${form.extension}`, lines);
  outcome.posts += 1;
  try {
    const { status, text, ms } = await attacker.analyze(analyzeBody(diff));
    outcome.maxMs = Math.max(outcome.maxMs, ms);
    if (status === 200) return readAnswer(text);
    outcome.faults.push(`${form.name}: ${status} ${text.slice(0, 200)}`);
  } catch (thrown) {
    outcome.faults.push(`${form.name}: ${String(thrown)}`);
  }
  return null;
}

function spread({ latenciesMs }: TrafficResult, phase: string): { p50: number; p99: number } {
  const latencies = latenciesMs.get(phase) ?? [];
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}
