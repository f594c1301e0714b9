import { startWholeCluster, type WholeCluster } from '../../cluster/cluster.ts';

/** A complete cluster with network faults on demand, enough credits for every run, and one webhook receiver on this machine. */
export function startTroubledCluster(
  receiverPort: number,
  temporalNodes: boolean,
  report: (sentence: string) => void,
): Promise<WholeCluster> {
  return startWholeCluster({
    report,
    troubledNetwork: true,
    env: {
      BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiverPort}`,
      BURNISH_CREDITS_PER_PERIOD: '10000000',
      BURNISH_LOG_LEVEL: 'error',
    },
    ...(temporalNodes ? { temporal: 'nodes' } : {}),
  });
}
