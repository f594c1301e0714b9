import { withHeartbeat } from '../heartbeat.ts';
import type { EnhanceJob, EstimateJob, Provider, SourceFile } from './provider.ts';

/** The provider's work as activities, named for what a person then sees in the Web UI. */
export function createProviderActivities(provider: Provider) {
  return {
    inspect: (source: SourceFile) => withHeartbeat((watch) => provider.inspect(source, watch)),
    analyze: (source: SourceFile) => withHeartbeat((watch) => provider.analyze(source, watch)),
    estimate: (job: EstimateJob) => withHeartbeat((watch) => provider.estimate(job, watch)),
    enhance: (job: EnhanceJob) => withHeartbeat((watch) => provider.enhance(job, watch)),
  };
}
