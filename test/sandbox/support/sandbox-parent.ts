import { writeFile } from 'node:fs/promises';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { decoders } from '../../support/decoders.ts';

/** A separate process with a sandbox and a child in an endless loop. Tests kill it. */
const [, , tasksUrl, path] = process.argv;
const sandbox = createSandbox({ concurrency: 1, tasksUrl: new URL(tasksUrl!) });
const run = sandbox.run as unknown as (task: string, input: object, options: object) => Promise<unknown>;
await run(
  'loopAfterTelling',
  {},
  { account: 'one', onProgress: () => void writeFile(path!, JSON.stringify(decoders(process.pid))) },
);
