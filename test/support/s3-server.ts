import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Dirent } from 'node:fs';
import { cp, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { s3ServerBinary } from './s3-server-binary.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { testPort } from './test-port.ts';
import { until } from './until.ts';

export interface S3Server {
  endpoint: string;
  /** Settings of the AWS SDK for access to the server */
  env: Record<string, string>;
  /** Creates an empty bucket, of a new name by default, and returns its name. */
  createBucket(name?: string): Promise<string>;
  /** Folder of a bucket on the server's disk */
  folderOf(bucket: string): string;
  /** Lists all files of a bucket on the server's disk, including those that the API hides */
  filesOf(bucket: string): Promise<string[]>;
  /** Copies a bucket with the facts of its objects, and returns what puts the copy back, with a restart. */
  copy(bucket: string): Promise<() => Promise<void>>;
  pid(): number;
  /** `kill -9` */
  kill(): Promise<void>;
  /** Restarts it on the same port */
  start(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts an S3 server in a temporary folder, on a free loopback port: `await using s3 = await startS3Server()`. */
export async function startS3Server(): Promise<S3Server> {
  const folder = await temporaryFolder();
  const data = join(folder.path, 'buckets');
  const facts = join(folder.path, 'facts');
  await mkdir(data);
  await mkdir(facts);
  const port = await testPort();
  const endpoint = `http://127.0.0.1:${port}`;
  const env = {
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'burnish-tests',
    AWS_SECRET_ACCESS_KEY: 'a-secret-of-the-tests',
  };
  const args = ['--port', `127.0.0.1:${port}`, '--quiet', '--keep-alive', '--health', '/health'];
  const settings = {
    ROOT_ACCESS_KEY: env.AWS_ACCESS_KEY_ID,
    ROOT_SECRET_KEY: env.AWS_SECRET_ACCESS_KEY,
    // The CORS answer that browser uploads to a bucket require.
    VGW_CORS_ALLOW_ORIGIN: '*',
    HOME: folder.path,
  };
  let server: ChildProcess;
  const start = async (): Promise<void> => {
    const posix = ['posix', '--sidecar', facts, data];
    server = spawn(s3ServerBinary, [...args, ...posix], { stdio: 'ignore', env: settings });
    await untilHealthy(server, endpoint);
  };
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  };
  await start();
  const client = new S3Client({
    endpoint,
    region: env.AWS_REGION,
    forcePathStyle: true,
    credentials: { accessKeyId: env.AWS_ACCESS_KEY_ID, secretAccessKey: env.AWS_SECRET_ACCESS_KEY },
  });

  let buckets = 0;
  return {
    endpoint,
    env,
    pid: () => server.pid!,
    kill,
    start,
    async createBucket(Bucket = `bucket-${(buckets += 1)}`) {
      await client.send(new CreateBucketCommand({ Bucket }));
      return Bucket;
    },
    folderOf: (bucket) => join(data, bucket),
    async copy(bucket) {
      const places = [data, facts].map((parent, index) => {
        return { there: join(parent, bucket), copy: join(folder.path, 'copies', `${bucket}-${index}`) };
      });
      // Unfinished writes are no objects, and disappear while they are copied.
      const filter = (path: string): boolean => !path.includes('.sgwtmp');
      for (const { there, copy } of places) await cp(there, copy, { recursive: true, force: true, filter });
      return async () => {
        await kill();
        for (const { there, copy } of places) {
          await rm(there, { recursive: true, force: true });
          await cp(copy, there, { recursive: true });
        }
        await start();
      };
    },
    async filesOf(bucket) {
      const entries = await listedWhole(join(data, bucket));
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      await kill();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function untilHealthy(server: ChildProcess, endpoint: string): Promise<void> {
  await until(async () => {
    if (server.exitCode !== null)
      throw new Error(`The S3 server ended with code ${server.exitCode} instead of starting.`);
    return (await fetch(`${endpoint}/health`).catch(() => undefined))?.ok || undefined;
  });
}

/** A folder that disappears during the listing of its parent aborts the listing. The next listing succeeds without it. */
async function listedWhole(folder: string): Promise<Dirent[]> {
  for (;;) {
    try {
      return await readdir(folder, { recursive: true, withFileTypes: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      await stat(folder);
    }
  }
}
