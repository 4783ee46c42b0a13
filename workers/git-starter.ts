import { serveStarts } from '../src/git/starter-end.ts';
import type { StartRequest } from '../src/git/starter-message.ts';

const starts = serveStarts({ send: (report) => process.send?.(report) });

process.on('message', (request: StartRequest) => starts.start(request));
// The daemon or its thread is gone, however that came: nothing that was started outlives it.
process.on('disconnect', () => {
  starts.close();
  process.exit();
});
