import { type RecordedEnhancement, findTestEffect, type TestEffect } from '@burnish/contract';
import type { Uploads } from '../database/uploads/uploads.ts';
import type { Enhancements } from '../database/uploads/enhancements.ts';

export interface TestReferencesDeps {
  uploads: Uploads;
  enhancements: Enhancements;
}

/** The effects that the references in records of test accounts ask for. The reference of an upload also applies to its enhancements. */
export function createTestReferences({ uploads, enhancements }: TestReferencesDeps) {
  const ofUpload = async (accountId: string, uploadId: string): Promise<TestEffect | undefined> =>
    findTestEffect((await uploads.get(accountId, uploadId))?.reference);
  return {
    ofUpload,
    async ofEnhancement(
      accountId: string,
      { id, uploadId }: { id: string; uploadId: string },
    ): Promise<{ recorded: RecordedEnhancement | undefined; effect: TestEffect | undefined }> {
      const recorded = await enhancements.get(accountId, id);
      return { recorded, effect: findTestEffect(recorded?.reference) ?? (await ofUpload(accountId, uploadId)) };
    },
  };
}

export type TestReferences = ReturnType<typeof createTestReferences>;
