import { InvalidArgumentError, Option, type Command } from 'commander';
import { EVENT_KINDS, type EventKind } from '@burnish/contract';
import { addConnectionOptions, type ConnectionOptions } from '../connection-options.ts';

export interface ListenCommandOptions extends ConnectionOptions {
  /** URL of the receiver */
  forwardTo: string;
  /** Absent: all */
  events?: EventKind[];
  /** ISO 8601 */
  since?: string;
  /** Position of the last event that the receiver has */
  after?: number;
  /** `whsec_…` */
  secret?: string;
  json?: boolean;
}

/** Adds `burnish listen`. */
export function addListenCommand(program: Command, run: (options: ListenCommandOptions) => Promise<void>): void {
  const command = program
    .command('listen')
    .description('forward signed webhook events to a program on this machine, until Ctrl-C')
    .requiredOption('--forward-to <url>', 'URL of the program, such as http://localhost:8080/hook', receiver)
    .addOption(
      new Option('--events <kinds>', 'only these kinds, separated by commas; default: all')
        .choices(EVENT_KINDS)
        .argParser(kinds),
    )
    .option('--since <time>', 'first send the events since a time, or of the last 30m or 2h, again', time)
    .addOption(
      new Option('--after <position>', 'continue after an event, by the position that the last run printed')
        .argParser(position)
        .conflicts('since'),
    )
    .option(
      '--secret <secret>',
      'secret of the signatures, whsec_ and base64; default: derived from the API key',
      secret,
    )
    .option('--json', 'print a line of JSON for the secret and for each event');
  addConnectionOptions(command).action(run);
}

function receiver(text: string): string {
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text);
  const url = hasScheme ? text : `http://${text}`;
  if (!URL.canParse(url) || !/^https?:/i.test(url)) throw new InvalidArgumentError('Expected an http or https URL.');
  return new URL(url).href;
}

function kinds(text: string): EventKind[] {
  const given = text.split(',').map((kind) => kind.trim());
  const unknown = given.find((kind) => !(EVENT_KINDS as readonly string[]).includes(kind));
  if (unknown !== undefined) throw new InvalidArgumentError(`${unknown} is not one of ${EVENT_KINDS.join(', ')}.`);
  return given as EventKind[];
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** @returns ISO 8601 */
function time(text: string): string {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms =
    amount === undefined ? Date.parse(text) : Date.now() - Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (Number.isNaN(ms)) throw new InvalidArgumentError('Expected 30m, 2h or a time such as 2026-01-31T09:30:00Z.');
  return new Date(ms).toISOString();
}

function position(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

function secret(text: string): string {
  if (!/^whsec_[A-Za-z\d+/]{32,100}={0,2}$/.test(text))
    throw new InvalidArgumentError('Expected whsec_ and at least 24 bytes in base64.');
  return text;
}
