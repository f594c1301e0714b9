import type { LookupFunction } from 'node:net';
import { S3Client } from '@aws-sdk/client-s3';
import type { BucketCredentials } from '@burnish/contract';
import { STORAGE_REQUEST } from '../../domain/temporal/timeouts.ts';

export interface S3Settings {
  /** URL of the storage service for callers, used in signed URLs; null: the gateway's own endpoint */
  publicUrl: string | null;
  /** Whether URLs contain the bucket in their path instead of their host; null: only for a custom endpoint */
  pathStyle: boolean | null;
}

export interface S3Clients {
  own: S3Client;
  /** Signs URLs for callers, without sending requests */
  callers: S3Client;
}

/** Maximum number of concurrent connections: each slow reader holds one, and must not block others. */
const MAX_SOCKETS = 500;

/**
 * Clients for the service in the AWS SDK's own settings: endpoint (`AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`), region
 * and credentials, from the environment, its files or the machine.
 */
export function createS3Clients({ publicUrl, pathStyle }: S3Settings, env: NodeJS.ProcessEnv): S3Clients {
  const ownEndpoint = env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'];
  const named = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  const common = {
    forcePathStyle: pathStyle ?? ownEndpoint !== undefined,
    ...(named !== undefined ? { region: named } : ownEndpoint !== undefined ? { region: 'us-east-1' } : {}),
    ...CHECKSUMS,
  } as const;
  const own = new S3Client({ ...common, ...withLimits({}) });
  const callers = publicUrl === null ? own : new S3Client({ ...common, endpoint: publicUrl });
  return { own, callers };
}

export interface BucketConnection {
  endpoint: string;
  region: string;
  /** Finds the addresses of a host, and refuses those that the instance must not reach */
  lookup: LookupFunction;
}

/** A client for the bucket of an account. Nothing of it comes from the environment of the process. */
export function createBucketClient(
  { endpoint, region, lookup }: BucketConnection,
  credentials: BucketCredentials,
): S3Client {
  // Services other than AWS rarely have a host name for each bucket.
  const forcePathStyle = !new URL(endpoint).hostname.endsWith('.amazonaws.com');
  return new S3Client({ endpoint, region, credentials, forcePathStyle, ...CHECKSUMS, ...withLimits({ lookup }) });
}

/**
 * Checksums are set explicitly where needed: by default the SDK would sign the checksum of an empty body into URLs for
 * callers.
 */
const CHECKSUMS = {
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
} as const;

function withLimits(connection: { lookup?: LookupFunction }) {
  const sockets = { maxSockets: MAX_SOCKETS, keepAlive: true, ...connection };
  return {
    maxAttempts: STORAGE_REQUEST.attempts,
    requestHandler: {
      connectionTimeout: STORAGE_REQUEST.connectionMs,
      socketTimeout: STORAGE_REQUEST.idleMs,
      httpAgent: sockets,
      httpsAgent: sockets,
      // The write budget and the gateway's limits permit many concurrent requests.
      socketAcquisitionWarningTimeout: 60_000,
    },
  };
}
