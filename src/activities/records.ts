import { createHash } from 'node:crypto';
import type { EngineReport, Enhancement, EnhancementResult } from '../domain/enhancement.ts';
import type { Enhancements, ReuseFacts } from '../database/enhancements.ts';
import type { Uploads } from '../database/uploads.ts';
import { mediaKind, type MediaType } from '../domain/media.ts';
import { resolveImageParameters, resolvePdfParameters, type EnhancementParameters } from '../domain/parameters.ts';
import { PLANS, type Plan } from '../domain/plans.ts';
import type { ProviderName, Upload } from '../domain/upload.ts';

export interface RecordsDeps {
  uploads: Pick<Uploads, 'project'>;
  enhancements: Pick<Enhancements, 'project' | 'findReusable'>;
  /** Part of what makes two requests the same */
  engineVersion: string;
}

export interface ReuseQuestion {
  accountId: string;
  sourceSha256: string;
  mimetype: MediaType;
  parameters: EnhancementParameters;
  plan: Plan;
  /** Whose results may serve; absent in histories from before there were two */
  provider?: ProviderName;
}

/** The engine of the hosted service is updated there, without a word; its results stand for each other. */
const HOSTED_ENGINE_VERSION = 'hosted';

export interface ReusableResult {
  enhancementId: string;
  result: EnhancementResult;
  engine: EngineReport;
}

/** Projections of workflow state into the database. A late retry is harmless: a lower revision never wins. */
export function createRecordActivities({ uploads, enhancements, engineVersion }: RecordsDeps) {
  const factsOf = (question: Omit<ReuseQuestion, 'accountId'>, madeBy?: string): ReuseFacts => ({
    sourceSha256: question.sourceSha256,
    fingerprint: fingerprintOf(question.mimetype, question.parameters, question.plan),
    engineVersion: question.provider === 'hosted' ? HOSTED_ENGINE_VERSION : (madeBy ?? engineVersion),
  });
  return {
    async recordUpload({ upload, sentence }: { upload: Upload; sentence?: string }): Promise<void> {
      await uploads.project(upload, sentence);
    },
    async recordEnhancement(record: {
      enhancement: Enhancement;
      /** Absent when the enhancement never came to its file */
      source: Omit<ReuseQuestion, 'accountId' | 'parameters' | 'provider'> | null;
      /** What happened, for the timeline */
      sentence?: string;
    }): Promise<void> {
      const { enhancement, source, sentence } = record;
      await enhancements.project(
        enhancement,
        source
          ? factsOf(
              { ...source, parameters: enhancement.parameters, provider: enhancement.provider },
              // Another worker may have made it, with other networks than there are here.
              enhancement.engine?.version,
            )
          : undefined,
        sentence,
      );
    },
    async findReusableResult(question: ReuseQuestion): Promise<ReusableResult | null> {
      const found = await enhancements.findReusable({ ...factsOf(question), accountId: question.accountId });
      if (!found?.result || !found.engine) return null;
      return { enhancementId: found.id, result: found.result, engine: found.engine };
    },
  };
}

/** Hex SHA-256 over the parameters with every default filled in, so that a default and its absence are the same. */
function fingerprintOf(mimetype: MediaType, given: EnhancementParameters, plan: Plan): string {
  const resolved =
    mediaKind(mimetype) === 'pdf'
      ? resolvePdfParameters(given, PLANS[plan].maxResolution)
      : resolveImageParameters(given);
  return createHash('sha256').update(JSON.stringify(resolved)).digest('hex');
}
