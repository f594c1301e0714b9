import { fileURLToPath } from 'node:url';
import { Command, Option } from 'commander';
import { runProgram, serve } from './cli/serve.ts';
import { setPrivateUmask } from './process/private-umask.ts';
import type { WorkerRole } from './runtime/start-workers.ts';

/**
 * The entry of a worker process, as `burnish worker` or `node dist/worker.js`. `serve` opens database and storage and connects
 * to Temporal, and `runtime/start-workers.ts` polls the task queues of the roles until a signal stops the process.
 */
export const workerCommand = new Command('worker')
  .description('run a worker only; needs TEMPORAL_ADDRESS and DATABASE_URL')
  .exitOverride()
  .addOption(
    new Option('--role <role>', 'main: workflows and I/O; engine: CPU work')
      .choices(['main', 'engine', 'both'])
      .default('both'),
  )
  .action(({ role }: { role: WorkerRole | 'both' }) =>
    serve({ gateway: false, workers: role === 'both' ? ['main', 'engine'] : [role] }),
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  setPrivateUmask();
  await runProgram(workerCommand);
}
