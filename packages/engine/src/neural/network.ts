import { createRequire } from 'node:module';
import { setImmediate } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

export interface Network {
  /**
   * @param samples red, green and blue plane of `width` × `height` values, 0..1
   * @returns the output planes and their width
   */
  run(samples: Float32Array, width: number, height: number): Promise<{ samples: Float32Array; width: number }>;
}

/** A loaded ONNX file that takes one picture. */
export interface Session {
  /** @returns the values of each output by its name, and the sides of the last one */
  run(samples: Float32Array, width: number, height: number): Promise<Readonly<Record<string, Tensor>>>;
}

/** Sessions by path. A process loads each once, on demand; each takes about ten milliseconds and a few megabytes. */
const loaded = new Map<string, Promise<Session>>();

/**
 * Loads a network from an ONNX file: input `x`, output `y`, float32 [1, 3, height, width].
 * @param threads maximum number of cores for one run
 * @throws Error when the runtime does not work on this machine, or the file is not a network
 */
export async function loadNetwork(path: string, threads: number): Promise<Network> {
  const session = await loadSession(path, threads, 'all');
  return {
    async run(samples, width, height) {
      const { y } = (await session.run(samples, width, height)) as { y: Tensor };
      return { samples: y.data, width: y.dims[3]! };
    },
  };
}

/**
 * Loads an ONNX file with one input, float32 [1, 3, height, width], and any outputs.
 * @param threads maximum number of cores for one run
 * @param optimisations `disabled` for a small network, which runs as fast without them: they take a tenth of a second
 * @throws Error when the runtime does not work on this machine, or the file is not a network
 */
export function loadSession(path: string, threads: number, optimisations: 'all' | 'disabled'): Promise<Session> {
  const known = loaded.get(path);
  if (known) return known;
  const session = open(path, threads, optimisations);
  loaded.set(path, session);
  // A failed network is loaded again for the next file, since the missing part may be available then.
  session.catch(() => loaded.delete(path));
  return session;
}

/** What a network takes and returns. */
class Tensor {
  readonly type = 'float32';
  readonly location = 'cpu';
  readonly data: Float32Array;
  readonly dims: readonly number[];

  /** The native code calls it with its outputs. */
  constructor(_type: string, data: Float32Array, dims: readonly number[]) {
    // Jest gives each test file classes of its own, and the native code has those of Node.js.
    this.data = new Float32Array(data.buffer, data.byteOffset, data.length);
    this.dims = dims;
  }
}

/** The native part of onnxruntime-node. Its JavaScript refuses arrays of another class, as Jest has them. */
interface Runtime {
  initOrtOnce(logLevel: number, tensor: typeof Tensor, isMainThread: boolean): void;
  InferenceSession: new () => {
    inputMetadata: readonly { name: string }[];
    outputMetadata: readonly { name: string }[];
    loadModel(path: string, options: object): void;
    run(
      inputs: Readonly<Record<string, Tensor>>,
      outputs: Readonly<Record<string, null>>,
      options: object,
    ): Record<string, Tensor>;
  };
}

const ERRORS_ALONE = 3;

let runtime: Runtime | undefined;

function loadRuntime(): Runtime {
  if (runtime) return runtime;
  const file = `onnxruntime-node/bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`;
  runtime = createRequire(import.meta.url)(file) as Runtime;
  runtime.initOrtOnce(ERRORS_ALONE, Tensor, isMainThread);
  return runtime;
}

async function open(path: string, threads: number, optimisations: 'all' | 'disabled'): Promise<Session> {
  const { InferenceSession } = loadRuntime();
  const session = new InferenceSession();
  await setImmediate();
  session.loadModel(path, {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: optimisations,
    // An arena would keep the memory of the largest tile allocated.
    enableCpuMemArena: false,
    enableMemPattern: false,
    logSeverityLevel: ERRORS_ALONE,
    // Waiting threads must not spin on a core.
    extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
  });
  const input = session.inputMetadata[0]!.name;
  const outputs = Object.fromEntries(session.outputMetadata.map(({ name }) => [name, null]));
  return {
    async run(samples, width, height) {
      await setImmediate();
      return session.run({ [input]: new Tensor('float32', samples, [1, 3, height, width]) }, outputs, {});
    },
  };
}
