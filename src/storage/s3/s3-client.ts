import { S3Client } from '@aws-sdk/client-s3';
import { STORAGE_REQUEST } from '../../domain/temporal/timeouts.ts';

export interface S3Settings {
  /**
   * Address under which callers reach the storage service, for the addresses that they are handed; null: the one that we
   * use ourselves
   */
  publicUrl: string | null;
  /** Whether addresses contain the bucket in their path, not in their host; null: where the endpoint is one of our own */
  pathStyle: boolean | null;
}

export interface S3Clients {
  /** Does the work */
  own: S3Client;
  /** Signs addresses for callers, and sends nothing */
  callers: S3Client;
}

/** Connections at once: readers that take their time hold one each, and must not keep others from storage. */
const MAX_SOCKETS = 500;

/**
 * Clients for the service that the AWS SDK's own settings name: endpoint (`AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`), region and
 * credentials, from the environment, its files or the machine.
 */
export function createS3Clients({ publicUrl, pathStyle }: S3Settings, env: NodeJS.ProcessEnv): S3Clients {
  const ownEndpoint = env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'];
  const named = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  const common = {
    forcePathStyle: pathStyle ?? ownEndpoint !== undefined,
    // A service of one's own has no regions, but the SDK asks for one.
    ...(named !== undefined ? { region: named } : ownEndpoint !== undefined ? { region: 'us-east-1' } : {}),
    // Checksums are named where they are wanted: by default the SDK would sign one of no bytes into addresses for callers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const;
  const sockets = { maxSockets: MAX_SOCKETS, keepAlive: true };
  const own = new S3Client({
    ...common,
    maxAttempts: STORAGE_REQUEST.attempts,
    requestHandler: {
      connectionTimeout: STORAGE_REQUEST.connectionMs,
      socketTimeout: STORAGE_REQUEST.idleMs,
      httpAgent: sockets,
      httpsAgent: sockets,
      // Many at once are what the budget of writes and the limits of the gateway allow.
      socketAcquisitionWarningTimeout: 60_000,
    },
  });
  const callers = publicUrl === null ? own : new S3Client({ ...common, endpoint: publicUrl });
  return { own, callers };
}
