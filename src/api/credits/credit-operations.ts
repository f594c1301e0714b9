import { z } from 'zod';
import { MAX_USAGE_DAYS, usagePeriod } from '../../domain/accounts/usage.ts';
import { ok, page, wholeList } from '../rest/answers.ts';
import { operation } from '../rest/operation.ts';
import { pageQuery, pageRequest } from '../schemas/paging.ts';
import { creditsSchema, ledgerLineSchema, representCredits, representUsage, usageDaySchema } from './credit-schemas.ts';
import type { UsageStore } from '../../database/accounts/usage.ts';
import type { CreditLedger } from '../../database/credits/credit-ledger.ts';

/** What the operations and the fields of this resource use. */
export interface CreditNeeds {
  ledger: CreditLedger;
  usage: UsageStore;
  /** Milliseconds since the epoch */
  now: () => number;
}

const tag = 'Credits';

/** `/v1/credits`: the balance of the current period, and its ledger entries. */
export const creditOperations = [
  operation({
    operationId: 'getCredits',
    graphql: { field: 'credits' },
    scope: 'read',
    method: 'get',
    path: '/v1/credits',
    tag,
    summary: 'Read the credits of this period',
    description: 'A period is a calendar month in UTC. An answer with data proves that the API key is valid.',
    answer: ok('The balance. A period is a calendar month in UTC.', creditsSchema),
    handle: async ({ caller }, { ledger, now }: CreditNeeds) =>
      representCredits(await ledger.balance(caller.account.id, now())),
  }),

  operation({
    operationId: 'listUsage',
    graphql: { field: 'usage' },
    scope: 'read',
    method: 'get',
    path: '/v1/usage',
    tag,
    summary: 'Report usage by day and API key',
    description: `Enhancements of the account by the day of their end, in UTC, for at most ${MAX_USAGE_DAYS} days. Days without one are absent.`,
    query: z.strictObject({
      since: z.iso.date().optional().meta({ description: 'First day, inclusive. Default: 30 days before `until`.' }),
      until: z.iso.date().optional().meta({ description: 'Last day, inclusive. Default: today.' }),
    }),
    answer: wholeList(usageDaySchema, 'oldest day first'),
    handle: async ({ caller, query }, { usage, now }: CreditNeeds) =>
      representUsage(await usage.byKey({ accountId: caller.account.id, ...usagePeriod(query, now()) })),
  }),

  operation({
    operationId: 'listCreditEntries',
    scope: 'read',
    method: 'get',
    path: '/v1/credits/entries',
    tag,
    summary: 'List the ledger, newest first',
    description:
      'One line for each grant, top-up and enhancement, with its entries and the balance after it. The ledger is append-only: a correction is another entry.',
    query: pageQuery,
    answer: page(ledgerLineSchema),
    handle: ({ caller, query }, { ledger }: CreditNeeds) => ledger.lines(caller.account.id, pageRequest(query)),
  }),
];
