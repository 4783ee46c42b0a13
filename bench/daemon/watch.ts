import type { HostedDaemon } from './hosted-daemon.ts';

const SAMPLE_EVERY_MS = 500;

/** What a load did to a daemon. */
export interface Strain {
  cpuSeconds: number;
  lagP50Ms: number;
  lagP99Ms: number;
  lagMaxMs: number;
  rssMaxMb: number;
  childrenMax: number;
}

/** Runs a load and watches the daemon meanwhile. */
export async function watchDuring<T>(
  daemon: HostedDaemon,
  load: () => Promise<T>,
): Promise<{ result: T; strain: Strain }> {
  let rssMaxMb = 0;
  let childrenMax = 0;
  const look = async () => {
    const { rssMb, childPids } = await daemon.sample();
    rssMaxMb = Math.max(rssMaxMb, rssMb);
    childrenMax = Math.max(childrenMax, childPids.length);
  };
  const timer = setInterval(() => void look(), SAMPLE_EVERY_MS);
  daemon.resetLag();
  const cpu = daemon.cpuSeconds();
  try {
    const result = await load();
    const cpuSeconds = daemon.cpuSeconds() - cpu;
    await look();
    const { lagP50Ms, lagP99Ms, lagMaxMs } = await daemon.sample();
    return { result, strain: { cpuSeconds, lagP50Ms, lagP99Ms, lagMaxMs, rssMaxMb, childrenMax } };
  } finally {
    clearInterval(timer);
  }
}
