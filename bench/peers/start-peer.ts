import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Peer {
  name: string;
  /** @returns seconds of CPU, or null if the peer failed on this file */
  run(input: string, output: string): Promise<number | null>;
  end(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('peers.py', import.meta.url));
/** Threads of OpenMP, which the runtimes of the networks use */
const ONE_THREAD = { OMP_NUM_THREADS: '1', OMP_THREAD_LIMIT: '1' };

/**
 * Starts one of the programs of `peers.py`, and loads what it needs.
 * @param python path of a Python that has it
 * @returns a sentence if it is missing there
 */
export async function startPeer(python: string, name: string): Promise<Peer | string> {
  const child = spawn(python, [PROGRAM, name], {
    env: { ...process.env, ...ONE_THREAD },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // A write to a program that has ended gets no answer, which says more.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => child.once('error', () => resolve()).once('close', () => resolve()));
  const lines = createInterface({ input: child.stdout });
  const answers = lines[Symbol.asyncIterator]();
  const answer = async (): Promise<{ missing?: string; cpu?: number }> => {
    const { value, done } = await answers.next();
    if (done) throw new Error(`${name} ended without an answer. Run ${python} ${PROGRAM} "${name}" to see why.`);
    return JSON.parse(value) as { missing?: string; cpu?: number };
  };
  const { missing } = await answer();
  if (missing !== undefined) return `${name} is left out, because ${python} cannot load it: ${missing}.`;
  return {
    name,
    async run(input, output) {
      child.stdin.write(`${JSON.stringify({ input, output })}\n`);
      return (await answer()).cpu ?? null;
    },
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}
