import type { EventLane } from '../store/contract/events.ts';

/** Where events go, as SERVICE_EVENTS_CONFIG names it. */
export interface Subscription extends EventLane {
  /** May hold a secret (Slack): no log and no answer shows it. */
  readonly url: string;
  /** Each signs every delivery; several while they are rotated. Empty with `slack` alone. */
  readonly secrets: readonly string[];
  /** CloudEvents 1.0 in JSON, or a message for an incoming webhook of Slack. */
  readonly format: 'cloudevents' | 'slack';
  /** Whether the receiver may have a private address. */
  readonly allowPrivate: boolean;
}
