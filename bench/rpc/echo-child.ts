import { serveAsChild } from '../../src/rpc/child-server.ts';
import { createServer, implement } from '../../src/rpc/server.ts';
import { Echo, echo } from './echo.ts';

serveAsChild(createServer([implement(Echo, echo)]), process.argv[2] ?? '');
