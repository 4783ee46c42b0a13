import { createClient, type Transport } from './client.ts';
import { RulesBook, Sessions, Tasks, Usage } from './desk-contract.ts';
import { implement, type Registration } from './server.ts';
import type { Client, Implementation } from './service.ts';

/** Tasks, usage, rules revisions and sessions: what one client of a store has of them. */
export type DeskClient = Client<typeof Tasks> &
  Client<typeof Usage> &
  Client<typeof RulesBook> &
  Client<typeof Sessions>;

export type DeskImplementation = Implementation<typeof Tasks> &
  Implementation<typeof Usage> &
  Implementation<typeof RulesBook> &
  Implementation<typeof Sessions>;

/** Creates the caller's side of the four services. */
export function createDeskClient(transport: Transport): DeskClient {
  return {
    ...createClient(Tasks, transport),
    ...createClient(Usage, transport),
    ...createClient(RulesBook, transport),
    ...createClient(Sessions, transport),
  };
}

/** The server's side, or one half of it: methods of the other answer UNIMPLEMENTED. */
export function implementDesk(side: Partial<DeskImplementation>): Registration[] {
  return [Tasks, Usage, RulesBook, Sessions].map((service) => implement(service, side));
}
