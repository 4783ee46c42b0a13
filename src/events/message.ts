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

/** One line of text for an incoming webhook (docs.slack.dev/messaging/formatting-message-text). */
function slackMessage(event: ServiceEvent, baseUrl: string): { text: string } {
  const { type, subject, repo, data } = event;
  const page = `<${pageOf(event, baseUrl)}|${escaped(subject)}>`;
  const facts = SHOWN.flatMap((name) => {
    const value = data[name];
    return typeof value === 'string' || typeof value === 'number' ? [`${name} ${value}`] : [];
  });
  const rest = [repo ?? '', ...facts].filter(Boolean).map(escaped).join(', ');
  return { text: `*${type}* ${page}${rest === '' ? '' : `: ${rest}`}` };
}

const SHOWN = ['branch', 'status', 'risk_score', 'environment', 'component', 'host'] as const;

/** Names are foreign text: no mention, no link and no format comes from them. */
function escaped(text: string): string {
  const plain = text.replace(/[*_~`|\p{Cc}]/gu, ' ');
  return plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
