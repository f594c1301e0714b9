import type { InferenceSession, Tensor } from 'onnxruntime-node';

export interface Network {
  /**
   * @param samples red, green and blue plane of `width` × `height` values, 0..1
   * @returns the output planes and their width
   */
  run(samples: Float32Array, width: number, height: number): Promise<{ samples: Float32Array; width: number }>;
}

/** Networks by path. A process loads each once, on demand; each takes about ten milliseconds and a few megabytes. */
const loaded = new Map<string, Promise<Network>>();

/**
 * Loads a network from an ONNX file: input `x`, output `y`, float32 [1, 3, height, width].
 * @param threads maximum number of cores for one run
 * @throws Error when the runtime does not work on this machine, or the file is not a network
 */
export function loadNetwork(path: string, threads: number): Promise<Network> {
  const known = loaded.get(path);
  if (known) return known;
  const network = open(path, threads);
  loaded.set(path, network);
  // A failed network is loaded again for the next file, since the missing part may be available then.
  network.catch(() => loaded.delete(path));
  return network;
}

async function open(path: string, threads: number): Promise<Network> {
  const { InferenceSession: Session, Tensor: TensorOf } = await import('onnxruntime-node');
  const session: InferenceSession = await Session.create(path, {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    // An arena would keep the memory of the largest tile allocated.
    enableCpuMemArena: false,
    enableMemPattern: false,
    logSeverityLevel: 3,
    // Waiting threads must not spin on a core.
    extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
  });
  return {
    async run(samples, width, height) {
      const x = new TensorOf('float32', samples, [1, 3, height, width]);
      const { y } = (await session.run({ x })) as { y: Tensor };
      return { samples: y.data as Float32Array, width: y.dims[3]! };
    },
  };
}
