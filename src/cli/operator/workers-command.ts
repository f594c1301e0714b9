import { InvalidArgumentError, type Command } from 'commander';
import { counted, type Fleet, stillPolls, type WorkerDeployment } from '@burnish/contract';
import { answer, type Run } from './answer.ts';
import { parsePositiveInteger } from '../number-arguments.ts';

/** Adds `burnish workers`. @param report prints a sentence to standard error at once */
export function addWorkersCommand(program: Command, run: Run, report: (sentence: string) => void): void {
  const workers = program
    .command('workers')
    .description('list the workers with their versions, and tell whether an upgrade has ended');
  answer(workers, run, async (commands) => {
    const fleet = await commands.workers();
    return { json: fleet, lines: fleetLines(fleet, Date.now()) };
  });

  answer(
    workers
      .command('promote')
      .description('give the work to a build of the worker deployment, also to return to an earlier one')
      .argument('<build>', 'version of the build, from `burnish workers`')
      .option('--percent <n>', 'only this percentage of the workflows, 1 to 99', percentage),
    run,
    async (commands, build: string, { percent }: { percent?: number }) => {
      const deployment = await commands.promoteBuild({ build, percent });
      return { json: deployment, lines: deploymentLines(deployment) };
    },
  );

  answer(
    workers
      .command('drain')
      .description('wait until no worker of a build has a task; exit code 0: its workers can stop')
      .argument('<build>', 'version of the build, from `burnish workers`')
      .option('--timeout <seconds>', 'longest wait; then the exit code is 1', parsePositiveInteger, 3_600),
    run,
    async (commands, build: string, { timeout }: { timeout: number }) => {
      const { drainBuild } = await import('./drain-build.ts');
      await drainBuild(build, { look: commands.buildWork, report, limitMs: timeout * 1_000 });
      return {
        json: { version: build, drained: true },
        lines: [`No worker of ${build} has a task. Its workers can stop.`],
      };
    },
  );
}

function percentage(text: string): number {
  const number = parsePositiveInteger(text);
  if (number > 99) throw new InvalidArgumentError('Expected 1 to 99. Without --percent, the build gets all work.');
  return number;
}

/** One line for each worker and each version with its open uploads, then the state of the upgrade. @param time milliseconds */
export function fleetLines(fleet: Fleet, time: number): string[] {
  const { version, processes, uploads, uploadsOfEarlierVersions, deployment } = fleet;
  const polling = processes.filter((each) => stillPolls(each, time));
  const others = polling.filter((each) => each.version !== version);
  const workers = processes.map((each) => {
    const isOther = deployment === null && each.version !== version;
    const mark = stillPolls(each, time) ? (isOther ? '  OTHER VERSION' : '') : '  STOPPED';
    const seconds = Math.max(0, Math.round((time - Date.parse(each.polledAt)) / 1_000));
    const queue = each.taskQueue.padEnd(14);
    return `${each.process}  ${queue}  ${each.version ?? 'earlier'}  seen ${counted(seconds, 'second')} ago${mark}`;
  });
  if (deployment !== null) return [...workers, ...deploymentLines(deployment)];
  const open = uploads.map((each) => `${counted(each.open, 'open upload')} ran on ${each.version}.`);
  const earlier = `${counted(uploadsOfEarlierVersions, 'open upload')} ran only on earlier versions.`;
  return [...workers, ...open, ...(uploadsOfEarlierVersions > 0 ? [earlier] : []), drainLine(version, polling, others)];
}

const SHARES = { CURRENT: 'current', RAMPING: 'ramping', INACTIVE: 'inactive' } as const;

/** One line for each build of a deployment, and what to do while none is promoted. */
function deploymentLines({ name, builds }: WorkerDeployment): string[] {
  const lines = builds.map(({ version, state, share, open }) => {
    const work = state === 'INACTIVE' ? 'no work' : `${share} % of the work`;
    return `${version}  ${SHARES[state].padEnd(8)}  ${work}, ${counted(open, 'open upload')}`;
  });
  if (builds.some(({ state }) => state === 'CURRENT')) return lines;
  return [...lines, `No build of ${name} is current. Promote one: burnish workers promote <build>`];
}

/** An upload continues on any version, so the workers of another one can stop at any time. */
function drainLine(version: string, polling: readonly unknown[], others: readonly unknown[]): string {
  if (polling.length === 0) return 'No worker polls its task queue. Start one with `burnish worker`.';
  return others.length === 0
    ? `Every worker runs ${version}. No worker of another version is left.`
    : `${counted(others.length, 'worker')} of another version than ${version}. Replace them to end the upgrade.`;
}
