import { exactly, TEXT } from './schemas.ts';

/** Push events have the host's form: what is read of them is in docs/webhooks.md. */
export const PUSH_PAYLOAD = {
  type: 'object',
  description: "The push event of GitHub, Gitea, Forgejo or GitLab, as the host's API has it",
} as const;

export const WEBHOOK_ANSWER = {
  anyOf: [
    exactly({
      rfc_id: TEXT,
      outcome: {
        type: 'string',
        enum: ['new', 'same-delivery', 'same-body', 'same-push'],
        description: 'Whether this delivery made the RFC, or an earlier one',
      },
    }),
    exactly({ ignored: { type: 'string', description: 'The event or ref that makes no RFC' } }),
  ],
} as const;
