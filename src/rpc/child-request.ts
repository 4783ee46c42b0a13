/** What a pool thread asks of the main thread about its child process. */
export interface ChildRequest {
  kind: 'child';
  action: 'start' | 'kill';
  threadId: number;
  /** Where the child finds its thread. */
  socketPath: string;
}

/** Guard for messages from threads. */
export function isChildRequest(value: unknown): value is ChildRequest {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'child';
}
