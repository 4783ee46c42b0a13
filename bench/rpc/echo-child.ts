import { serveAsChild } from '../../src/rpc/child.ts';
import { createServer, implement } from '../../src/rpc/service.ts';
import { Echo, echo } from './echo.ts';

serveAsChild(createServer([implement(Echo, echo)]), process.argv[2] ?? '');
