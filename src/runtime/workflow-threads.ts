import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { UnexpectedError } from '@temporalio/worker';
import {
  ThreadedVMWorkflowCreator,
  WorkerThreadClient,
  type ThreadedVMWorkflowCreatorOptions,
} from '@temporalio/worker/lib/workflow/threaded-vm.js';

const sdkThread = createRequire(import.meta.url).resolve('@temporalio/worker/lib/workflow/workflow-worker-thread');

/**
 * The SDK gives each call into workflow code a time limit, and no option leaves it out. For each such call Node.js makes a thread with a
 * loop of its own, which costs more than most calls, and ends the process where it gets no thread or no file.
 */
const THREAD_CODE = `
  const { Script } = require('node:vm');
  const { runInContext } = Script.prototype;
  Script.prototype.runInContext = function (context, options) {
    return runInContext.call(this, context, { ...options, timeout: undefined });
  };
  require(${JSON.stringify(sdkThread)});`;

/** Milliseconds that a call into workflow code may take. Most take some; a busy machine needs seconds. */
const LONGEST_CALL_MS = 60_000;

/** A call into workflow code that has not returned. */
interface Call {
  of: string;
  looks: number;
}

type Input = Parameters<WorkerThreadClient['send']>[0];

/**
 * A thread of workflow code that ends when a call does not return. Time counts in looks, so it stands still while the process does.
 */
class WatchedThread extends WorkerThreadClient {
  /** The oldest first: the thread makes one after the other */
  readonly #calls = new Set<Call>();
  /** Words for each run in the thread */
  readonly #runs = new Map<string, string>();

  constructor(
    { logger, patchActivationCallback }: Pick<ThreadedVMWorkflowCreatorOptions, 'logger' | 'patchActivationCallback'>,
    longestMs: number,
  ) {
    super(new Worker(THREAD_CODE, { eval: true }), logger, patchActivationCallback);
    const lookMs = Math.min(1_000, longestMs / 4);
    const timer = setInterval(() => {
      const [oldest] = this.#calls;
      if (oldest === undefined) return;
      oldest.looks += 1;
      if (oldest.looks * lookMs >= longestMs) this.#end(oldest);
    }, lookMs).unref();
    this.workerThread.once('exit', () => clearInterval(timer));
  }

  override async send(input: Input): ReturnType<WorkerThreadClient['send']> {
    const call: Call = { of: this.#nameOf(input), looks: 0 };
    this.#calls.add(call);
    try {
      return await super.send(input);
    } finally {
      this.#calls.delete(call);
    }
  }

  #nameOf(input: Input): string {
    if (!('runId' in input) && input.type !== 'create-workflow') return 'The code of the workflows';
    if (input.type === 'create-workflow') {
      const { workflowType, workflowId, runId } = input.options.info;
      this.#runs.set(runId, `The workflow ${workflowId} (${workflowType}, run ${runId})`);
    }
    const runId = input.type === 'create-workflow' ? input.options.info.runId : input.runId;
    const name = this.#runs.get(runId) ?? `The workflow of run ${runId}`;
    if (input.type === 'dispose-workflow') this.#runs.delete(runId);
    return name;
  }

  /** The SDK ends its worker with this error, as it does when a thread fails. */
  #end({ of }: Call): void {
    this.#calls.clear();
    const error = new UnexpectedError(`${of} does not return: its code loops. Terminate it, or correct its code.`);
    this.logger.error(error.message);
    Reflect.set(this, 'exitError', error);
    void this.workerThread.terminate();
  }
}

/**
 * Lets the workers of this process that are made from now on run workflow code in threads without a watchdog of Node.js. A call that does
 * not return is told in the log, and ends its worker.
 * @param longestMs milliseconds that a call may take
 */
export function useOwnWorkflowThreads(longestMs = LONGEST_CALL_MS): void {
  ThreadedVMWorkflowCreator.create = async ({ threadPoolSize, logger, patchActivationCallback, ...options }) => {
    const callback = patchActivationCallback && { patchActivationCallback };
    const threads = Array.from({ length: threadPoolSize }, () => new WatchedThread({ logger, ...callback }, longestMs));
    const hasPatchActivationCallback = patchActivationCallback !== undefined;
    await Promise.all(threads.map((each) => each.send({ type: 'init', ...options, hasPatchActivationCallback })));
    return new ThreadedVMWorkflowCreator(threads);
  };
}
