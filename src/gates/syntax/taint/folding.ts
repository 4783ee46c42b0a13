import { TAINT } from '../../limits.ts';
import type { CallSite } from '../sinks/sink.ts';
import { constant, TRUSTED, type Value } from './value.ts';

/** A pattern that stands for its own characters. */
const PLAIN_PATTERN = /^[^\\^$.*+?()[\]{}|]+$/;
const ENCODINGS = /^(?:hex|base64|base64url|utf-?8|ascii|latin1|binary)$/i;

/**
 * The text that a call gives when all that goes into it is known: names are put together from
 * parts to hide them (`['cexe'].reverse()`). Null when it is not known, or the call is another one.
 */
export function foldCall({ name, receiver, receiverPath, args, isNew }: CallSite): Value | null {
  if (isNew || args.some((value) => value.constant === null)) return null;
  const texts = args.map((value) => value.constant ?? '');
  if (receiver === null || receiverPath === 'window') return decoded(name, texts);
  if (receiverPath === 'String' && /^fromC(?:har|ode)/.test(name)) return fromCodes(texts);
  if (receiverPath === 'Buffer' && name === 'from') return fromBytes(texts);
  if (receiver.elements !== null) return name === 'reverse' ? reversed(receiver) : null;
  if (receiver.constant === null || receiver.role !== null) return null;
  const folded = foldText(receiver.constant, name, texts, args);
  return folded === null ? null : constant(folded);
}

function decoded(name: string, [text]: readonly string[]): Value | null {
  if (text === undefined) return null;
  switch (name) {
    case 'atob':
      return constant(Buffer.from(text, 'base64').toString('latin1'));
    case 'unescape':
    case 'decodeURIComponent':
    case 'decodeURI':
      return constant(text.replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) => fromHex(hex)));
    default:
      return null;
  }
}

function fromHex(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

function fromCodes(texts: readonly string[]): Value {
  return constant(String.fromCharCode(...texts.map(Number)));
}

function fromBytes([text, encoding]: readonly string[]): Value | null {
  if (text === undefined || encoding === undefined || !ENCODINGS.test(encoding)) return null;
  return constant(Buffer.from(text, encoding.toLowerCase() as BufferEncoding).toString());
}

function reversed(receiver: Value): Value {
  return { ...receiver, elements: [...(receiver.elements ?? [])].reverse() };
}

function foldText(
  text: string,
  name: string,
  texts: readonly string[],
  args: readonly Value[],
): string | null {
  const [first = '', second = ''] = texts;
  const numbers = texts.map(Number) as [number, number?];
  switch (name) {
    case 'slice':
      return text.slice(...numbers);
    case 'substring':
      return text.substring(...numbers);
    case 'substr':
      return text.slice(numbers[0]).slice(0, numbers[1]);
    case 'charAt':
    case 'at':
      return text.at(numbers[0]) ?? '';
    case 'toLowerCase':
      return text.toLowerCase();
    case 'toUpperCase':
      return text.toUpperCase();
    case 'trim':
      return text.trim();
    case 'replace':
    case 'replaceAll':
      return isPlain(args[0]) ? text.replaceAll(first, () => second) : null;
    default:
      return null;
  }
}

function isPlain(value: Value | undefined): boolean {
  if (value?.constant == null || value.constant === '') return false;
  return value.role === null || PLAIN_PATTERN.test(value.constant);
}

/** `'cexe'.split('')`: its parts; null when they are not known. */
export function splitText({ name, receiver, args }: CallSite): Value | null {
  const text = receiver?.role === null ? receiver.constant : null;
  const by = args[0]?.role === null ? args[0].constant : null;
  if (name !== 'split' || text == null || by == null || args.length > 1) return null;
  const parts = text.split(by, TAINT.MEMBERS_MAX);
  return { ...TRUSTED, elements: parts.map(constant) };
}
