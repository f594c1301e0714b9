import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListMultipartUploadsCommandOutput,
} from '@aws-sdk/client-s3';
import { orAbsent, type S3Bucket } from './s3-bucket.ts';

/** Deletes every object below a key. Objects that are put there concurrently may be deleted or remain. */
export async function deleteBelow({ own, bucket, namesBelow }: S3Bucket, key: string): Promise<void> {
  const Prefix = namesBelow(key);
  for (;;) {
    const { Contents = [], IsTruncated } = await own.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }));
    if (Contents.length === 0) return;
    const Objects = Contents.map(({ Key }) => ({ Key: Key! }));
    const { Errors = [] } = await own.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
    );
    if (Errors.length > 0) {
      throw new Error(`${Errors.length} of ${Objects.length} objects could not be deleted: ${Errors[0]!.Code}.`);
    }
    if (IsTruncated !== true) return;
  }
}

/**
 * Aborts multipart uploads of dead senders: their parts are invisible, but are stored and cost money.
 * @returns the number of objects with such parts
 */
export async function abortMultipartUploads({ own, bucket, prefix }: S3Bucket, olderThanMs: number): Promise<number> {
  const before = Date.now() - olderThanMs;
  let abandoned = 0;
  let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
  while (from !== undefined) {
    const page: ListMultipartUploadsCommandOutput = await own.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...from }),
    );
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Initiated === undefined || Initiated.getTime() > before) continue;
      await orAbsent(own.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })));
      abandoned += 1;
    }
    from =
      page.IsTruncated === true
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined;
  }
  return abandoned;
}
