import type { Entries, HostCalls } from './api.ts';
import type { Annotation, HostWork, PostResult, Problem } from './host.ts';
import {
  commentOf,
  createOwnAccount,
  digestOf,
  lineCommentOf,
  markerOf,
  type PullReport,
  TOO_MANY_COMMENTS,
} from './pull-comments.ts';
import { objectOf } from './push-payload.ts';
import { HOSTS } from './settings.ts';

/** Calls of one report, at most, with so many findings at their lines. */
export function mergeNoteCalls(annotations: number): number {
  const lines = Math.min(annotations, HOSTS.DISCUSSIONS_MAX);
  const lists = 2 + HOSTS.COMMENT_PAGES_MAX;
  const account = 1;
  const note = 1 + HOSTS.COMMENTS_REMOVED_MAX;
  return lists + account + note + (lines === 0 ? 0 : 1) + lines + HOSTS.DISCUSSIONS_MAX;
}

/**
 * Shows reports in merge requests of GitLab: one note that is edited, and discussions at lines
 * where the report has any. What is there is looked up each time, so that no answer that was lost
 * doubles anything: https://docs.gitlab.com/api/discussions/#merge-requests
 */
export function openMergeNotes(
  calls: HostCalls,
): (report: PullReport, work: HostWork) => Promise<PostResult> {
  const { call, list } = calls;
  const ownAccount = createOwnAccount(calls);

  return async (report, work) => {
    const project = `/projects/${encodeURIComponent(report.repo)}`;
    const found = await mergeRequestOf(project, report, work);
    if ('problem' in found) return found.problem;
    const { iid } = found;
    if (iid === null) return { outcome: 'no pull request' };
    const account = await ownAccount(work);
    if ('problem' in account) return account.problem;

    const request = `${project}/merge_requests/${iid}`;
    const pathOf = (page: number) => `${request}/discussions?per_page=${PER_PAGE}&page=${page}`;
    const listed = await list(pathOf, { perPage: PER_PAGE, work });
    if ('problem' in listed) return listed.problem;
    if (!listed.isWhole) return TOO_MANY_COMMENTS;
    const own = ownComments(listed.entries, account.id);
    const notes = own.filter(({ line }) => line === null);
    const written = await writeNote({ request, notes, report, work });
    if (written !== null) return written;
    const lines = own.filter(({ line }) => line !== null);
    return (await writeLines({ request, lines, report, work })) ?? { outcome: 'posted' };
  };

  /** The open merge request of which the commit is the head; null: it is absent (yet). */
  async function mergeRequestOf(
    project: string,
    report: PullReport,
    work: HostWork,
  ): Promise<{ iid: number | null } | { problem: Problem }> {
    const { sha, pullRequest } = report;
    if (pullRequest !== undefined) {
      const known = await call('GET', `${project}/merge_requests/${pullRequest}`, { work });
      if ('problem' in known && known.status !== 404) return known;
      const request = 'problem' in known ? null : known.answer.json;
      const iid = iidOf([objectOf(request)], report);
      if (iid !== null) return { iid };
    }
    const path = `${project}/repository/commits/${sha}/merge_requests?per_page=${PER_PAGE}`;
    const found = await call('GET', path, { work });
    if ('problem' in found) return found;
    const { json } = found.answer;
    return { iid: iidOf(Array.isArray(json) ? json.map(objectOf) : [], report) };
  }

  async function writeNote({ request, notes, report, work }: NoteWork): Promise<Problem | null> {
    const [note, ...others] = notes;
    const body = `${markerOf(NOTE)}\n\n${commentOf(report)}`;
    for (const { noteId } of others.slice(0, HOSTS.COMMENTS_REMOVED_MAX)) {
      const removed = await call('DELETE', `${request}/notes/${noteId}`, { work });
      if ('problem' in removed) return removed.problem;
    }
    if (note === undefined && report.report.isQuiet) return null;
    if (note?.body === body) return null;
    const written =
      note === undefined
        ? await call('POST', `${request}/notes`, { body: { body }, work })
        : await call('PUT', `${request}/notes/${note.noteId}`, { body: { body }, work });
    return 'problem' in written ? written.problem : null;
  }

  async function writeLines({ request, lines, report, work }: LineWork): Promise<Problem | null> {
    const wanted = withKeys(report.report.annotations.slice(0, HOSTS.DISCUSSIONS_MAX));
    const missing = wanted.filter(({ key }) => !lines.some(({ line }) => line === key));
    if (missing.length > 0) {
      const asked = await call('GET', request, { work });
      if ('problem' in asked) return asked.problem;
      const { diff_refs: refs } = (asked.answer.json ?? {}) as { diff_refs?: DiffRefs };
      // The lines of a newer head are another report's.
      if (refs?.head_sha !== report.sha) return null;
      for (const { key, annotation } of missing) {
        const body = { body: `${markerOf(key)}\n\n${lineCommentOf(annotation)}` };
        const position = positionOf(annotation, refs);
        const sent = { body: { ...body, position }, work };
        const called = await call('POST', `${request}/discussions`, sent);
        // It takes lines of the diff alone; the note lists the finding all the same.
        if ('problem' in called && called.status !== 400) return called.problem;
      }
    }
    const isWanted = ({ line }: Comment) => wanted.some(({ key }) => key === line);
    const gone = lines.filter((one) => one.resolved === null && !isWanted(one));
    // What a person resolved stays so.
    const back = lines.filter((one) => one.resolved === 'by us' && isWanted(one));
    for (const { discussionId, resolved } of [
      ...gone.slice(0, HOSTS.DISCUSSIONS_MAX),
      ...back.slice(0, HOSTS.DISCUSSIONS_MAX - missing.length),
    ]) {
      const path = `${request}/discussions/${encodeURIComponent(discussionId)}`;
      const called = await call('PUT', path, { body: { resolved: resolved === null }, work });
      if ('problem' in called) return called.problem;
    }
    return null;
  }
}

interface CommentWork {
  /** Path of the merge request. */
  request: string;
  report: PullReport;
  work: HostWork;
}

interface NoteWork extends CommentWork {
  notes: readonly Comment[];
}

interface LineWork extends CommentWork {
  lines: readonly Comment[];
}

/** GitLab takes at most 100. */
const PER_PAGE = 100;

/** The open merge request of which the commit is the head; null: it is not among these. */
function iidOf(requests: Entries, { sha }: PullReport): number | null {
  const found = requests.find((one) => one['state'] === 'opened' && one['sha'] === sha);
  return Number.isSafeInteger(found?.['iid']) ? Number(found?.['iid']) : null;
}

/** A comment of ours that begins a discussion, or stands alone. */
interface Comment {
  discussionId: string;
  noteId: number;
  body: string;
  /** Which finding it is about; null: it is the note of the whole. */
  line: string | null;
  /** Null: it is not. */
  resolved: 'by us' | 'by a person' | null;
}

function ownComments(discussions: Entries, account: number): Comment[] {
  return discussions.flatMap(({ id: discussionId, notes }) => {
    const [first] = Array.isArray(notes) ? (notes as Partial<Note>[]) : [];
    const { id: noteId, author, body = '', resolved_by: resolver } = first ?? {};
    const [, kind] = MARKER.exec(body) ?? [];
    if (author?.id !== account || kind === undefined) return [];
    if (typeof discussionId !== 'string' || !Number.isSafeInteger(noteId)) return [];
    const line = kind === NOTE ? null : kind;
    const by = resolver?.id === account ? 'by us' : 'by a person';
    const resolved = first?.resolved === true ? by : null;
    return [{ discussionId, noteId: Number(noteId), body, line, resolved }];
  });
}

interface Note {
  id: number;
  author: { id?: number } | null;
  body: string;
  resolved: boolean;
  resolved_by: { id?: number } | null;
}

const NOTE = 'verdict';
const MARKER = /^<!-- cra\/gate (verdict|[0-9a-f]{32}) -->/;

/** A finding keeps its discussion while it moves with its lines, which GitLab follows itself. */
function withKeys(annotations: readonly Annotation[]): { key: string; annotation: Annotation }[] {
  const counts = new Map<string, number>();
  return annotations.map((annotation) => {
    const { path, title, message } = annotation;
    const text = JSON.stringify([path, title, message]);
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return { key: digestOf(`${text} ${count}`), annotation };
  });
}

interface DiffRefs {
  base_sha: string;
  start_sha: string;
  head_sha: string;
}

function positionOf({ path, startLine }: Annotation, refs: DiffRefs) {
  const { base_sha, start_sha, head_sha } = refs;
  const shas = { base_sha, start_sha, head_sha };
  return { position_type: 'text', ...shas, new_path: path, old_path: path, new_line: startLine };
}
