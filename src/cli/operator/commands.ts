import { InvalidArgumentError, type Command } from 'commander';
import { SCOPES, type Scope, type CreditBalance } from '@burnish/contract';
import type { PowersRequest } from '../../api/commands/checks.ts';
import type { ApiKey } from '../../database/accounts/api-keys.ts';
import { parsePositiveInteger } from '../number-arguments.ts';
import { answer, type Run } from './answer.ts';
import { parseScopes } from './parse-scopes.ts';
import { balanceLines, ledgerLine, topUpLines } from './format.ts';

/** Adds `burnish credits`, `keys`, `audit`, `signing-key`, `operator-key` and `dashboard`. @param print prints each line at once */
export function addOperatorCommands(program: Command, run: Run, print: (lines: string[]) => void): void {
  const credits = program.command('credits').description('show the credits of this period');
  answer(credits, run, async (commands) => {
    const balance = await commands.credits();
    return { json: flatBalance(balance), lines: balanceLines(balance) };
  });

  answer(
    credits
      .command('top-up')
      .description('add credits to this period, once for each reference; work that waits for credits continues')
      .argument('<credits>', 'whole number, 1 or more', parsePositiveInteger)
      .requiredOption('--reference <text>', 'reference of the top-up, such as an invoice number'),
    run,
    async (commands, amount: number, { reference }: { reference: string }) => {
      const done = await commands.topUp({ credits: amount, reference });
      return {
        json: { added: done.added, ...flatBalance(done.balance) },
        lines: topUpLines(amount, reference, done),
      };
    },
  );

  answer(
    credits
      .command('ledger')
      .description('list grants, top-ups and enhancements with their charges, newest first')
      .option('--limit <n>', 'number of lines, 1 to 100', parsePositiveInteger, 50),
    run,
    async (commands, { limit }: { limit: number }) => {
      const { items } = await commands.ledger({ limit });
      return { json: items, lines: items.map(ledgerLine) };
    },
  );

  const keys = program.command('keys').description('API keys of the default account');
  answer(
    keys
      .command('create')
      .description('create a key and show it once')
      .argument('<name>', 'purpose of the key')
      .option('--scope <scope...>', `scopes: ${SCOPES.join(', ')}; default: all`, parseScopes(SCOPES))
      .option('--expires <when>', 'expiry: a date, a time, or days such as 90d', moment)
      .option('--test', 'create a test key: free, separate, with outcomes on request', false),
    run,
    async (commands, name: string, given: { scope?: Scope[]; expires?: string; test: boolean }) => {
      const wanted = { ...powers(given.scope, given.expires), ...(given.test && { test: true }) };
      const { apiKey, key } = await commands.createApiKey(name, wanted);
      return { json: { ...shownKey(apiKey), key }, lines: [key] };
    },
  );

  answer(
    keys
      .command('list')
      .description('list the keys')
      .option('--all', 'also list the keys that Burnish created for itself'),
    run,
    async (commands, { all: includeInternal = false }: { all?: boolean }) => {
      const all = await commands.listApiKeys({ includeInternal });
      return { json: all.map(shownKey), lines: all.map(keyLine) };
    },
  );

  answer(
    keys
      .command('delete')
      .description('delete a key; it is refused from the next request on')
      .argument('<id>', 'id of the key, from `burnish keys list`'),
    run,
    async (commands, id: string) => {
      await commands.deleteApiKey(id);
      return { json: { id }, lines: [`Deleted ${id}.`] };
    },
  );

  program
    .command('audit')
    .description('audit log of the default account')
    .command('export')
    .description('print the audit log as JSON lines, newest first')
    .option('--since <when>', 'only entries from this date or time', date)
    .option('--until <when>', 'only entries before this date or time', date)
    .option('--json', 'print JSON lines, as without this option')
    .action(({ json: _, ...period }: { since?: string; until?: string; json?: true }) =>
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

  answer(
    program
      .command('signing-key')
      .description('signing key of file URLs')
      .command('rotate')
      .description('replace the key; existing URLs remain valid until they expire')
      .option('--at-once', 'invalidate all existing URLs, for a leaked key', false),
    run,
    async (commands, { atOnce }: { atOnce: boolean }) => {
      const rotated = await commands.rotateSigningKey(atOnce);
      const until = atOnce
        ? 'Existing URLs become invalid within a minute.'
        : `The new key signs URLs from ${rotated.signsFrom} on. URLs of the old key expire within a day.`;
      return { json: rotated, lines: [`The key is replaced. ${until}`] };
    },
  );

  answer(
    program.command('operator-key').description("print the operator's key, for /v1/operator and the dashboard"),
    run,
    async (commands) => {
      const key = await commands.operatorKey();
      return { json: { key }, lines: [key] };
    },
  );

  answer(
    program.command('dashboard').description('print a sign-in link to the dashboard, valid once within 15 minutes'),
    run,
    async (commands) => {
      const link = await commands.signInLink();
      return { json: link, lines: [link.url] };
    },
  );
}

const keyLine = ({ id, prefix, createdAt, lastUsedAt, expiresAt, scopes: may, name, internal, test }: ApiKey): string =>
  `${id}  ${`${prefix}…`.padEnd(10)} made ${createdAt.slice(0, 10)}  used ${lastUsedAt?.slice(0, 16) ?? 'never'}  expires ${expiresAt?.slice(0, 16) ?? 'never'}  may ${may.join(',')}  ${name}${internal ? ' (internal)' : ''}${test ? ' (test)' : ''}`;

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

function powers(scope: Scope[] | undefined, expiresAt: string | undefined): PowersRequest {
  return { ...(scope === undefined ? {} : { scopes: scope }), ...(expiresAt === undefined ? {} : { expiresAt }) };
}
