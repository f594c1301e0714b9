import { writeSync } from 'node:fs';
import { encodeFrame } from '../../../src/engine/sandbox/frames.ts';

interface Speech {
  /** Text for the channel as it is */
  raw?: string;
  /** Values for the channel, each in a frame */
  frames?: unknown[];
  /** Number of times to send all of it */
  times?: number;
}

/** Descriptor of the channel to the parent. */
const CHANNEL = 3;

/** Writes everything, and waits for a full pipe. */
function writeAll(bytes: Buffer): void {
  for (let rest = bytes; rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(CHANNEL, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

/** Tasks of a compromised decoder that knows the channel to its parent. */
export const TASKS = {
  echo: async () => async (input: object) => input,
  speak:
    async () =>
    async ({ raw = '', frames = [], times = 1 }: Speech) => {
      const bytes = Buffer.concat([Buffer.from(raw, 'latin1'), ...frames.map(encodeFrame)]);
      for (let i = 0; i < times; i += 1) writeAll(bytes);
      return {};
    },
};
