import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import type { S3Bucket } from './s3-bucket.ts';
import { orAbsent, statusOf } from './s3-failure.ts';

/** An object as the service describes it. */
export interface S3Facts {
  /** Bytes */
  size: number;
  /** Hex SHA-256 that the writer gave; undefined for an object that came straight from a caller */
  sha256: string | undefined;
  /** Stands for the bytes: others have another one */
  tag: string;
}

/** What an object carries along, so that its hash is known without reading it. */
export const metadataOf = (sha256: string): Record<string, string> => ({ sha256 });

/** The hash that an object carries along. */
function hashIn(metadata: Record<string, string> | undefined): string | undefined {
  const sha256 = metadata?.['sha256'];
  return sha256 !== undefined && /^[0-9a-f]{64}$/.test(sha256) ? sha256 : undefined;
}

/** The facts of an object, without reading it; undefined when there is none. */
export async function factsOf({ own, bucket, nameOf }: S3Bucket, key: string): Promise<S3Facts | undefined> {
  const found = await orAbsent(own.send(new HeadObjectCommand({ Bucket: bucket, Key: nameOf(key) })));
  return found && { size: found.ContentLength ?? 0, sha256: hashIn(found.Metadata), tag: found.ETag ?? '' };
}

/** Hex SHA-256 of just the bytes that a tag stands for; undefined when they are there no more. */
export async function hashBytes(
  { own, bucket, nameOf }: S3Bucket,
  key: string,
  tag: string,
): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    const { Body } = await own.send(new GetObjectCommand({ Bucket: bucket, Key: nameOf(key), IfMatch: tag }));
    for await (const chunk of Body as Readable) hash.update(chunk as Buffer);
  } catch (error) {
    if (isReplaced(error)) return undefined;
    throw error;
  }
  return hash.digest('hex');
}

/** Whether the service refuses because other bytes, or none, are there now. */
export function isReplaced(error: unknown): boolean {
  return [404, 412].includes(statusOf(error) ?? 0);
}
