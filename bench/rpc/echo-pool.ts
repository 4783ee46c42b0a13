import { servePool } from '../../src/rpc/pool.ts';
import { createServer, implement } from '../../src/rpc/service.ts';
import { Echo, echo } from './echo.ts';

export const run = servePool(createServer([implement(Echo, echo)]));
