import { type Implementation, method } from '../../src/rpc/service.ts';

/** The smallest service: what it costs is what the carrier costs. */
export const Echo = {
  name: 'Echo',
  methods: { echo: method<EchoInput, EchoInput>(5_000) },
} as const;

export interface EchoInput {
  bytes: Uint8Array;
}

export const echo: Implementation<typeof Echo> = { echo: (input) => input };
