import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { resolveImageParameters } from '@burnish/contract';
import { createLogger } from '../src/api/http/logger.ts';
import { TASKS, type TaskContext } from '../packages/engine/src/tasks.ts';
import { NO_MODELS } from '../packages/engine/src/neural/model-set.ts';
import { readConfig } from '../src/runtime/config.ts';
import { startStack } from '../src/runtime/stack.ts';
import { freePort } from '../src/temporal/port.ts';
import { createApi } from '../test/e2e/api.ts';
import { temporalBinary } from '../test/support/temporal-binary.ts';
import { distinct } from './lifecycle/jobs.ts';
import { smallPhotograph } from './photographs.ts';
import { executedFiles } from './upload-path/executed-files.ts';

/**
 * Lists the source files on the path of one image, from POST to FINISHED: files with a function that runs for this upload.
 * Prints them by folder, with their number. A first upload loads the code, so that module code does not count; the second one
 * is measured. `npm run bench:path`; about a minute.
 */
const API_KEY = 'bench-upload-path-key';
const FINISHED_WITHIN_MS = 60_000;

// Runs workflow code in this thread, where the profiler sees it, instead of in a thread of the SDK.
process.env['TEMPORAL_DEBUG'] = '1';
const folder = await mkdtemp(join(tmpdir(), 'burnish-path-'));
const environment = {
  ...process.env,
  BURNISH_DATA_DIR: join(folder, 'data'),
  BURNISH_TEMPORAL_BINARY: await temporalBinary(),
  BURNISH_ENGINE_TIER: 'plain',
  BURNISH_PORT: String(await freePort()),
  BURNISH_TEMPORAL_PORT: String(await freePort()),
  BURNISH_TEMPORAL_UI_PORT: String(await freePort()),
  BURNISH_BOOTSTRAP_API_KEY: API_KEY,
  BURNISH_LOG_LEVEL: 'error',
};
const stack = await startStack({
  config: readConfig(environment),
  environment,
  log: createLogger({ level: 'error' }),
  report: () => undefined,
  gateway: true,
  workers: ['main', 'engine'],
});
try {
  const api = createApi(`http://127.0.0.1:${environment.BURNISH_PORT}`, API_KEY);
  const [first, second] = distinct(await smallPhotograph(), 2);
  const { id: accountId } = stack.initial!.account;

  /** Runs one upload. Reads its end from the database, so that no read of the REST interface counts. */
  const upload = async (file: Buffer): Promise<void> => {
    const { status, body } = await api.upload(file, { enhancements: [{}] });
    if (status !== 202) throw new Error(`The upload was answered with ${status}: ${JSON.stringify(body)}`);
    const deadline = performance.now() + FINISHED_WITHIN_MS;
    for (;;) {
      const record = await stack.services.stores.enhancements.get(accountId, body.enhancements[0]!.id);
      if (record?.status === 'FINISHED') return;
      if (record?.status === 'ERROR' || performance.now() > deadline) throw new Error(JSON.stringify(record));
      await delay(25);
    }
  };
  /** Repeats the engine's part in this process, because the profiler cannot see its child process. */
  const engine = async (file: Buffer): Promise<void> => {
    const inputPath = join(folder, 'input');
    await writeFile(inputPath, file);
    const context: TaskContext = { onProgress: () => undefined, models: NO_MODELS };
    const task = await TASKS['inspect-and-enhance-image']();
    await task({ inputPath, outputPath: join(folder, 'output'), parameters: resolveImageParameters({}) }, context);
  };
  const whole = async (file: Buffer): Promise<void> => {
    await upload(file);
    await engine(file);
  };

  await whole(first!);
  const files = await executedFiles(() => whole(second!));
  for (const name of new Set(files.map((file) => dirname(file)))) {
    const inFolder = files.filter((file) => dirname(file) === name);
    console.log(`${String(inFolder.length).padStart(3)}  ${name}`);
    for (const file of inFolder) console.log(`       ${file.slice(name.length + 1)}`);
  }
  console.log(`${files.length} files on the way of one upload.`);
} finally {
  await stack.close();
  await rm(folder, { recursive: true, force: true });
}
