import { InvalidArgumentError, type Command } from 'commander';
import type { WantedPowers } from '../../api/commands/checks.ts';
import type { OperatorCommands } from '../../api/commands/operator-commands.ts';
import type { ApiKey } from '../../database/accounts/api-keys.ts';
import { SCOPES, type Scope } from '../../domain/accounts/scopes.ts';
import { counted } from '../../engine/contract/counted.ts';
import type { CreditBalance } from '../../domain/accounts/credits.ts';
import { balanceLines, ledgerLine } from './format.ts';
import { parsePositiveInteger } from '../number-arguments.ts';
import { asJson, JSON_OPTION, type JsonOutput } from './json-output.ts';

/** Adds `burnish credits`, `keys`, `audit`, `signing-key`, `operator-key` and `dashboard`. @param run connects, and prints the given lines @param print prints each line at once */
export function addOperatorCommands(
  program: Command,
  run: (work: (commands: OperatorCommands) => Promise<string[]>) => Promise<void>,
  print: (lines: string[]) => void,
): void {
  const credits = program
    .command('credits')
    .description('show the credits of this period')
    .option(...JSON_OPTION)
    .action(({ json }: JsonOutput) =>
      run(async (commands) => {
        const balance = await commands.credits();
        return json ? asJson(flatBalance(balance)) : balanceLines(balance);
      }),
    );
  credits
    .command('top-up')
    .description('add credits to this period, once for each reference; work that waits for credits continues')
    .argument('<credits>', 'whole number, 1 or more', parsePositiveInteger)
    .requiredOption('--reference <text>', 'reference of the top-up, such as an invoice number')
    .option(...JSON_OPTION)
    .action((amount: number, { reference }: { reference: string }, command: Command) =>
      run(async (commands) => {
        const { added, balance } = await commands.topUp({ credits: amount, reference });
        // The parent command has the same option, and would consume it at any position.
        if (command.optsWithGlobals<JsonOutput>().json) return asJson({ added, ...flatBalance(balance) });
        const said = added
          ? `Added ${counted(amount, 'credit')}.`
          : `Nothing was added: ${reference} has already been used, for ${counted(amount, 'credit')}.`;
        return [said, ...balanceLines(balance)];
      }),
    );

  credits
    .command('ledger')
    .description('list grants, top-ups and enhancements with their charges, newest first')
    .option('--limit <n>', 'number of lines, 1 to 100', parsePositiveInteger, 50)
    .option(...JSON_OPTION)
    .action(({ limit }: { limit: number }, command: Command) =>
      run(async (commands) => {
        const { items } = await commands.ledger({ limit });
        return command.optsWithGlobals<JsonOutput>().json ? items.flatMap(asJson) : items.map(ledgerLine);
      }),
    );

  const keys = program.command('keys').description('API keys of the default account');
  keys
    .command('create')
    .description('create a key and show it once')
    .argument('<name>', 'purpose of the key')
    .option('--scope <scope...>', `scopes: ${SCOPES.join(', ')}; default: all`, scopes)
    .option('--expires <when>', 'expiry: a date, a time, or days such as 90d', moment)
    .option('--test', 'create a test key: free, separate, with outcomes on request', false)
    .option(...JSON_OPTION)
    .action(
      (name: string, { test, json, ...wanted }: { scope?: Scope[]; expires?: string; test: boolean } & JsonOutput) =>
        run(async (commands) => {
          const { apiKey, key } = await commands.createApiKey(name, {
            ...powers(wanted.scope, wanted.expires),
            ...(test && { test }),
          });
          return json ? asJson({ ...shownKey(apiKey), key }) : [key];
        }),
    );
  keys
    .command('list')
    .description('list the keys')
    .option('--all', 'also list the keys that Burnish created for itself')
    .option(...JSON_OPTION)
    .action(({ all: includeInternal = false, json }: { all?: boolean } & JsonOutput) =>
      run(async (commands) => {
        const all = await commands.listApiKeys({ includeInternal });
        if (json) return asJson(all.map(shownKey));
        return all.map(
          ({ id, prefix, createdAt, lastUsedAt, expiresAt, scopes: may, name, internal, test }) =>
            `${id}  ${`${prefix}…`.padEnd(10)} made ${createdAt.slice(0, 10)}  used ${lastUsedAt?.slice(0, 16) ?? 'never'}  expires ${expiresAt?.slice(0, 16) ?? 'never'}  may ${may.join(',')}  ${name}${internal ? ' (internal)' : ''}${test ? ' (test)' : ''}`,
        );
      }),
    );
  keys
    .command('delete')
    .description('delete a key; it is refused from the next request on')
    .argument('<id>', 'id of the key, from `burnish keys list`')
    .option(...JSON_OPTION)
    .action((id: string, { json }: JsonOutput) =>
      run(async (commands) => {
        await commands.deleteKey(id);
        return json ? asJson({ id }) : [`Deleted ${id}.`];
      }),
    );

  program
    .command('audit')
    .description('audit log of the default account')
    .command('export')
    .description('print the audit log as JSON lines, newest first')
    .option('--since <when>', 'only entries from this date or time', date)
    .option('--until <when>', 'only entries before this date or time', date)
    .option('--json', 'print JSON lines, as without this option')
    .action(({ json: _, ...period }: { since?: string; until?: string } & JsonOutput) =>
      run(async (commands) => {
        for (let after: string | undefined; ;) {
          const page = { limit: 100, ...period, ...(after === undefined ? {} : { after }) };
          const { items, nextCursor } = await commands.auditLog(page);
          print(items.map((entry) => JSON.stringify(entry)));
          if (nextCursor === null) return [];
          after = nextCursor;
        }
      }),
    );

  program
    .command('signing-key')
    .description('signing key of file URLs')
    .command('rotate')
    .description('replace the key; existing URLs remain valid until they expire')
    .option('--at-once', 'invalidate all existing URLs, for a leaked key', false)
    .option(...JSON_OPTION)
    .action(({ atOnce, json }: { atOnce: boolean } & JsonOutput) =>
      run(async (commands) => {
        const rotated = await commands.rotateSigningKey(atOnce);
        if (json) return asJson(rotated);
        const { signsFrom } = rotated;
        return atOnce
          ? ['The key is replaced. Existing URLs become invalid within a minute.']
          : [
              `The key is replaced. The new key signs URLs from ${signsFrom} on. URLs of the old key expire within a day.`,
            ];
      }),
    );

  program
    .command('operator-key')
    .description("print the operator's key, for /v1/operator and the dashboard")
    .option(...JSON_OPTION)
    .action(({ json }: JsonOutput) =>
      run(async (commands) => {
        const key = await commands.operatorKey();
        return json ? asJson({ key }) : [key];
      }),
    );

  program
    .command('dashboard')
    .description('print a sign-in link to the dashboard, valid once within 15 minutes')
    .option(...JSON_OPTION)
    .action(({ json }: JsonOutput) =>
      run(async (commands) => {
        const link = await commands.signInLink();
        return json ? asJson(link) : [link.url];
      }),
    );
}

/** The balance as the REST interface has its times: `periodEnd` is not included. */
function flatBalance({ period, granted, used, reserved, remaining }: CreditBalance): object {
  return { periodStart: period.start, periodEnd: period.end, granted, used, reserved, remaining };
}

function shownKey({
  id,
  name,
  prefix,
  scopes,
  test,
  createdAt,
  expiresAt,
  lastUsedAt,
  lastUsedAddress,
}: ApiKey): object {
  return { id, name, prefix, scopes, test, createdAt, expiresAt, lastUsedAt, lastUsedAddress };
}

/** Each `--scope` may contain several, separated by commas. */
function scopes(text: string, before: Scope[] = []): Scope[] {
  const given = text.split(',');
  const unknown = given.find((each) => !(SCOPES as readonly string[]).includes(each));
  if (unknown !== undefined) throw new InvalidArgumentError(`Expected ${SCOPES.join(', ')}, but received ${unknown}.`);
  return [...before, ...(given as Scope[])];
}

const DAY_MS = 86_400_000;

/** A time as ISO 8601, from such a time or from a number of days from now. */
function moment(text: string): string {
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  return days === undefined ? date(text) : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
}

function date(text: string): string {
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms)) throw new InvalidArgumentError('Expected a date or a time, such as 2030-01-31.');
  return new Date(ms).toISOString();
}

function powers(scope: Scope[] | undefined, expiresAt: string | undefined): WantedPowers {
  return { ...(scope === undefined ? {} : { scopes: scope }), ...(expiresAt === undefined ? {} : { expiresAt }) };
}
