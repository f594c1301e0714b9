import type { Command } from 'commander';
import type { AllOperatorCommands } from '../../api/operator/all-operator-commands.ts';
import { counted } from '../../domain/counted.ts';
import { type Fleet, stillPolls } from '../../domain/representations/operator.ts';
import { asJson, type Json } from './account-commands.ts';

/** Adds `burnish workers`. @param run connects, and prints the given lines */
export function addWorkersCommand(
  program: Command,
  run: (work: (commands: AllOperatorCommands) => Promise<string[]>) => Promise<void>,
): void {
  program
    .command('workers')
    .description('list the workers with their versions, and whether one of another version is left after an upgrade')
    .option('--json', 'print JSON')
    .action(({ json }: Json) =>
      run(async (commands) => {
        const fleet = await commands.workers();
        return json ? asJson(fleet) : fleetLines(fleet, Date.now());
      }),
    );
}

/** One line for each worker and each version with its open uploads, then the state of the upgrade. @param time milliseconds */
export function fleetLines({ version, processes, uploads, uploadsOfEarlierVersions }: Fleet, time: number): string[] {
  const polling = processes.filter((each) => stillPolls(each, time));
  const others = polling.filter((each) => each.version !== version);
  const workers = processes.map((each) => {
    const mark = stillPolls(each, time) ? (each.version === version ? '' : '  OTHER VERSION') : '  STOPPED';
    const seconds = Math.max(0, Math.round((time - Date.parse(each.polledAt)) / 1_000));
    const queue = each.taskQueue.padEnd(14);
    return `${each.process}  ${queue}  ${each.version ?? 'earlier'}  seen ${counted(seconds, 'second')} ago${mark}`;
  });
  const open = uploads.map((each) => `${counted(each.open, 'open upload')} ran on ${each.version}.`);
  const earlier = `${counted(uploadsOfEarlierVersions, 'open upload')} ran only on earlier versions.`;
  return [...workers, ...open, ...(uploadsOfEarlierVersions > 0 ? [earlier] : []), drainLine(version, polling, others)];
}

/** An upload continues on any version, so the workers of another one can stop at any time. */
function drainLine(version: string, polling: readonly unknown[], others: readonly unknown[]): string {
  if (polling.length === 0) return 'No worker polls: start one.';
  return others.length === 0
    ? `Every worker runs ${version}. No worker of another version is left.`
    : `${counted(others.length, 'worker')} of another version than ${version}. Replace what is left to end the upgrade.`;
}
