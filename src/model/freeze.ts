import type { Static } from 'typebox';
import type { ReadonlyLists } from './schema.ts';

/** Bounds of freezes. */
export const FREEZES = {
  /** Of one rule set. */
  MAX: 50,
  NAMES_MAX: 100,
  CALENDAR_CHARS_MAX: 16_384,
  REASON_CHARS_MAX: 500,
  /** Occurrences of one calendar until now: each costs 90 us to compute. */
  OCCURRENCES_MAX: 5_000,
} as const;

const NAMES = {
  type: 'array',
  minItems: 1,
  maxItems: FREEZES.NAMES_MAX,
  items: { type: 'string', minLength: 1 },
} as const;

/** A time in which deploys are held, of the rules file. */
export const FREEZE = {
  type: 'object',
  required: ['id', 'calendar', 'reason'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]{0,62}$' },
    // Absent: all. Without regard to case; a component also holds deploys of the whole repository.
    environments: NAMES,
    repos: NAMES,
    components: NAMES,
    // RFC 5545: events, or the properties of one.
    calendar: { type: 'string', minLength: 1, maxLength: FREEZES.CALENDAR_CHARS_MAX },
    // Of times without one; a name of the IANA database. Absent: UTC.
    time_zone: { type: 'string', minLength: 1, maxLength: 100 },
    reason: { type: 'string', minLength: 1, maxLength: FREEZES.REASON_CHARS_MAX },
    // The least role of a person who may let a deploy pass.
    may_pass: { type: 'string', enum: ['cab-member', 'change-manager', 'admin'] },
  },
} as const;
export type Freeze = ReadonlyLists<Static<typeof FREEZE>>;

/** Who may let a deploy pass where a freeze does not say. */
export const MAY_PASS_DEFAULT = 'cab-member';
