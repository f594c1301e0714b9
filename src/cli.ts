import { once } from 'node:events';
import { Command } from 'commander';
import type { LocalInstance } from './cli/connect-locally.ts';
import { addBatchCommand } from './cli/batch/batch-command.ts';
import { addCompletionCommand } from './cli/completion.ts';
import type { ConnectionOptions } from './cli/connection-options.ts';
import { addDoctorCommand } from './cli/doctor/doctor-command.ts';
import { addEnhanceCommand, addEstimateCommand } from './cli/enhance/enhance-command.ts';
import { addListenCommand } from './cli/listen/listen-command.ts';
import { addAccountCommands } from './cli/operator/account-commands.ts';
import type { Run } from './cli/operator/answer.ts';
import { addBucketCommands } from './cli/operator/bucket-commands.ts';
import { addEndpointCommands } from './cli/operator/endpoint-commands.ts';
import { addOperatorCommands } from './cli/operator/commands.ts';
import { addStorageCommand } from './cli/operator/storage-command.ts';
import { addWorkersCommand } from './cli/operator/workers-command.ts';
import { addUsageCommand } from './cli/operator/usage-command.ts';
import { addLookCommand } from './cli/looks/look-command.ts';
import { addPresetCommand } from './cli/presets/preset-command.ts';
import { addReplayCommand } from './cli/replay/replay-command.ts';
import { addReportCommand } from './cli/report/report-command.ts';
import { addVerifyCommand } from './cli/verify/verify-command.ts';
import { addViewsCommand } from './cli/views/views-command.ts';
import { addWatchCommand } from './cli/watch/watch-command.ts';
import { printable } from './cli/printable.ts';
import { prepare, report, runProgram, serve } from './cli/serve.ts';
import { setPrivateUmask } from './process/private-umask.ts';
import { VERSION } from './runtime/version.ts';
import { describeSettings } from './runtime/config.ts';
import { workerCommand } from './worker.ts';

setPrivateUmask();

const program = new Command('burnish')
  .description('Enhances images and PDFs for backend systems, durably.')
  .version(VERSION)
  // Thrown instead of ended on the spot, so that a wrongly typed command has an exit code of its own.
  .exitOverride()
  .addHelpText(
    'after',
    `\nSettings (environment):\n${describeSettings()}\n  TEMPORAL_*                     Temporal server to use; an embedded one when TEMPORAL_ADDRESS is absent`,
  );

program
  .command('up')
  .description('run everything in one process tree: gateway, workers, embedded Temporal and database')
  .action(() => serve({ gateway: true, workers: ['main', 'engine'] }));

program
  .command('gateway')
  .description('run a gateway only; needs TEMPORAL_ADDRESS and DATABASE_URL')
  .action(() => serve({ gateway: true, workers: [] }));

program.addCommand(workerCommand);

// Each command reads its own code when it runs: a server that holds what other commands need is larger and later.

addEnhanceCommand(program, async (options) => {
  const { connectLocally } = await import('./cli/connect-locally.ts');
  const connect = () => connectLocally(options, startQuietly);
  if (options.files.includes('-')) {
    const { enhancePipe } = await import('./cli/enhance/enhance-pipe.ts');
    process.exitCode = await enhancePipe(options, { connect });
  } else {
    const { runEnhance } = await import('./cli/enhance/enhance.ts');
    process.exitCode = await runEnhance(options, { connect });
  }
});

/** Prints what a command learns from an instance. */
async function ask(
  options: ConnectionOptions,
  question: (instance: LocalInstance) => Promise<string[]>,
): Promise<void> {
  const { connectLocally } = await import('./cli/connect-locally.ts');
  const instance = await connectLocally(options, startQuietly);
  try {
    print(await question(instance));
  } finally {
    await instance.close();
  }
}

addEstimateCommand(program, async (options) => {
  const { estimate } = await import('./cli/enhance/estimate.ts');
  await ask(options, async (instance) => [await estimate(instance, options)]);
});

addReportCommand(program, async (options) => {
  const { saveReport } = await import('./cli/report/report.ts');
  await ask(options, async (instance) => [await saveReport(instance, options)]);
});

addLookCommand(program, async (call) => {
  const { runLooks } = await import('./cli/looks/looks.ts');
  await ask(call.options, (instance) => runLooks(instance, call));
});
addPresetCommand(program, async (call) => {
  const { runPresets } = await import('./cli/presets/presets.ts');
  await ask(call.options, (instance) => runPresets(instance, call));
});

addBatchCommand(program, async (call) => {
  const { runBatch } = await import('./cli/batch/batch.ts');
  await ask(call.options, async (instance) => {
    const { lines, problems } = await runBatch(instance, call);
    for (const problem of problems) report(problem);
    if (problems.length > 0) process.exitCode = 1;
    return lines;
  });
});

addWatchCommand(program, async (options) => {
  const { watchFolder } = await import('./cli/watch/watch.ts');
  const { listenForInterrupt } = await import('./cli/enhance/enhance-interrupt.ts');
  const interrupt = listenForInterrupt(() => report('Waiting for running files. Press Ctrl-C again to exit at once.'));
  await ask(options, async (instance) => {
    await watchFolder(options, { instance, signal: interrupt.signal });
    return [];
  });
});

addListenCommand(program, async (options) => {
  const { runListen } = await import('./cli/listen/listen.ts');
  const { listenForInterrupt } = await import('./cli/enhance/enhance-interrupt.ts');
  const { signal } = listenForInterrupt(() => report('Stopping. Further events wait for 24 hours.'));
  await ask(options, async (instance) => {
    await runListen(options, { instance, signal, report, print: (line) => print([line]) });
    return [];
  });
});

addVerifyCommand(program, async (options) => {
  const { verify } = await import('./cli/verify/verify.ts');
  const { lines, faithful } = await verify(options);
  print(lines);
  if (!faithful) process.exitCode = 1;
});

addDoctorCommand(program, async (options) => {
  const { config, environment } = prepare('silent');
  const { examine } = await import('./cli/doctor/doctor.ts');
  const { lines, isWell } = await examine(config, environment, options);
  print(lines);
  if (!isWell) process.exitCode = 1;
});

addReplayCommand(program, async (options) => {
  const { replay } = await import('./cli/replay/replay.ts');
  const { lines, fits } = await replay(options, prepare('silent'));
  print(lines);
  if (!fits) process.exitCode = 1;
});

addViewsCommand(program, async (options) => {
  const { views } = await import('./cli/views/views.ts');
  print(views(options, prepare('silent')));
});

const print = (lines: string[]): void =>
  void process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(''));
const runAsOperator: Run = async (work) => {
  const { connectOperator } = await import('./cli/operator/connect.ts');
  const operator = await connectOperator(prepare('warn'));
  try {
    print(await work(operator.commands));
  } finally {
    await operator.close();
  }
};
addOperatorCommands(program, runAsOperator, print);
addAccountCommands(program, runAsOperator);
addBucketCommands(program, runAsOperator);
addEndpointCommands(program, runAsOperator);
addUsageCommand(program, runAsOperator);
addStorageCommand(program, runAsOperator, { print, fail: () => (process.exitCode = 1) });
addWorkersCommand(program, runAsOperator, report);

program
  .command('demo')
  .description('send sample photographs and a PDF through the whole lifecycle, and name the pages that compare them')
  .option('--json', 'print one line of JSON, and the states to standard error')
  .action(async ({ json = false }: { json?: boolean }) => {
    const { connectLocally } = await import('./cli/connect-locally.ts');
    const { runDemo } = await import('./cli/demo/demo.ts');
    const instance = await connectLocally({}, startQuietly);
    const interrupt = new AbortController();
    const { signal } = interrupt;
    const interactive = process.stdout.isTTY && !json;
    const isEnding = instance.isOwn && !interactive;
    process.once('SIGINT', () => interrupt.abort());
    try {
      process.exitCode = await runDemo({ ...instance, isEnding, interactive, signal, json });
      if (interactive && instance.isOwn && process.exitCode === 0 && !signal.aborted) {
        report('Burnish runs until Ctrl-C, so that you can open these pages.');
        await once(signal, 'abort');
      }
    } finally {
      await instance.close();
    }
  });

addCompletionCommand(program, print);

/** The whole stack for the length of one command. */
async function startQuietly() {
  const { startStack } = await import('./runtime/stack.ts');
  const stack = await startStack({ ...prepare('warn'), gateway: true, workers: ['main', 'engine'] });
  const { firstSecrets } = await import('./cli/startup-message.ts');
  const secrets = firstSecrets(stack.initial, stack.operatorKey);
  if (stack.sandboxMissing !== null) report(stack.sandboxMissing);
  if (secrets.length > 0) report(`\n${secrets.join('\n')}`);
  return stack;
}

await runProgram(program);
