import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { UploadRecord } from '../../e2e/api.ts';
import { photo } from '../../e2e/files.ts';
import {
  cleanEnvironment,
  freePorts,
  type Instance,
  type InstanceOptions,
  runCommand,
  startInstance,
} from '../../e2e/instance.ts';
import { listenHttp, type LocalServer } from '../../support/local-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** An instance with all parts in one process, whose every running workflow a test can lose. */
export interface Losing {
  instance: Instance;
  /** `kill -9` of all its processes, then the removal of the folder `temporal`, as docs/operations.md names that repair. */
  loseWorkflows(): Promise<void>;
  startAgain(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startLosing(env: NodeJS.ProcessEnv = {}): Promise<Losing> {
  const folder = await temporaryFolder();
  const options: InstanceOptions = { dataDir: folder.path, ports: await freePorts(), env };
  const losing: Losing = {
    instance: await startInstance(options),
    async loseWorkflows() {
      await losing.instance.killTree();
      await removeWorkflows(losing.instance);
    },
    async startAgain() {
      losing.instance = await startInstance({ ...options, apiKey: losing.instance.apiKey });
    },
    async [Symbol.asyncDispose]() {
      await losing.instance.killTree();
      await folder[Symbol.asyncDispose]();
    },
  };
  return losing;
}

export const removeWorkflows = ({ dataDir }: Instance): Promise<void> =>
  rm(join(dataDir, 'temporal'), { recursive: true });

/** Removes the files of an upload from storage, so that nothing repeats its work. */
export async function removeFiles({ dataDir }: Instance, uploadId: string): Promise<void> {
  const files = join(dataDir, 'files');
  const found = (await readdir(files, { recursive: true })).filter((path) => path.includes(uploadId));
  if (found.length === 0) throw new Error(`Storage has no file of ${uploadId}.`);
  for (const path of found) await rm(join(files, path), { recursive: true, force: true });
}

/** Lets an account have a few enhancements and uploads at once. */
export async function limitJobs({ dataDir }: Instance, jobs: number): Promise<void> {
  const words = ['accounts', 'plan', 'Default', '--jobs', String(jobs)];
  const command = runCommand(words, await cleanEnvironment({ BURNISH_DATA_DIR: dataDir }));
  if ((await command.ended) !== 0) throw new Error(command.output());
}

/** A server that holds each request, and answers all later ones once it is healthy. */
export interface HoldingServer extends LocalServer {
  /** Requests that it holds or has held */
  held: number;
  /** Bodies of the requests that it has answered */
  answered: string[];
  beHealthy(): void;
}

/** @param answer the body for a path */
export async function holdingServer(
  answer: (path: string) => Promise<Uint8Array> = () => Promise.resolve(new Uint8Array()),
): Promise<HoldingServer> {
  let isHealthy = false;
  const server = await listenHttp((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (!isHealthy) return void (holding.held += 1);
      holding.answered.push(Buffer.concat(parts).toString('utf8'));
      void answer(request.url!).then((bytes) => response.end(bytes));
    });
  });
  const holding: HoldingServer = { ...server, held: 0, answered: [], beHealthy: () => void (isHealthy = true) };
  return holding;
}

/** Serves a photo of its own at each path with a number, once it is healthy. */
export const holdingPhotos = (): Promise<HoldingServer> =>
  holdingServer(async (path) => photo(Number(/\d+/.exec(path)![0])));

let seed = 50_000;
/** Sends a photo that no other work knows. @returns the record; the answer must be 202 */
export async function send({ api }: Pick<Instance, 'api'>): Promise<UploadRecord> {
  const { status, body } = await api.upload(await photo((seed += 1)), { enhancements: [{}] });
  if (status !== 202) throw new Error(`An upload was answered with ${status}: ${JSON.stringify(body)}`);
  return body;
}
