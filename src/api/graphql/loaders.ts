import DataLoader from 'dataloader';
import type { RecordedEnhancement, Labelled, Upload } from '@burnish/contract';
import type { Uploads } from '../../database/uploads/uploads.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';

/** Batched reads of one request, so that a list needs as many queries as a single record. */
export interface Loaders {
  upload: DataLoader<string, Labelled<Upload> | undefined>;
  /** By the id of the upload */
  enhancementsOfUpload: DataLoader<string, RecordedEnhancement[]>;
}

export interface LoaderDeps {
  uploads: Uploads;
  enhancements: Enhancements;
}

/** Maximum number of uploads in one query of enhancements; each has at most 100. */
const UPLOADS_A_QUERY = 25;

/** For one request only: a repeated read within the request returns the first result. */
export function createLoaders({ uploads, enhancements }: LoaderDeps, accountId: string): Loaders {
  return {
    upload: new DataLoader(async (ids) => {
      const found = await uploads.getMany(accountId, ids);
      return ids.map((id) => found.get(id));
    }),
    enhancementsOfUpload: new DataLoader(
      async (uploadIds) => {
        const found = await enhancements.listForUploads(accountId, uploadIds);
        return uploadIds.map((id) => found.get(id) ?? []);
      },
      { maxBatchSize: UPLOADS_A_QUERY },
    ),
  };
}
