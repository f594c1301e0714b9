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

/** Id of the present task, which native code finds in memory. */
let taskId = '';
const parse = JSON.parse.bind(JSON);
JSON.parse = (text: string) => {
  const value = parse(text) as { id?: string; task?: string };
  if (value?.task !== undefined) taskId = value.id ?? '';
  return value;
};

/** A frame of the present task, unless the value has another id. */
const frameOfTask = (value: unknown): Buffer =>
  encodeFrame(typeof value === 'object' && value !== null ? { id: taskId, ...value } : value);

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
      const bytes = Buffer.concat([Buffer.from(raw, 'latin1'), ...frames.map(frameOfTask)]);
      for (let i = 0; i < times; i += 1) writeAll(bytes);
      return {};
    },
};
