import { withHeartbeat } from '../heartbeat.ts';
import type { AssembleJob, EnhanceJob, EstimateJob, Provider, SourceFile, SpanJob } from './provider.ts';

/** The provider's CPU work as activities, named for what a person then sees in the Web UI. */
export function createProviderActivities(provider: Omit<Provider, 'inspect'>) {
  return {
    analyze: (source: SourceFile) => withHeartbeat((watch) => provider.analyze(source, watch)),
    estimate: (job: EstimateJob) => withHeartbeat((watch) => provider.estimate(job, watch)),
    enhance: (job: EnhanceJob) => withHeartbeat((watch) => provider.enhance(job, watch)),
    enhancePdfSpan: (job: SpanJob) => withHeartbeat((watch) => provider.enhanceSpan(job, watch)),
    assemblePdf: (job: AssembleJob) => withHeartbeat((watch) => provider.assemble(job, watch)),
  };
}

/** A look at an image is short, and runs beside the workflows. */
export function createInspectActivity(provider: Pick<Provider, 'inspect'>) {
  return {
    inspect: (source: SourceFile) => withHeartbeat((watch) => provider.inspect(source, watch)),
  };
}
