import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, type WorkflowHandle } from '@temporalio/client';
import type { SignalDefinition, UpdateDefinition } from '@temporalio/common';
import type { Worker } from '@temporalio/worker';
import { Registry } from 'prom-client';
import {
  type Account,
  isTerminal,
  type Enhancement,
  type EnhancementStatus,
  newDestination,
  type DestinationOrder,
  newId,
  type Upload,
  type MediaType,
} from '@burnish/contract';
import { initialEnhancement, type EnhancementRequest } from '../../src/domain/enhancement/new-enhancement.ts';
import { initialUpload, type UploadSource } from '../../src/domain/upload/new-upload.ts';
import {
  uploadWorkflowId,
  type EnhancementSubject,
  MAIN_TASK_QUEUE,
  requestEnhancements,
  type HostedPolicy,
  type UploadInput,
} from '../../src/domain/temporal/workflow-interface.ts';
import { incomingKey, originalKey, partKey, resultKey, uploadPrefix } from '../../src/domain/files/object-keys.ts';
import { ensureInitialAccount } from '../../src/database/accounts/initial-account.ts';
import { createStores } from '../../src/database/stores.ts';
import { parseAllowedHosts } from '../../src/net/allowed-hosts.ts';
import { createSafeFetch } from '../../src/net/safe-fetch.ts';
import { uploadWorkflow } from '../../src/api/uploads/start-upload.ts';
import type { upload } from '../../src/workflows/index.ts';
import { TRANSFERS_OF_ACCOUNT } from '../../src/activities/transfers.ts';
import { createActivityMetrics } from '../../src/activities/metrics.ts';
import { type InstanceCodec, createSealedClient } from '../../src/temporal/payload-codec.ts';
import {
  engineWorkers,
  inspectionWorkers,
  createMainWorker,
  createNotificationWorker,
  createTransferWorker,
  type MainWorkerOptions,
} from '../../src/runtime/create-workers.ts';
import { openMarkedStore } from '../support/marked-store.ts';
import { openTestDatabase } from '../support/test-database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { beginMonth, createTimeSkippingEnvironment, type WorkflowEnvironment } from '../support/time-skipping.ts';
import { until } from '../support/until.ts';
import { lifecycleActivities } from './lifecycle-activities.ts';
import { createScriptedHosted, createScriptedHostedWorker } from './scripted-hosted.ts';
import { createScriptedProvider, ENGINE_SLOTS, FREE_TERMS } from './scripted-provider.ts';
import { testVault } from '../support/test-vault.ts';
import { withoutTimerCancellation, withQuickInspection, workflowBundle } from '../support/workflow-bundle.ts';

/** Skipped time passes only while a result is awaited; these waits last for real time. */
const WAIT = { withinMs: 30_000 };
/** A file to upload: its bytes need only tell files apart, since the engine is scripted. */
export interface TestUpload {
  mimetype?: MediaType;
  content?: string;
  url?: string;
  /** To be read from a registered bucket */
  inBucket?: { bucket: string; key: string };
  /** To come by PUT to a signed URL, which expires an hour after the start; a resumable upload may lack the type */
  declared?: { size: number; mimetype: MediaType | null };
  /** The declared file comes in parts, within an hour */
  resumable?: boolean;
  /** The PUT goes straight into storage */
  direct?: boolean;
  enhancements?: Partial<
    Pick<EnhancementRequest, 'parameters' | 'maxCredits' | 'creditWaitMs' | 'autoTier'> & {
      destination: DestinationOrder;
    }
  >[];
  webhookUrl?: string | null;
  retentionDays?: number;
  searchNames?: boolean;
  /** Served by the hosted service, which is scripted too */
  hosted?: HostedPolicy;
  /** Of a message that waits for a local activity until four fifths of it; 10 s by default */
  workflowTaskTimeout?: '2 s';
  /** The account of the lifecycle by default */
  owner?: Account;
  clockAheadMs?: number;
}

export interface StartedUpload {
  id: string;
  handle: WorkflowHandle<typeof upload>;
  enhancementIds: string[];
}

/** A lifecycle on real parts: database, ledger, storage, workers; the engine is scripted and time skips. */
export type Lifecycle = Awaited<ReturnType<typeof startLifecycle>>;

/** Less than a hook has. */
const START_WITHIN_MS = 100_000;
export interface LifecycleOptions {
  environment?: () => Promise<WorkflowEnvironment>;
  creditsPerPeriod?: number;
  worker?: MainWorkerOptions;
  /** Of other workflows than those of the sources */
  bundle?: typeof workflowBundle;
  /** Of one account at once */
  transfersOfAccount?: number;
  /** Milliseconds that a receiver has for a result, in place of minutes */
  putTimeoutMs?: number;
  /** As in production, for histories to record; tests leave timers alone. See `withoutTimerCancellation` */
  cancelsTimers?: true;
  /** Encrypts the payloads of workers and clients; absent: they are plain, as in the recorded histories */
  codec?: InstanceCodec;
}

/** Names the part that does not start, which the timeout of a hook would not. */
async function inTime<T>(part: string, start: Promise<T>): Promise<T> {
  const clear = new AbortController();
  const late = delay(START_WITHIN_MS, undefined, { signal: clear.signal }).then(
    () => Promise.reject(new Error(`${part} did not start within ${START_WITHIN_MS / 1000} s`)),
    () => start,
  );
  return await Promise.race([start, late]).finally(() => clear.abort());
}

/**
 * Waits until these workers compute nothing, two looks in a row: a task may be on its way between two of them.
 * @throws if they do not rest, as when a test holds an activity
 */
async function restOf(workers: readonly Worker[]): Promise<void> {
  const isBusy = (worker: Worker): boolean => {
    const { numInFlightActivities, numInFlightWorkflowActivations } = worker.getStatus();
    return numInFlightActivities + numInFlightWorkflowActivations > 0;
  };
  let looks = 0;
  await until(
    () => (looks = workers.some(isBusy) ? 0 : looks + 1),
    () => looks === 2,
    { ...WAIT, pauseMs: 10 },
  );
}

export async function startLifecycle(options: LifecycleOptions = {}) {
  const { creditsPerPeriod = 100, worker: workerOptions, codec, putTimeoutMs } = options;
  const { bundle = workflowBundle, transfersOfAccount = TRANSFERS_OF_ACCOUNT } = options;
  const folder = await temporaryFolder();
  const [server, database] = await Promise.all([
    inTime('a Temporal server', (options.environment ?? createTimeSkippingEnvironment)()),
    inTime('the database', openTestDatabase()),
  ]);
  const { environment: env } = server;
  if (options.environment === undefined) await beginMonth(env);
  const filesRoot = join(folder.path, 'files');
  const store = await openMarkedStore(filesRoot);
  const scratch = join(folder.path, 'scratch');
  await mkdir(scratch);
  const provider = createScriptedProvider(store, scratch);
  const safeFetch = createSafeFetch({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1') });
  const { put } = safeFetch;
  if (putTimeoutMs !== undefined) safeFetch.put = (url, given) => put(url, { ...given, timeoutMs: putTimeoutMs });
  const stores = createStores(database, testVault);
  const { uploads, enhancements, ledger, deliveries } = stores;
  const { account } = await ensureInitialAccount(database, testVault, { plan: 'FREE', creditsPerPeriod });
  const problems: string[] = [];
  const namespace = env.namespace ?? 'default';
  const client =
    codec === undefined ? env.client : createSealedClient({ connection: env.nativeConnection, namespace, codec });
  // Starts of uploads are offered to a worker of this process, which the SDK allows on a native connection only.
  const eagerClient = new Client({ connection: env.nativeConnection, namespace });
  const workerDeps = {
    connection: env.nativeConnection,
    namespace,
    ...(codec && { codec }),
    log: {
      error: (facts: object, message: string) =>
        problems.push(`${message} ${String((facts as { err?: unknown }).err)}`),
    },
    metrics: createActivityMetrics(new Registry()),
  };
  const activities = lifecycleActivities({ stores, store, safeFetch, client: eagerClient });
  const bundled = (options.environment ?? options.cancelsTimers) ? bundle : withoutTimerCancellation(bundle);
  const ofMain = { ...workerOptions, workflowBundle: withQuickInspection(bundled) };
  const main = await inTime('the main worker', createMainWorker(workerDeps, activities, ofMain));
  const inspectors = { quick: { inspector: provider }, large: { inspector: provider } };
  const inspections = inspectionWorkers(workerDeps, inspectors, { quick: 2, large: 1 });
  const engines = engineWorkers(workerDeps, { quick: { provider }, large: { provider } }, ENGINE_SLOTS);
  const ofChildren = await Promise.all([...inspections, ...engines].map((make) => make()));
  const hosted = createScriptedHosted(store, scratch);
  const calls = await createScriptedHostedWorker(workerDeps, hosted);
  const notifications = await createNotificationWorker(workerDeps, activities);
  const transfers = await createTransferWorker(workerDeps, { ...activities, transfersOfAccount });
  const workers = [main, notifications, transfers, ...ofChildren, calls];
  const runs = workers.map((worker) => worker.run());
  /**
   * Skips time, after the workers have come to rest. The server skips also while a worker computes: a busy machine would meet the
   * timeouts of its workflow tasks again and again, and their results would be refused.
   */
  async function passTime(duration: Parameters<typeof env.sleep>[0]): Promise<void> {
    await restOf(workers);
    await env.sleep(duration);
    await restOf(workers);
  }

  /** @param by a client of another codec */
  async function start(file: TestUpload = {}, by: Client = client): Promise<StartedUpload> {
    const id = newId('upl', Date.now());
    const source = await sourceOf(id, file);
    const initial = initialUpload({
      id,
      account: { id: (file.owner ?? account).id, retentionDays: file.retentionDays ?? account.retentionDays },
      source,
      originalFilename: file.mimetype === 'application/pdf' ? 'document.pdf' : 'photo.jpg',
      provider: file.hosted === undefined ? 'local' : 'hosted',
      webhookUrl: file.webhookUrl ?? null,
      at: new Date((await env.currentTimeMs()) + (file.clockAheadMs ?? 0)).toISOString(),
    });
    const requests = (file.enhancements ?? []).map(({ destination, ...each }) => ({
      ...toDestination(id, destination),
      parameters: each.parameters ?? {},
      maxCredits: each.maxCredits ?? null,
      creditWaitMs: each.creditWaitMs ?? 86_400_000,
      ...(each.autoTier && { autoTier: each.autoTier }),
    }));
    const input: UploadInput = { initial, source, plan: FREE_TERMS, enhancements: requests };
    if (file.hosted !== undefined) input.hosted = file.hosted;
    for (const [index, request] of requests.entries())
      await keepAddress(request.id, file.enhancements?.[index]?.destination);
    const handle = await by.workflow.start<typeof upload>('upload', {
      workflowId: uploadWorkflowId(id),
      taskQueue: MAIN_TASK_QUEUE,
      args: [input],
      typedSearchAttributes: uploadWorkflow(input, { searchNames: false, ...file }).typedSearchAttributes!,
      ...(file.workflowTaskTimeout && { workflowTaskTimeout: file.workflowTaskTimeout }),
    });
    await uploads.project(initial); // as the gateway does
    for (const each of requests) await enhancements.project(initialEnhancement(each, initial, initial.createdAt));
    return { id, handle, enhancementIds: requests.map((request) => request.id) };
  }

  /** The id of an enhancement with its destination, as the gateway gives it to the workflow. */
  function toDestination(uploadId: string, order: DestinationOrder | undefined) {
    const id = newId('enh', Date.now());
    if (order === undefined) return { id };
    return { id, destination: newDestination(order, { uploadId, enhancementId: id, reference: null }) };
  }

  /** Stores the secret address of a destination, as the gateway does. */
  async function keepAddress(enhancementId: string, order: DestinationOrder | undefined): Promise<void> {
    if (order !== undefined && 'url' in order) await stores.destinationUrls.put(enhancementId, order.url);
  }

  async function sourceOf(
    id: string,
    { url, inBucket, declared, direct = false, resumable = false, ...file }: TestUpload,
  ): Promise<UploadSource> {
    if (url !== undefined) return { kind: 'url', url };
    if (inBucket !== undefined) return { kind: 'bucket', ...inBucket };
    if (declared === undefined) return storeFile(id, file);
    const expiresAt = new Date((await env.currentTimeMs()) + 3_600_000).toISOString();
    if (resumable) {
      await stores.uploadParts.create({
        uploadId: id,
        accountId: account.id,
        length: declared.size,
        metadata: '',
        expiresAt,
      });
      return { kind: 'resumable', declared, expiresAt };
    }
    if (declared.mimetype === null) throw new TypeError('A signed upload has a declared type.');
    const { size, mimetype } = declared;
    return {
      kind: 'signed',
      declared: { size, mimetype },
      expiresAt,
      ...(direct && { incomingKey: incomingKey(account.id, id) }),
    };
  }

  async function storeFile(id: string, { mimetype = 'image/jpeg', content = id }: TestUpload): Promise<UploadSource> {
    const objectKey = originalKey(account.id, id);
    const { size, sha256 } = await store.put(objectKey, Readable.from([Buffer.from(content)]), { maxBytes: 1_000_000 });
    return { kind: 'stored', objectKey, file: { size, sha256, mimetype } };
  }

  const findUpload = (id: string): Promise<Upload | undefined> => uploads.get(account.id, id);
  const findEnhancement = (id: string): Promise<Enhancement | undefined> => enhancements.get(account.id, id);

  return {
    env,
    /** Of the instance: through its codec, where it has one */
    client,
    account: account satisfies Account,
    database,
    stores,
    store,
    /** Folder of the storage */
    filesRoot,
    ledger,
    transfersOfAccount,
    deliveries,
    provider,
    hosted,
    /** What went wrong unexpectedly in activities; empty unless a test provokes it */
    problems,
    start,
    /** Orders an enhancement of a finished upload. @returns its id */
    async order(
      uploadId: string,
      {
        destination,
        ...order
      }: Partial<Omit<EnhancementRequest, 'destination'>> & { destination?: DestinationOrder } = {},
    ): Promise<string> {
      const defaults = { parameters: {}, maxCredits: null, creditWaitMs: 86_400_000 };
      const request = { ...defaults, ...order, ...toDestination(uploadId, destination) };
      await keepAddress(request.id, destination);
      const handle = client.workflow.getHandle(uploadWorkflowId(uploadId));
      await handle.executeUpdate(requestEnhancements, { args: [[request]] });
      return request.id;
    },
    /** Stores a part of a resumable upload, as the gateway does. @returns its key */
    async appendPart(uploadId: string, start: number, end: number, first = 'i'): Promise<string> {
      const bytes = Buffer.alloc(end - start, start === 0 ? first : 'x');
      const objectKey = partKey(account.id, uploadId, start, 'once');
      await store.put(objectKey, Readable.from([bytes]), { maxBytes: bytes.byteLength });
      await stores.uploadParts.append(uploadId, start, [{ objectKey, size: bytes.byteLength }]);
      return objectKey;
    },
    findUpload,
    findEnhancement,
    /** Sends a command about an enhancement to the workflow of its upload. */
    async command(update: UpdateDefinition<Enhancement | null, [EnhancementSubject]>, enhancementId: string) {
      const { uploadId } = (await findEnhancement(enhancementId))!;
      const handle = client.workflow.getHandle(uploadWorkflowId(uploadId));
      return handle.executeUpdate(update, { args: [{ enhancementId }] });
    },
    uploadReaches: (id: string, ...statuses: string[]) =>
      until(
        () => findUpload(id),
        (upload) => statuses.includes(upload.subStatus ?? '') || statuses.includes(upload.status),
        WAIT,
      ),
    enhancementReaches: (id: string, ...statuses: EnhancementStatus[]) =>
      until(
        () => findEnhancement(id),
        (enhancement) => statuses.includes(enhancement.status),
        WAIT,
      ),
    /** Until the worker of the workflows and their short activities computes nothing. */
    untilMainRests: () => restOf([main]),
    passTime,
    /** Lets time pass until the enhancement is as expected, in steps that grow. @throws after some two months */
    async timeBrings(id: string, expected: (enhancement: Enhancement) => boolean): Promise<Enhancement> {
      for (let step = 0; ; step++) {
        await restOf(workers);
        const found = await findEnhancement(id);
        if (found !== undefined && expected(found)) return found;
        if (step === 250) throw new Error(`Time does not bring it; the last state was ${JSON.stringify(found)}.`);
        await env.sleep(Math.min(1_000 * 1.5 ** step, 6 * 3_600_000));
      }
    },
    /** Lets time pass until the enhancement has ended. */
    settled(id: string): Promise<Enhancement> {
      return this.timeBrings(id, ({ status }) => isTerminal(status));
    },
    /** Wakes the workflow of the upload that an enhancement belongs to. */
    async signalOwner<Args extends unknown[]>(id: string, signal: SignalDefinition<Args>, ...args: Args) {
      const { uploadId } = (await findEnhancement(id))!;
      await client.workflow.getHandle(uploadWorkflowId(uploadId)).signal(signal, ...args);
    },
    /** Waits for a call of the engine on behalf of an enhancement, or of an upload. */
    untilCalled: (work: string, id: string) =>
      until(
        () => provider.calls,
        (calls) => calls.includes(`${work} ${id}`),
        WAIT,
      ),
    /** Names of the files that storage holds of an upload. */
    filesOf: async (uploadId: string, owner = account.id): Promise<string[]> => {
      const folder = join(filesRoot, uploadPrefix(owner, uploadId));
      const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
      return found.filter((entry) => entry.isFile()).map((entry) => entry.name);
    },
    resultExists: async (enhancementId: string): Promise<boolean> => {
      const { uploadId } = (await findEnhancement(enhancementId))!;
      return (await store.head(resultKey(account.id, uploadId, enhancementId))) !== undefined;
    },
    balance: async () => ledger.balance(account.id, await env.currentTimeMs()),
    async [Symbol.asyncDispose]() {
      for (const worker of workers) worker.shutdown();
      await Promise.allSettled(runs);
      await server[Symbol.asyncDispose]();
      await database.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
