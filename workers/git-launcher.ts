import { type LaunchRequest, serveLaunches } from '../src/git/launcher.ts';

const launches = serveLaunches({ send: (report) => process.send?.(report) });

process.on('message', (request: LaunchRequest) => launches.start(request));
// The daemon or its thread has ended: nothing that was started outlives it.
process.on('disconnect', () => {
  launches.close();
  process.exit();
});
