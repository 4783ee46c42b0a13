/**
 * The 16 gRPC status codes (https://grpc.github.io/grpc/core/md_doc_statuscodes.html), less OK.
 * There are no others: every failure between the parts, and towards callers, is one of these.
 */
export const STATUS_CODES = [
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;

/** Codes on the wire that say more than a status code; an error has them as `details.code`. */
export const SPECIAL_CODES = ['trail-check', 'agent-limit', 'archived'] as const;

export type StatusCode = (typeof STATUS_CODES)[number];

/** Machine-readable facts beside the message, e.g. `{field: "diff"}`; safe for callers. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>;

/** An error as plain data, for messages between threads and processes. */
export interface ErrorMessage {
  code: StatusCode;
  message: string;
  details: ErrorDetails;
}

/**
 * The one error class of the service. `message` is a sentence that may be shown to the caller;
 * whatever must stay inside (stack, third-party text) travels in `cause` and only reaches the log.
 */
export class CraError extends Error {
  override readonly name = 'CraError';
  readonly code: StatusCode;
  readonly details: ErrorDetails;

  constructor(
    code: StatusCode,
    message: string,
    options: { details?: ErrorDetails; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }

  /** Turns anything thrown into a CraError; unknown errors become INTERNAL with a fixed text. */
  static fromUnknown(thrown: unknown): CraError {
    if (thrown instanceof CraError) return thrown;
    return new CraError('INTERNAL', 'internal error', { cause: thrown });
  }

  static fromMessage(message: ErrorMessage): CraError {
    return new CraError(message.code, message.message, { details: message.details });
  }

  toMessage(): ErrorMessage {
    return { code: this.code, message: this.message, details: this.details };
  }
}

/** INVALID_ARGUMENT that names a field and says what is wrong with it. */
export function invalidField(field: string, problem: string): CraError {
  return new CraError('INVALID_ARGUMENT', `${field}: ${problem}`, { details: { field } });
}

/** For `catch`: null for what is absent or was deleted; throws every other error again. */
export function unlessNotFound(thrown: unknown): null {
  if (thrown instanceof CraError && thrown.code === 'NOT_FOUND') return null;
  throw thrown;
}
