import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessIdentity } from '../../../src/process/process-identity.ts';
import type { Ports } from '../../support/instance.ts';

/** What a later call needs to continue the run of a batch. */
export interface RunState {
  items: number;
  samples: number;
  ports: Ports;
  /** Of the server of the pictures, whose addresses the batch has */
  picturesPort: number;
  apiKey: string;
  /** The instance of the last call, which may have outlived it */
  instance: ProcessIdentity | null;
  batchId: string | null;
  /** Calls so far */
  pieces: number;
  /** From the approval, without the time between calls */
  seconds: number;
  /** All seconds, as the batch showed them once a tenth of its items had ended; null before */
  expectedSeconds: number | null;
  /** Kills by the part of the instance, and the attempts that found no process */
  kills: Record<string, number>;
  rounds: number;
}

const pathIn = (folder: string): string => join(folder, 'run.json');

/** @returns undefined for a folder without a run */
export async function readState(folder: string): Promise<RunState | undefined> {
  try {
    return JSON.parse(await readFile(pathIn(folder), 'utf8')) as RunState;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces the file at once, so that a kill leaves a whole one. */
export async function saveState(folder: string, state: RunState): Promise<void> {
  await writeFile(`${pathIn(folder)}.new`, JSON.stringify(state));
  await rename(`${pathIn(folder)}.new`, pathIn(folder));
}
