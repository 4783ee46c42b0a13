import { isChainName, isCount, isHash, isObject, isTime } from './entry.ts';

/**
 * An export of the trail, lines of JSON: a header, the entries of each chain as they were
 * written, and a closing line without which the export is not whole.
 */
export interface ExportHeader {
  /** When it was made, ISO 8601. */
  at: string;
  /** Chains that ended before were left out; null: it holds all. */
  since: string | null;
  /** Names of the chains that were left out. */
  omitted: string[];
}

/** What the closing line says. */
export interface ExportClosing {
  /** In the order in which they stand in the export. */
  chains: ExportedChain[];
}

/** A chain as the closing line sums it up. */
export interface ExportedChain {
  chain: string;
  /** At least 1. */
  entries: number;
  /** Hash of the last entry, hex. */
  head: string;
  /** RFC 6962 root over all entries, hex. */
  root: string;
  /** A signed checkpoint over all entries; null: there was no key, or the trail was bad. */
  note: string | null;
}

const FORMAT = 'cra-audit-export/1';
const END = 'cra-audit-export/1 end';

/** The first line, without its line break. */
export function headerLine({ at, since, omitted }: ExportHeader): string {
  return JSON.stringify({ format: FORMAT, at, since, omitted });
}

/** The last line, without its line break. */
export function closingLine({ chains }: ExportClosing): string {
  return JSON.stringify({ format: END, chains });
}

/** Reads a first line; null: it is not one. */
export function readHeader(line: string): ExportHeader | null {
  const value = parse(line);
  if (value?.['format'] !== FORMAT) return null;
  const { at, since, omitted } = value;
  if (!isTime(at) || !(since === null || isTime(since))) return null;
  if (!Array.isArray(omitted) || !omitted.every(isChainName)) return null;
  return { at, since, omitted };
}

/** Reads a last line; null: it is not one. */
export function readClosing(line: string): ExportClosing | null {
  const value = parse(line);
  if (value?.['format'] !== END || !Array.isArray(value['chains'])) return null;
  const chains = value['chains'];
  return chains.every(isExportedChain) ? { chains } : null;
}

function isExportedChain(value: unknown): value is ExportedChain {
  if (!isObject(value)) return false;
  const { chain, entries, head, root, note } = value;
  const isNote = note === null || typeof note === 'string';
  return (
    isNote && isChainName(chain) && isCount(entries) && entries > 0 && isHash(head) && isHash(root)
  );
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
