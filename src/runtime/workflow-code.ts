import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BundleOptions, ReplayWorkerOptions, WorkerOptions } from '@temporalio/worker';
import type { InstanceCodec } from '../temporal/payload-codec.ts';

/** Path of a workflow file with this file's own extension: `.ts` from source, `.js` after the build. */
const workflowFile = (name: string): string =>
  fileURLToPath(new URL(`../workflows/${name}${extname(import.meta.url)}`, import.meta.url));

export const WORKFLOW_INTERCEPTORS = workflowFile('sealed-payloads');
export const FAILURE_CONVERTER = workflowFile('failure-converter');

/** From source, webpack finds the vocabulary of the engine by its name here. */
export const findVocabulary: NonNullable<BundleOptions['webpackConfigHook']> = (config) => {
  const source = fileURLToPath(new URL('../../packages/engine/src/contract.ts', import.meta.url));
  return {
    ...config,
    resolve: { ...config.resolve, alias: { ...config.resolve?.alias, '@burnish/engine/contract': source } },
  };
};

/**
 * Longest time of one call into workflow code. A stopped process or a busy machine reaches the five seconds of the SDK, and Node 20
 * then aborts: V8 ends the code within a promise, and the stack of async hooks is corrupt.
 */
const CODE_TIME_LIMIT = '1 hour';

type WorkflowCode = Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath' | 'bundlerOptions'> & {
  /** The SDK reads this option, and its types leave it out. */
  isolateExecutionTimeout: string;
};

/**
 * Code of the workflows, and its time limit.
 * @param workflowBundle a prepared bundle. By default that of the build; from source, the SDK bundles at start.
 */
export function workflowCode(workflowBundle?: WorkerOptions['workflowBundle']): WorkflowCode {
  const isolateExecutionTimeout = CODE_TIME_LIMIT;
  if (workflowBundle !== undefined) return { workflowBundle, isolateExecutionTimeout };
  const codePath = fileURLToPath(new URL('../workflow-bundle.js', import.meta.url));
  if (existsSync(codePath)) return { workflowBundle: { codePath }, isolateExecutionTimeout };
  const bundlerOptions = { preloadModules: [workflowFile('shared-modules')], webpackConfigHook: findVocabulary };
  return { workflowsPath: workflowFile('index'), bundlerOptions, isolateExecutionTimeout };
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
