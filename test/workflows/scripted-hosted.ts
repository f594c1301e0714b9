import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import type { HostedService, HostedEnhancement, HostedUpload } from '../../src/activities/hosted/hosted-service.ts';
import { failureInterceptor } from '../../src/activities/failure.ts';
import { HOSTED_TASK_QUEUE } from '../../src/domain/temporal/workflow-interface.ts';
import type { ObjectStore } from '../../src/storage/object-store.ts';
import type { WorkerDeps } from '../../src/runtime/create-workers.ts';
import { ANALYSIS } from './scripted-provider.ts';

/** What a test lets the service do instead of quick success; `number` counts the calls of that kind from 1. */
export type HostedScript = {
  [K in keyof HostedService]?: (
    number: number,
    job: Parameters<HostedService[K]>[0],
  ) => ReturnType<HostedService[K]> | undefined;
};

export interface ScriptedHosted {
  script: HostedScript;
  /** Calls in order */
  calls: (keyof HostedService)[];
  /** How often a call was made */
  times(name: keyof HostedService): number;
  service: HostedService;
}

/** Stands in for the calls to the hosted service, so that lifecycles can be led into every wait and fault. */
export function createScriptedHosted(store: ObjectStore, folder: string): ScriptedHosted {
  const success: HostedService = {
    placeRemoteUpload: ({ source }) => Promise.resolve({ remoteUploadId: `remote-${source.uploadId}` }),
    readRemoteUpload: ({ remoteUploadId: id }) => Promise.resolve(readyUpload(id)),
    analyzeRemoteUpload: () => Promise.resolve(),
    readRemoteCredits: () => Promise.resolve({ remaining: 1000 }),
    beginRemoteEnhancement: ({ enhancementId }) => Promise.resolve({ remoteEnhancementId: `remote-${enhancementId}` }),
    findLostEnhancement: () => Promise.resolve(null),
    readRemoteEnhancement: ({ remoteEnhancementId: id }) => Promise.resolve(remoteEnhancement(id, 'finished')),
    async collectRemoteResult({ enhancementId, resultKey: objectKey, source }) {
      const { mimetype, originalFilename, size: originalSize } = source;
      const path = join(folder, enhancementId);
      await writeFile(path, `enhanced elsewhere ${originalFilename}`);
      const { size, sha256 } = await store.putFile(objectKey, path);
      return { objectKey, size, originalSize, sha256, mimetype, filename: originalFilename, width: 1280, height: 960 };
    },
    deleteRemoteUpload: () => Promise.resolve(),
    claimSlot: () => Promise.resolve({ granted: true }),
    releaseSlot: () => Promise.resolve({ next: null }),
  };
  const calls: (keyof HostedService)[] = [];
  const times = (name: keyof HostedService): number => calls.filter((call) => call === name).length;
  const hosted: ScriptedHosted = { script: {}, calls, times, service: success };
  const scripted = (name: keyof HostedService) => (job: never) => {
    calls.push(name);
    const act = hosted.script[name] as ((number: number, job: never) => Promise<unknown> | undefined) | undefined;
    return act?.(times(name), job) ?? (success[name] as (job: never) => Promise<unknown>)(job);
  };
  const names = Object.keys(success) as (keyof HostedService)[];
  hosted.service = Object.fromEntries(names.map((name) => [name, scripted(name)])) as unknown as HostedService;
  return hosted;
}

export function createScriptedHostedWorker({ connection, namespace, log }: WorkerDeps, hosted: ScriptedHosted) {
  return Worker.create({
    connection,
    namespace,
    taskQueue: HOSTED_TASK_QUEUE,
    activities: { ...hosted.service },
    interceptors: { activity: [(context) => ({ inbound: failureInterceptor(context, log) })] },
  });
}

export function readyUpload(id: string, facts: Partial<HostedUpload> = {}): HostedUpload {
  return { id, file: 'ready', analysis: 'done', size: null, pdf: ANALYSIS, errorCode: null, ...facts };
}

export function remoteEnhancement(
  id: string,
  status: HostedEnhancement['status'],
  errorCode: string | null = null,
): HostedEnhancement {
  return { id, status, errorCode, durationMs: 1234 };
}
