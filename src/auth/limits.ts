const KIB = 1024;
const MIB = 1024 * 1024;
const SECOND_MS = 1000;

export const AUTH = {
  /** Spec, Limits: API token length. */
  TOKEN_CHARS_MIN: 32,
  /** Hexadecimal digits of the SHA-256 of a token that name it. */
  TOKEN_LABEL_DIGITS: 8,
  /** Wrong credentials from one address in that time that are answered 401; more is 429. */
  FAILURES_MAX: 30,
  FAILURES_WINDOW_MS: 60 * SECOND_MS,
  /** Addresses that are remembered for that; the one unused for longest goes first. */
  ADDRESSES_MAX: 10_000,
  /** A JWT that was checked is not checked again for so long, nor are more of them remembered. */
  VERIFIED_MS: 5 * 60 * SECOND_MS,
  VERIFIED_MAX: 10_000,
  /** OpenID Connect Core, 2: `sub` has at most 255 characters. */
  SUBJECT_CHARS_MAX: 255,
  NAME_CHARS_MAX: 200,
  TENANT_CHARS_MAX: 128,
  /** Between our clock and the issuer's. */
  CLOCK_TOLERANCE_SECONDS: 30,
  /** One document of the issuer. */
  ISSUER_TIMEOUT_MS: 5 * SECOND_MS,
  ISSUER_DOCUMENT_BYTES_MAX: 256 * KIB,
  /** The issuer's keys: kept so long, asked for again not sooner than that, for whatever reason. */
  KEYS_MAX_AGE_MS: 10 * 60 * SECOND_MS,
  KEYS_COOLDOWN_MS: 30 * SECOND_MS,
  /** The status report asks the issuer for its keys at most so often. */
  ISSUER_CHECK_MS: 60 * SECOND_MS,
  /** Requests that wait for them; more are refused, so that a slow issuer holds up no others. */
  KEYS_WAITING_MAX: 256,
  /** How much longer they count while the issuer cannot be reached. */
  KEYS_GRACE_MS: 60 * 60 * SECOND_MS,
  /** A browser session ends when it is unused, or anyway after so long. */
  SESSION_IDLE_MS: 60 * 60 * SECOND_MS,
  SESSION_MAX_MS: 12 * 60 * 60 * SECOND_MS,
  /** Use is written down not more often than this. */
  SESSION_TOUCH_MS: 60 * SECOND_MS,
  /** From the way to the issuer to the way back. */
  LOGIN_MS: 10 * 60 * SECOND_MS,
  RETURN_PATH_CHARS_MAX: 512,
  LOGIN_FORM_BYTES_MAX: 4 * KIB,
  /** The link that lets the first admin in. */
  ONE_TIME_LINK_MS: 15 * 60 * SECOND_MS,
  /** Wrong passwords from one address in that time; more is 429. */
  PASSWORD_FAILURES: 5,
  PASSWORD_WINDOW_MS: 15 * 60 * SECOND_MS,
  /** Passwords that wait for their check, one after the other; more is 503. */
  PASSWORD_WAITING_MAX: 4,
  /** ASVS 5, 6.2.1: 15 characters are recommended. */
  PASSWORD_CHARS_MIN: 15,
  PASSWORD_BYTES_MAX: 1 * KIB,
  /** Entries of the audit trail on logins of one person or address; failed ones of everybody. */
  LOGIN_ENTRIES_PER_MINUTE: 20,
  FAILED_LOGIN_ENTRIES_PER_MINUTE: 60,
  /** Cost of scrypt: 2^17 blocks take 128 MiB and some 0.4 s. */
  SCRYPT_LOG_COST: 17,
  SCRYPT_MEMORY_BYTES_MAX: 1280 * MIB,
} as const;
