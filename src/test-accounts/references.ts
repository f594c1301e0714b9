import { type RecordedEnhancement, findTestEffect, type TestEffect } from '@burnish/contract';
import type { Uploads } from '../database/uploads/uploads.ts';
import type { Enhancements } from '../database/uploads/enhancements.ts';

export interface TestReferencesDeps {
  uploads: Pick<Uploads, 'get'>;
  enhancements: Pick<Enhancements, 'get'>;
}

/** The effects that the references in records of test accounts ask for. The reference of an upload also applies to its enhancements. */
export function createTestReferences({ uploads, enhancements }: TestReferencesDeps) {
  /** For the work of a test account only. */
  const ofUpload = async (accountId: string, uploadId: string): Promise<TestEffect | undefined> =>
    findTestEffect((await uploads.get(accountId, uploadId))?.reference);
  return {
    ofUpload,
    /** No effect for the enhancement of any other account. */
    async ofEnhancement(
      accountId: string,
      { id, uploadId }: { id: string; uploadId: string },
    ): Promise<{ recorded: RecordedEnhancement | undefined; effect: TestEffect | undefined }> {
      const recorded = await enhancements.get(accountId, id);
      if (recorded?.provider !== 'test') return { recorded, effect: undefined };
      return { recorded, effect: findTestEffect(recorded.reference) ?? (await ofUpload(accountId, uploadId)) };
    },
  };
}

export type TestReferences = ReturnType<typeof createTestReferences>;
