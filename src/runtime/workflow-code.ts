import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ReplayWorkerOptions, WorkerOptions } from '@temporalio/worker';
import type { InstanceCodec } from '../temporal/payload-codec.ts';
import { useOwnWorkflowThreads } from './workflow-threads.ts';

/** Path of a workflow file with this file's own extension: `.ts` from source, `.js` after the build. */
const workflowFile = (name: string): string =>
  fileURLToPath(new URL(`../workflows/${name}${extname(import.meta.url)}`, import.meta.url));

export const WORKFLOW_INTERCEPTORS = workflowFile('sealed-payloads');
export const FAILURE_CONVERTER = workflowFile('failure-converter');

type WorkflowCode = Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath' | 'bundlerOptions'>;

/**
 * Code of the workflows, for a worker that is made next.
 * @param workflowBundle a prepared bundle. By default that of the build; from source, the SDK bundles at start.
 */
export function workflowCode(workflowBundle?: WorkerOptions['workflowBundle']): WorkflowCode {
  useOwnWorkflowThreads();
  if (workflowBundle !== undefined) return { workflowBundle };
  const codePath = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
  if (existsSync(codePath)) return { workflowBundle: { codePath } };
  return { workflowsPath: workflowFile('index'), bundlerOptions: { preloadModules: [workflowFile('shared-modules')] } };
}

/** The code of the workflows for a replay, as main workers run it. */
export function replayedCode(codec: InstanceCodec): ReplayWorkerOptions {
  const code = workflowCode();
  return {
    ...code,
    ...('workflowsPath' in code ? { interceptors: { workflowModules: [WORKFLOW_INTERCEPTORS] } } : {}),
    dataConverter: { payloadCodecs: [codec], failureConverterPath: FAILURE_CONVERTER },
  };
}
