import { webhookMac } from '../core/standard-webhooks.ts';
import type { ServiceEvent } from '../model/event.ts';
import { approveUrl } from '../model/records.ts';
import type { Subscription } from './subscription.ts';

/** A delivery as it is sent. */
export interface Message {
  headers: Readonly<Record<string, string>>;
  body: string;
}

/**
 * The message of an event: the same id in each try, so that a receiver knows it again, and a new
 * time and signature. `baseUrl`: where people reach the service.
 */
export function messageOf(
  event: ServiceEvent,
  { format, secrets }: Pick<Subscription, 'format' | 'secrets'>,
  { baseUrl, nowMs }: { baseUrl: string; nowMs: number },
): Message {
  const isSlack = format === 'slack';
  const body = JSON.stringify(isSlack ? slackMessage(event, baseUrl) : cloudEvent(event, baseUrl));
  const { event_id: id } = event;
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signatures = secrets.map(
    (secret) => `v1,${webhookMac(secret, id, timestamp).update(body).digest('base64')}`,
  );
  return {
    headers: {
      'content-type': isSlack ? 'application/json' : 'application/cloudevents+json; charset=utf-8',
      'user-agent': 'cra',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      ...(signatures.length === 0 ? {} : { 'webhook-signature': signatures.join(' ') }),
    },
    body,
  };
}

/** CloudEvents 1.0, structured mode (github.com/cloudevents/spec). */
function cloudEvent(event: ServiceEvent, baseUrl: string): object {
  const { event_id, type, tenant_id, subject, at, data } = event;
  return {
    specversion: '1.0',
    id: event_id,
    source: baseUrl,
    type,
    subject,
    time: at,
    datacontenttype: 'application/json',
    data: { tenant_id, ...data, url: pageOf(event, baseUrl) },
  };
}

/** Where a person sees more: the RFC, or the service. */
function pageOf({ data }: ServiceEvent, baseUrl: string): string {
  const { rfc_id } = data;
  return typeof rfc_id === 'string' ? approveUrl(baseUrl, rfc_id) : `${baseUrl}/cra`;
}

/**
 * One line of text for an incoming webhook (docs.slack.dev/messaging/formatting-message-text).
 * Names are foreign text: each stands as code, in which neither Slack nor a service that takes the
 * same messages finds a mention, a link or a format.
 */
function slackMessage(event: ServiceEvent, baseUrl: string): { text: string } {
  const { type, repo, data } = event;
  const { rfc_id } = data;
  const page = `<${pageOf(event, baseUrl)}|${typeof rfc_id === 'string' ? rfc_id : 'cra'}>`;
  const facts = SHOWN.flatMap((name) => {
    const value = data[name];
    const label = name.replace('_', ' ');
    if (typeof value === 'number') return [`${label} ${value}`];
    return typeof value === 'string' ? [`${label} ${asCode(value)}`] : [];
  });
  const about = repo === null ? facts : [asCode(repo), ...facts];
  return { text: `*${type}* ${page}${about.length === 0 ? '' : `: ${about.join(', ')}`}` };
}

const SHOWN = [
  'branch',
  'status',
  'risk_score',
  'environment',
  'component',
  'host',
  'asked',
  'asked_by',
] as const;

function asCode(text: string): string {
  const plain = text.replace(/[*_~`|\p{Cc}]/gu, ' ');
  return `\`${plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}\``;
}
