import { createHash } from 'node:crypto';
import type { EngineReport, Enhancement, EnhancementResult } from '../domain/enhancement.ts';
import type { Enhancements, ReuseFacts } from '../database/enhancements.ts';
import type { Uploads } from '../database/uploads.ts';
import { mediaKind, type MediaType } from '../domain/media.ts';
import { resolveImageParameters, resolvePdfParameters, type EnhancementParameters } from '../domain/parameters.ts';
import { PLANS, type Plan } from '../domain/plans.ts';
import type { Upload } from '../domain/upload.ts';

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
}

export interface ReusableResult {
  enhancementId: string;
  result: EnhancementResult;
  engine: EngineReport;
}

/** Projections of workflow state into the database. A late retry is harmless: a lower revision never wins. */
export function createRecordActivities({ uploads, enhancements, engineVersion }: RecordsDeps) {
  const factsOf = ({ sourceSha256, mimetype, parameters, plan }: Omit<ReuseQuestion, 'accountId'>): ReuseFacts => ({
    sourceSha256,
    fingerprint: fingerprintOf(mimetype, parameters, plan),
    engineVersion,
  });
  return {
    async recordUpload({ upload }: { upload: Upload }): Promise<void> {
      await uploads.project(upload);
    },
    async recordEnhancement(record: {
      enhancement: Enhancement;
      /** Absent when the enhancement never came to its file */
      source: Omit<ReuseQuestion, 'accountId' | 'parameters'> | null;
    }): Promise<void> {
      const { enhancement, source } = record;
      await enhancements.project(
        enhancement,
        source ? factsOf({ ...source, parameters: enhancement.parameters }) : undefined,
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
