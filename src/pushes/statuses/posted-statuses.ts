import type { CommitStatus } from '../../hosts/provider.ts';

/** What was posted of one record: the text of each status by its place. */
export type PostedStatuses = ReadonlyMap<string, string>;

/** Reads what `writePosted` wrote; what is none of it counts as nothing posted. */
export function readPosted(text: string | null): PostedStatuses {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return new Map(Object.entries((value ?? {}) as Record<string, string>));
  } catch {
    return new Map();
  }
}

/** As a text that the store keeps beside the record. */
export function writePosted(posted: PostedStatuses): string {
  return JSON.stringify(Object.fromEntries(posted));
}

/** What was posted, and this status. */
export function withStatus(posted: PostedStatuses, status: CommitStatus): PostedStatuses {
  return new Map(posted).set(placeOf(status), textOf(status));
}

/** Whether a host shows this status already, as far as we know. */
export function isPosted(posted: PostedStatuses, status: CommitStatus): boolean {
  return posted.get(placeOf(status)) === textOf(status);
}

function placeOf({ repo, sha }: CommitStatus): string {
  return `${repo}@${sha}`;
}

function textOf({ state, description }: CommitStatus): string {
  return `${state}: ${description}`;
}
