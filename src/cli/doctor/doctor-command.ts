import type { Command } from 'commander';

export interface DoctorOptions {
  json?: boolean;
}

export function addDoctorCommand(program: Command, run: (options: DoctorOptions) => Promise<void>): void {
  program
    .command('doctor')
    .description('check what a start needs on this machine, and print what to do; exit code 1 if it would not start')
    .option('--json', 'print JSON')
    .action(run);
}
