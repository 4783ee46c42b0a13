import type { AuditEvent, AuditPlace } from '../../model/audit.ts';
import { type Client, read, write } from '../../rpc/service.ts';
import { STORE } from './limits.ts';

/** Revisions of the rules configuration at rest. The promises of `Records` hold here, too. */
export const Rulebook = {
  name: 'Rulebook',
  methods: {
    /** The newest revision; its text only when its number is not `known`. */
    newestRules: read<{ known: number }, { newest: RulesEntry | null; text: string | null }>(
      STORE.CALL_DEADLINE_MS,
    ),
    /** NOT_FOUND for a number that was never given. */
    rulesAt: read<{ number: number }, { entry: RulesEntry; text: string }>(STORE.CALL_DEADLINE_MS),
    /** Newest first. */
    listRules: read<{ limit: number; before: number | null }, { entries: RulesEntry[] }>(
      STORE.CALL_DEADLINE_MS,
    ),
    /**
     * Makes a revision the newest and writes its audit entry, as one step. ABORTED with `{number}`
     * when the newest is not `expected`; UNAVAILABLE when the trail can't be written: nothing
     * changed.
     */
    addRules: write<AddRules, { entry: RulesEntry; audit: AuditPlace }>(STORE.CALL_DEADLINE_MS),
  },
} as const;

export type RulebookStore = Client<typeof Rulebook>;

/** One revision of the rules configuration, without its text. */
export interface RulesEntry {
  /** 1, 2, 3, ...; the newest is in force. */
  number: number;
  /** Hash of the rule set that it stands for, as RFCs name it. */
  revision: string;
  source: 'file' | 'api';
  /** SHA-256 of the text, hex. */
  text_sha256: string;
  added_at: string;
  /** Principal id, or the service. */
  added_by: string;
  comment: string;
}

export interface AddRules {
  /** Number of the newest revision that the caller knows; 0: it is absent. */
  expected: number;
  /** The rules file as JSON. */
  text: string;
  entry: Omit<RulesEntry, 'number'>;
  /** Entry of the trail: kind `rules`; its details get the number. */
  event: AuditEvent;
}
