import { createHash, randomUUID } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';

/**
 * Questions that a person answers in the client of an agent (MCP, Elicitation). Both revisions of
 * the protocol take the same way: a call ends with the question, and is made again with the answer.
 * In the revision of 2025 the package does that within one call.
 */

/** Asks the person at the client of one call. */
export interface AskPerson {
  /**
   * The answer to this question; throws an `OpenQuestion` while there is no answer. It counts once,
   * and only for the same text.
   */
  isConfirmed(text: string): boolean;
}

/** A call cannot go on before a person has answered. */
export class OpenQuestion extends Error {
  /** What the call is answered with. */
  readonly result: InputRequiredResult;

  constructor(id: string, text: string) {
    super('a person is asked to confirm');
    const requestedSchema = {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Allow it', default: false } },
      required: ['confirm'],
    } as const;
    const request = inputRequired.elicit({
      message: text,
      requestedSchema: { ...requestedSchema, required: [...requestedSchema.required] },
    });
    this.result = inputRequired({ inputRequests: { [id]: request } });
  }
}

/** Questions without an answer that a process remembers; the oldest ones are forgotten. */
const OPEN_MAX = 100;

/** The questions of a process. */
export interface Questions {
  /** Null: the client of this call cannot ask a person. */
  askerOf(context: ServerContext, declared: ClientCapabilities | undefined): AskPerson | null;
}

/** Creates it. A client makes no answer up: ids are random, and stand for one text each. */
export function createQuestions(): Questions {
  const open = new Map<string, string>();

  function idOf(text: string): string {
    const id = `confirm-${randomUUID()}`;
    open.set(digestOf(text), id);
    for (const oldest of open.keys()) {
      if (open.size <= OPEN_MAX) break;
      open.delete(oldest);
    }
    return id;
  }

  return {
    askerOf({ mcpReq }, declared) {
      const { envelope, inputResponses } = mcpReq;
      const sent = { ...envelope } as Readonly<Record<string, unknown>>;
      const capabilities = sent[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
      if (!canAsk(capabilities ?? declared)) return null;
      return {
        isConfirmed(text) {
          const id = open.get(digestOf(text));
          const answer = inputResponse(inputResponses, id ?? '');
          if (id === undefined || answer.kind === 'missing')
            throw new OpenQuestion(idOf(text), text);
          open.delete(digestOf(text));
          if (answer.kind !== 'elicit' || answer.action !== 'accept') return false;
          return answer.content?.['confirm'] === true;
        },
      };
    },
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A client that names no mode offers forms (MCP 2025-11-25, Elicitation, Capabilities). */
function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  if (elicitation === undefined) return false;
  return 'form' in elicitation || !('url' in elicitation);
}
