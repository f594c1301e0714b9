import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { CopyObjectCommand, GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { Failure } from '@burnish/contract';
import type { StoredObject } from '../object-store.ts';
import { orAbsent, readStatus, type S3Bucket } from './s3-bucket.ts';

/** Maximum number of attempts to copy a source that is replaced during the copy. */
const ATTEMPTS = 5;

/**
 * Copies an object within the service. If the source is replaced meanwhile, the copy still has the bytes of its hash.
 * @param verify computes the hash from the bytes, regardless of the source's metadata
 * @throws Failure NOT_FOUND
 */
export async function copyObject(
  place: S3Bucket,
  from: string,
  to: string,
  { verify = false }: { verify?: boolean } = {},
): Promise<StoredObject> {
  const { own, bucket, toObjectName } = place;
  const source = [bucket, ...toObjectName(from).split('/')].map(encodeURIComponent).join('/');
  const target = { Bucket: bucket, Key: toObjectName(to) };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const facts = await readFacts(place, from);
    if (facts === undefined) throw new Failure('NOT_FOUND');
    const sha256 = (verify ? undefined : facts.sha256) ?? (await hashBytes(place, from, facts.tag));
    if (sha256 === undefined) continue;
    const copy = { CopySource: source, CopySourceIfMatch: facts.tag, MetadataDirective: 'REPLACE' } as const;
    try {
      await own.send(new CopyObjectCommand({ ...target, ...copy, Metadata: toMetadata(sha256) }));
      return { key: to, size: facts.size, sha256 };
    } catch (error) {
      if (!isReplaced(error)) throw error;
    }
  }
  throw new Failure('INTERNAL', { detail: 'The file was replaced repeatedly while it was copied.' });
}

export interface S3Facts {
  /** Bytes */
  size: number;
  /** Hex SHA-256 from the writer; undefined for an object that a caller wrote directly */
  sha256: string | undefined;
  /** The ETag, which identifies the bytes */
  tag: string;
}

export const toMetadata = (sha256: string): Record<string, string> => ({ sha256 });

function hashIn(metadata: Record<string, string> | undefined): string | undefined {
  const sha256 = metadata?.['sha256'];
  return sha256 !== undefined && /^[0-9a-f]{64}$/.test(sha256) ? sha256 : undefined;
}

/** The facts of an object, without reading it; undefined if it does not exist. */
export async function readFacts({ own, bucket, toObjectName }: S3Bucket, key: string): Promise<S3Facts | undefined> {
  const found = await orAbsent(own.send(new HeadObjectCommand({ Bucket: bucket, Key: toObjectName(key) })));
  return found && { size: found.ContentLength ?? 0, sha256: hashIn(found.Metadata), tag: found.ETag ?? '' };
}

/** Hex SHA-256 of the bytes of a tag; undefined if the object has been replaced or deleted. */
export async function hashBytes(
  { own, bucket, toObjectName }: S3Bucket,
  key: string,
  tag: string,
): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    const { Body } = await own.send(new GetObjectCommand({ Bucket: bucket, Key: toObjectName(key), IfMatch: tag }));
    for await (const chunk of Body as Readable) hash.update(chunk as Buffer);
  } catch (error) {
    if (isReplaced(error)) return undefined;
    throw error;
  }
  return hash.digest('hex');
}

/** Whether the service refuses because the object has been replaced or deleted. */
export function isReplaced(error: unknown): boolean {
  return [404, 412].includes(readStatus(error) ?? 0);
}
