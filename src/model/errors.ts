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
  /** Where an unexpected error was thrown, for the log: its class and stack, without its text. */
  trace: string | null;
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

  static fromMessage({ code, message, details, trace }: ErrorMessage): CraError {
    if (trace === null) return new CraError(code, message, { details });
    const cause = new Error('thrown in another thread or process');
    cause.stack = trace;
    return new CraError(code, message, { details, cause });
  }

  toMessage(): ErrorMessage {
    const { code, message, details, cause } = this;
    return { code, message, details, trace: code === 'INTERNAL' ? traceOf(cause) : null };
  }
}

const TRACE_FRAMES_MAX = 20;

/** The text of an error may quote what was read. */
function traceOf(cause: unknown): string | null {
  if (!(cause instanceof Error)) return null;
  const frames = (cause.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  return [cause.name, ...frames.slice(0, TRACE_FRAMES_MAX)].join('\n');
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
