import { writeSync } from 'node:fs';
import { toFrame, type FrameKind } from '../../../packages/jail/src/channel/frames.ts';

interface Speech {
  /** Text for the channel as it is */
  raw?: string;
  /** Values for the channel, each in a frame */
  frames?: { type: FrameKind }[];
  /** Text of one frame, whatever its message says: a part many times between a beginning and an end */
  text?: { kind: FrameKind; before: string; part: string; times: number; after: string };
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
const frameOfTask = (value: { type: FrameKind }): Buffer =>
  toFrame(value.type, JSON.stringify({ id: taskId, ...value }));

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
    async ({ raw = '', frames = [], text, times = 1 }: Speech) => {
      const long = text && toFrame(text.kind, text.before + text.part.repeat(text.times) + text.after);
      const bytes = Buffer.concat([Buffer.from(raw, 'latin1'), ...frames.map(frameOfTask), ...(long ? [long] : [])]);
      for (let i = 0; i < times; i += 1) writeAll(bytes);
      return {};
    },
};
