import { createHmac } from 'node:crypto';

interface Delivery {
  /** Full name of the repository. */
  name: string;
  secret: string;
  before: string | null;
  after: string;
}

/** A signed webhook of a push to main; resolves with the id of its RFC. */
export async function deliver(
  url: string,
  { name, secret, before, after }: Delivery,
): Promise<string> {
  const repository = { id: 1, full_name: name, default_branch: 'main' };
  const body = JSON.stringify({
    ref: 'refs/heads/main',
    before: before ?? '0'.repeat(40),
    after,
    repository,
    created: before === null,
    deleted: false,
    forced: false,
    pusher: { name: 'a-person', email: 'a.person@example.com' },
  });
  const response = await fetch(`${url}/webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': after,
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
    body,
  });
  const { data, error } = (await response.json()) as { data?: { rfc_id: string }; error?: string };
  if (data === undefined) throw new Error(`webhook answered ${response.status}: ${error}`);
  return data.rfc_id;
}
