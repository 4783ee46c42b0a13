import { createServer, implement } from '../../src/rpc/service.ts';
import { serveThread } from '../../src/rpc/thread.ts';
import { Echo, echo } from './echo.ts';

serveThread(() => ({
  server: createServer([implement(Echo, echo)]),
  close: () => undefined,
}));
