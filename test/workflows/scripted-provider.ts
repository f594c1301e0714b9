import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  EnhanceJob,
  EnhanceOutcome,
  EstimateJob,
  Inspection,
  Provider,
  SourceFile,
  Watch,
} from '../../src/activities/provider/provider.ts';
import type { PdfAnalysis } from '../../src/domain/analysis.ts';
import type { ObjectStore } from '../../src/storage/object-store.ts';

/** What a test lets the engine do; each part falls back to quick success. */
export interface Script {
  inspect?: (source: SourceFile, watch: Watch) => Promise<Inspection>;
  analyze?: (source: SourceFile, watch: Watch) => Promise<PdfAnalysis>;
  estimate?: (job: EstimateJob, watch: Watch) => Promise<number>;
  /** Runs before the result is written */
  enhance?: (job: EnhanceJob, watch: Watch) => Promise<void>;
}

export interface ScriptedProvider extends Provider {
  script: Script;
  /** Calls in order: the work, and the id of the upload or, for an enhancement's work, of the enhancement */
  calls: string[];
}

export const ANALYSIS: PdfAnalysis = {
  totalCredits: 9,
  statistics: {
    pages: 2,
    images: 3,
    colorEligible: 1,
    resizeEligible: 2,
    credits: { color: 1, resize: 8, colorAndResize: 9 },
  },
};

/** Stands in for the engine, so that lifecycles can be led into every fault; results are real objects in the store. */
export function createScriptedProvider(store: ObjectStore, folder: string): ScriptedProvider {
  const provider: ScriptedProvider = {
    script: {},
    calls: [],
    async inspect(source, watch) {
      provider.calls.push(`inspect ${source.uploadId}`);
      return (await provider.script.inspect?.(source, watch)) ?? { width: 640, height: 480, notes: [] };
    },
    async analyze(source, watch) {
      provider.calls.push(`analyze ${source.uploadId}`);
      return (await provider.script.analyze?.(source, watch)) ?? ANALYSIS;
    },
    async estimate(job, watch) {
      provider.calls.push(`estimate ${job.enhancementId}`);
      return (await provider.script.estimate?.(job, watch)) ?? ANALYSIS.totalCredits;
    },
    async enhance(job, watch): Promise<EnhanceOutcome> {
      provider.calls.push(`enhance ${job.enhancementId}`);
      await provider.script.enhance?.(job, watch);
      watch.signal.throwIfAborted();
      const path = join(folder, job.enhancementId);
      await writeFile(path, `enhanced ${job.source.originalFilename}`);
      const { size, sha256 } = await store.putFile(job.resultKey, path);
      const { mimetype, originalFilename: filename } = job.source;
      return {
        result: { objectKey: job.resultKey, size, sha256, mimetype, filename, width: 1280, height: 960 },
        engine: { version: 'scripted', steps: ['tone'], notes: [], durationMs: 5 },
        credits:
          mimetype === 'application/pdf' ? ANALYSIS.totalCredits : job.parameters.upscalingFactor === 'X2' ? 4 : 1,
      };
    },
  };
  return provider;
}
