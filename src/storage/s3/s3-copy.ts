import { CopyObjectCommand } from '@aws-sdk/client-s3';
import { Failure } from '../../domain/failures.ts';
import type { StoredObject } from '../object-store.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { factsOf, hashBytes, isReplaced, metadataOf } from './s3-facts.ts';

/** How often a source is looked at anew that was replaced while it was copied. */
const ATTEMPTS = 5;

/**
 * Copies within the service: of a source that is replaced meanwhile, the copy holds the bytes that its hash belongs to.
 * @param verify the hash is worked out from the bytes, whatever the source says
 * @throws Failure NOT_FOUND
 */
export async function copyObject(
  place: S3Bucket,
  from: string,
  to: string,
  { verify = false }: { verify?: boolean } = {},
): Promise<StoredObject> {
  const { own, bucket, nameOf } = place;
  const source = [bucket, ...nameOf(from).split('/')].map(encodeURIComponent).join('/');
  const target = { Bucket: bucket, Key: nameOf(to) };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const facts = await factsOf(place, from);
    if (facts === undefined) throw new Failure('NOT_FOUND');
    const sha256 = (verify ? undefined : facts.sha256) ?? (await hashBytes(place, from, facts.tag));
    if (sha256 === undefined) continue;
    const copy = { CopySource: source, CopySourceIfMatch: facts.tag, MetadataDirective: 'REPLACE' } as const;
    try {
      await own.send(new CopyObjectCommand({ ...target, ...copy, Metadata: metadataOf(sha256) }));
      return { key: to, size: facts.size, sha256 };
    } catch (error) {
      if (!isReplaced(error)) throw error;
    }
  }
  throw new Failure('INTERNAL', { detail: 'The file was replaced again and again while it was copied.' });
}
