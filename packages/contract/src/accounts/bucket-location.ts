export interface BucketLocation {
  bucket: string;
  /** Without a slash at either end; may be empty */
  prefix: string;
}

/** Bucket names permitted by services, https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const LOCATION = /^\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]{0,200}))?$/;

/** Reads the part of `s3://bucket/prefix` after `s3:`; undefined without a bucket and a plain prefix. */
export function parseBucketLocation(place: string): BucketLocation | undefined {
  const [, bucket, prefix = ''] = LOCATION.exec(place) ?? [];
  if (bucket === undefined || prefix.split('/').some((part) => part === '.' || part === '..')) return undefined;
  return { bucket, prefix: prefix.replace(/^\/+|\/+$/g, '') };
}
