/** What a pool thread asks of the main thread about its child process. */
export interface ChildRequest {
  kind: 'child';
  action: 'start' | 'kill';
  threadId: number;
  /** Where the child finds its thread. */
  socketPath: string;
}

/** The first message of a child to its thread. */
export interface ChildHello {
  kind: 'hello';
  pid: number;
}

/** Guard for the first message of a child. */
export function isChildHello(value: unknown): value is ChildHello {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'hello';
}

/** Guard for messages from threads. */
export function isChildRequest(value: unknown): value is ChildRequest {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'child';
}
