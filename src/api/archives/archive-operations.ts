import { create as contentDisposition } from 'content-disposition';
import type { Response } from 'express';
import { z } from 'zod';
import { counted, Failure, isId, MAX_ARCHIVED_BYTES, MAX_ARCHIVED_FILES, type FailureCode } from '@burnish/contract';
import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import { downloadFilename } from '../../domain/upload/filenames.ts';
import type { FairLimiter } from '../../process/fair-limiter.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import type { Caller } from '../commands/command-types.ts';
import { readIntact } from '../files/read-intact.ts';
import { sendBody } from '../http/send-body.ts';
import { viewOriginal, viewResult } from '../previews/viewed.ts';
import { sentByHandler } from '../rest/answers.ts';
import { operation } from '../rest/operation.ts';
import { createArchive, type ArchivedFile } from './create-archive.ts';

interface ArchiveNeeds {
  uploads: Uploads;
  enhancements: Enhancements;
  storage: Pick<ObjectStore, 'get'>;
  /** Limits the archives of one account that are sent at once */
  archiveLimit: FairLimiter;
}

const MAX_GB = MAX_ARCHIVED_BYTES / 1e9;
const EXAMPLE = 'enh_01jz8k3v5wq4m2n7p9r6s8t0xy,upl_01jz8k3v5wq4m2n7p9r6s8t0xy';

const ids = z
  .string()
  .transform((text) => [...new Set(text.split(','))])
  .pipe(
    z
      .array(z.string().refine((id) => isId('enh', id) || isId('upl', id), 'must be ids of enhancements or uploads'))
      .max(MAX_ARCHIVED_FILES),
  )
  .meta({
    description: `Ids of 1 to ${MAX_ARCHIVED_FILES} files, separated by commas: that of an enhancement for its result, that of an upload for its original.`,
    example: EXAMPLE,
    override: { type: 'string' },
  });

const failures: FailureCode[] = ['NOT_FOUND', 'RATE_LIMITED', 'ORIGINAL_DAMAGED', 'RESULT_DAMAGED'];

/** `/v1/archive.zip`: many files as one. */
export const archiveOperations = [
  operation({
    operationId: 'downloadArchive',
    scope: 'read',
    method: 'get',
    path: '/v1/archive.zip',
    tag: 'Files',
    summary: 'Download results and originals as one ZIP',
    description: `The files are not compressed further. Equal names are numbered. They have at most ${MAX_GB} GB together. If the connection breaks, or a file is deleted meanwhile, the archive is incomplete, and shorter than its \`Content-Length\`.`,
    query: z.strictObject({ ids }),
    answer: sentByHandler({
      '200': {
        description: 'The archive.',
        content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
      },
    }),
    failures,
    async handle({ caller, query, req, res }, deps: ArchiveNeeds) {
      const files = await findFiles(caller, query.ids, deps);
      await deps.archiveLimit.run({ owner: caller.account.id, refusal: tooManyArchives }, () =>
        send(res, files, req.method === 'HEAD'),
      );
    },
  }),
];

async function send(res: Response, files: readonly ArchivedFile[], isHead: boolean): Promise<void> {
  // A refusal of storage comes before the headers, at least for the first file.
  const [first, ...others] = files as [ArchivedFile, ...ArchivedFile[]];
  const opened = isHead ? undefined : await first.open();
  const archive = await createArchive([{ ...first, open: () => Promise.resolve(opened!) }, ...others]);
  res.set({
    'Content-Type': 'application/zip',
    'Content-Disposition': contentDisposition('burnish.zip'),
    'Content-Length': String(archive.size),
    'Accept-Ranges': 'none',
    'Cache-Control': 'no-store',
  });
  if (isHead) {
    res.end();
    return;
  }
  try {
    await sendBody(res, archive.read(), 'archive');
  } finally {
    archive.close();
    opened?.destroy();
  }
}

/** @throws Failure NOT_FOUND for an id without a file; BAD_USER_INPUT for too many bytes */
async function findFiles(
  { account }: Caller,
  ids: readonly string[],
  { uploads, enhancements, storage }: ArchiveNeeds,
): Promise<ArchivedFile[]> {
  const originals = await uploads.getMany(account.id, ids.filter(isUpload));
  const results = await enhancements.getMany(
    account.id,
    ids.filter((id) => !isUpload(id)),
  );
  const files = ids.map((id) => {
    const upload = originals.get(id);
    const enhancement = results.get(id);
    const record = upload ?? enhancement;
    const viewed = upload ? viewOriginal(upload) : enhancement && viewResult(enhancement);
    if (record === undefined || viewed === undefined) {
      const detail = `There is no upload or enhancement with the id ${id}. Remove it from the list.`;
      throw new Failure('NOT_FOUND', { detail });
    }
    const { objectKey, mimetype, expected } = viewed;
    return {
      name: downloadFilename(upload?.originalFilename ?? enhancement!.result!.filename, mimetype),
      size: expected.size,
      modifiedAt: new Date(record.finishedAt ?? record.createdAt),
      open: () => readIntact(() => storage.get(objectKey, undefined, expected)),
    };
  });
  const bytes = files.reduce((total, { size }) => total + size, 0);
  if (bytes > MAX_ARCHIVED_BYTES) {
    const detail = `The files have ${(bytes / 1e9).toFixed(1)} GB together, and an archive has at most ${MAX_GB} GB. Download them in parts.`;
    throw new Failure('BAD_USER_INPUT', { field: 'ids', detail });
  }
  return files;
}

const isUpload = (id: string): boolean => isId('upl', id);

const tooManyArchives = (max: number): Failure =>
  new Failure('RATE_LIMITED', {
    detail: `At most ${counted(max, 'archive')} at once. Wait for the end of one.`,
    retryAfterSeconds: 5,
  });
