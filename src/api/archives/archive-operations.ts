import { create as contentDisposition } from 'content-disposition';
import type { Response } from 'express';
import { z } from 'zod';
import {
  type Batch,
  BATCH_LIMITS,
  counted,
  Failure,
  isId,
  MAX_ARCHIVED_BYTES,
  MAX_ARCHIVED_FILES,
  type FailureCode,
} from '@burnish/contract';
import type { BatchItems } from '../../database/batches/batch-items.ts';
import type { Batches } from '../../database/batches/batches.ts';
import type { Enhancements } from '../../database/uploads/enhancements.ts';
import type { Uploads } from '../../database/uploads/uploads.ts';
import { downloadFilename, sanitizeFilename } from '../../domain/upload/filenames.ts';
import type { FairLimiter } from '../../process/fair-limiter.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { requireRecord } from '../commands/checks.ts';
import type { Caller } from '../commands/command-types.ts';
import { readIntact } from '../files/read-intact.ts';
import { sendBody } from '../http/send-body.ts';
import { viewOriginal, viewResult, type Viewed } from '../previews/viewed.ts';
import { sentByHandler } from '../rest/answers.ts';
import { idPath, operation } from '../rest/operation.ts';
import { parseNumber } from '../schemas/fields.ts';
import { createArchive, type ArchivedFile } from './create-archive.ts';
import { folderOfKey } from './folder-of-key.ts';

interface ArchiveNeeds {
  batches: Batches;
  batchItems: BatchItems;
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

const part = z
  .string()
  .transform(parseNumber)
  .pipe(
    z
      .number()
      .int()
      .min(1)
      .max(Math.ceil(BATCH_LIMITS.items / MAX_ARCHIVED_FILES)),
  )
  .optional()
  .meta({
    description: 'Number of the part, from 1. Default 1.',
    override: { type: 'integer', minimum: 1, default: 1 },
  });

const archive = sentByHandler({
  '200': {
    description: 'The archive.',
    content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
  },
});

const failures: FailureCode[] = ['NOT_FOUND', 'RATE_LIMITED', 'ORIGINAL_DAMAGED', 'RESULT_DAMAGED'];

/** `/v1/archive.zip`, `/v1/batches/{id}/archive.zip`: many files as one. */
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
    answer: archive,
    failures,
    async handle({ caller, query, req, res }, deps: ArchiveNeeds) {
      const files = await findFiles(caller, query.ids, deps);
      await deps.archiveLimit.run({ owner: caller.account.id, refusal: tooManyArchives }, () =>
        send(res, { name: 'burnish.zip', files }, req.method === 'HEAD'),
      );
    },
  }),

  operation({
    operationId: 'downloadBatchArchive',
    scope: 'read',
    method: 'get',
    path: '/v1/batches/{id}/archive.zip',
    tag: 'Batches',
    summary: 'Download the results of a batch as ZIP',
    description: `Each result stands in the folder of its item's key: \`shoes/red.heic\` becomes \`shoes/red.jpg\`. A part has the results of ${MAX_ARCHIVED_FILES} finished items, in the order of the requests, without deleted ones.`,
    parameters: idPath('bat'),
    query: z.strictObject({ part }),
    answer: archive,
    failures,
    async handle({ caller, parameters: { id }, query: { part: number = 1 }, req, res }, deps: ArchiveNeeds) {
      const batch = requireRecord(await deps.batches.get(caller.account.id, id));
      const files = await findResults(caller, batch.id, number, deps);
      await deps.archiveLimit.run({ owner: caller.account.id, refusal: tooManyArchives }, () =>
        send(res, { name: archiveName(batch, number), files }, req.method === 'HEAD'),
      );
    },
  }),
];

/** The name that the account gave the batch, with the number of a further part. */
const archiveName = ({ id, reference }: Batch, number: number): string =>
  `${sanitizeFilename(reference ?? id) ?? id}${number > 1 ? ` ${number}` : ''}.zip`;

/** @throws Failure NOT_FOUND for a part without results; BAD_USER_INPUT for too many bytes */
async function findResults(
  { account }: Caller,
  batchId: string,
  number: number,
  { batchItems, enhancements, storage }: ArchiveNeeds,
): Promise<ArchivedFile[]> {
  const range = { skip: (number - 1) * MAX_ARCHIVED_FILES, limit: MAX_ARCHIVED_FILES, state: 'FINISHED' } as const;
  const items = (await batchItems.list(batchId, range)).map(({ item }) => item);
  const results = await enhancements.getMany(
    account.id,
    items.flatMap(({ enhancementId }) => enhancementId ?? []),
  );
  const files = items.flatMap((item) => {
    const enhancement = results.get(item.enhancementId ?? '');
    if (!enhancement?.result || (enhancement.deletedAt ?? null) !== null) return [];
    const file = archivedFile(viewResult(enhancement), enhancement.result.filename, enhancement, storage);
    return [{ ...file, name: `${folderOfKey(item)}${file.name}` }];
  });
  if (files.length === 0) {
    const detail = `The batch has no results in part ${number}. Send a number from 1 to a ${MAX_ARCHIVED_FILES}th of its finished items.`;
    throw new Failure('NOT_FOUND', { detail });
  }
  assertSize(files, 'part', 'Download fewer at once by `/v1/archive.zip`.');
  return files;
}

async function send(
  res: Response,
  { name, files }: { name: string; files: readonly ArchivedFile[] },
  isHead: boolean,
): Promise<void> {
  // A refusal of storage comes before the headers, at least for the first file.
  const [first, ...others] = files as [ArchivedFile, ...ArchivedFile[]];
  const opened = isHead ? undefined : await first.open();
  const archive = await createArchive([{ ...first, open: () => Promise.resolve(opened!) }, ...others]);
  res.set({
    'Content-Type': 'application/zip',
    'Content-Disposition': contentDisposition(name),
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
    return archivedFile(viewed, upload?.originalFilename ?? enhancement!.result!.filename, record, storage);
  });
  assertSize(files, 'ids', 'Download them in parts.');
  return files;
}

const archivedFile = (
  { objectKey, mimetype, expected }: Viewed,
  name: string,
  { finishedAt, createdAt }: { finishedAt: string | null; createdAt: string },
  storage: ArchiveNeeds['storage'],
): ArchivedFile => ({
  name: downloadFilename(name, mimetype),
  size: expected.size,
  modifiedAt: new Date(finishedAt ?? createdAt),
  open: () => readIntact(() => storage.get(objectKey, undefined, expected)),
});

function assertSize(files: readonly ArchivedFile[], field: string, remedy: string): void {
  const bytes = files.reduce((total, { size }) => total + size, 0);
  if (bytes <= MAX_ARCHIVED_BYTES) return;
  const detail = `The files have ${(bytes / 1e9).toFixed(1)} GB together, and an archive has at most ${MAX_GB} GB. ${remedy}`;
  throw new Failure('BAD_USER_INPUT', { field, detail });
}

const isUpload = (id: string): boolean => isId('upl', id);

const tooManyArchives = (max: number): Failure =>
  new Failure('RATE_LIMITED', {
    detail: `At most ${counted(max, 'archive')} at once. Wait for the end of one.`,
    retryAfterSeconds: 5,
  });
