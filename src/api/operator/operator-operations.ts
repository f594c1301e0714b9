import { z } from 'zod';
import type { Fleet } from '@burnish/contract';
import { MAX_USAGE_DAYS, usageCsv, usagePeriod } from '../../domain/accounts/usage.ts';
import { mapPage } from '../../database/page.ts';
import { type Accounts, MAX_LISTED_ACCOUNTS } from '../../database/accounts/accounts.ts';
import { auditEntrySchema, auditRequest, listAuditQuery, representEntry } from '../audit/audit-operations.ts';
import type { WorkersAway } from '../health/workers-watch.ts';
import { created, ok, page, sentByHandler, wholeList, sendJson } from '../rest/answers.ts';
import { idParameter, idPath } from '../rest/operation.ts';
import { parseNumber } from '../schemas/fields.ts';
import { operatorOperation } from './operator-operation.ts';
import * as schemas from './operator-schemas.ts';
import type { AuditLog } from '../../database/accounts/audit-log.ts';
import type { createAccountCommands } from './account-commands.ts';
import type { UsageStore } from '../../database/accounts/usage.ts';

interface OperatorNeeds {
  accountCommands: ReturnType<typeof createAccountCommands>;
  audit: AuditLog;
  /** Milliseconds since the epoch */
  now: () => number;
}

const parameters = idPath('acc');

const QUEUED_ACCOUNTS = 500;
const NO_FLEET = { processes: [], uploads: [], uploadsOfEarlierVersions: 0, deployment: null };

const account = ok('The account.', schemas.accountSchema);
const day = z.iso.date();
const limit = z
  .string()
  .transform(parseNumber)
  .pipe(z.int().min(1).max(MAX_LISTED_ACCOUNTS))
  .default(100)
  .meta({ override: { type: 'integer', minimum: 1, maximum: MAX_LISTED_ACCOUNTS, default: 100 } });

/** `/v1/operator`: accounts, plans and usage, for the operator of the instance. */
export const operatorOperations = [
  operatorOperation({
    operationId: 'createAccount',
    method: 'post',
    path: '/v1/operator/accounts',
    summary: 'Create an account with its first API key',
    description: 'The key is shown once. Account names are unique, so a repeated request creates no second account.',
    body: schemas.newAccountBody,
    example: { name: 'Print shop Miller', plan: 'BASIC' },
    answer: created('The account and its key.', schemas.newAccountSchema),
    async handle({ body, by }, { accountCommands }: OperatorNeeds) {
      const { account, key } = await accountCommands.createAccount(defined(body), by);
      return { location: `/v1/operator/accounts/${account.id}`, body: { account, apiKey: key } };
    },
  }),
  operatorOperation({
    operationId: 'listAccounts',
    method: 'get',
    path: '/v1/operator/accounts',
    summary: 'List accounts, newest first',
    query: z.strictObject({
      limit,
      after: idParameter('acc').optional().meta({ description: 'The `next` of the previous page.' }),
    }),
    answer: page(schemas.accountSchema),
    async handle({ query: { limit, after } }, { accountCommands }: OperatorNeeds) {
      const items = await accountCommands.listAccounts({ limit: limit + 1, after });
      const shown = items.slice(0, limit);
      return { items: shown, nextCursor: items.length > limit ? shown.at(-1)!.id : null };
    },
  }),
  operatorOperation({
    operationId: 'getAccount',
    method: 'get',
    path: '/v1/operator/accounts/{id}',
    summary: 'Read an account',
    description: 'The record of a deleted account contains its receipt.',
    parameters,
    answer: account,
    failures: ['NOT_FOUND'],
    handle: ({ parameters: { id } }, { accountCommands }: OperatorNeeds) => accountCommands.showAccount(id),
  }),
  operatorOperation({
    operationId: 'updateAccount',
    method: 'patch',
    path: '/v1/operator/accounts/{id}',
    summary: 'Change name, plan or limits of an account',
    description: 'A change applies from the next request on. Accepted work keeps its plan.',
    parameters,
    body: schemas.accountChangeBody,
    example: { plan: 'BUSINESS', maxRetentionDays: 90 },
    answer: account,
    failures: ['NOT_FOUND'],
    handle: ({ parameters: { id }, body, by }, { accountCommands }: OperatorNeeds) =>
      accountCommands.changeAccount(id, defined(body), by),
  }),
  operatorOperation({
    operationId: 'grantCredits',
    method: 'post',
    path: '/v1/operator/accounts/{id}/credits',
    summary: 'Add credits to the current period',
    description: 'Enhancements that wait for credits continue.',
    parameters,
    body: schemas.topUpBody,
    example: { credits: 500, reference: 'invoice-4711' },
    answer: ok('The balance after the change.', schemas.topUpSchema),
    failures: ['NOT_FOUND'],
    async handle({ parameters: { id }, body, by }, { accountCommands }: OperatorNeeds) {
      const { added, balance } = await accountCommands.grantCredits(id, body, by);
      const { granted, used, reserved, remaining } = balance;
      return {
        added,
        grantedCreditsThisPeriod: granted,
        usedCreditsThisPeriod: used,
        reservedCreditsThisPeriod: reserved,
        remainingCreditsThisPeriod: remaining,
      };
    },
  }),
  operatorOperation({
    operationId: 'suspendAccount',
    method: 'post',
    path: '/v1/operator/accounts/{id}/suspend',
    summary: 'Suspend an account',
    description: 'Requests of the account fail with ACCOUNT_SUSPENDED. Accepted work continues.',
    parameters,
    answer: account,
    failures: ['NOT_FOUND'],
    handle: ({ parameters: { id }, by }, { accountCommands }: OperatorNeeds) => accountCommands.suspendAccount(id, by),
  }),
  operatorOperation({
    operationId: 'resumeAccount',
    method: 'post',
    path: '/v1/operator/accounts/{id}/resume',
    summary: 'Resume a suspended account',
    parameters,
    answer: account,
    failures: ['NOT_FOUND'],
    handle: ({ parameters: { id }, by }, { accountCommands }: OperatorNeeds) => accountCommands.resumeAccount(id, by),
  }),
  operatorOperation({
    operationId: 'deleteAccount',
    method: 'delete',
    path: '/v1/operator/accounts/{id}',
    summary: 'Delete an account',
    description:
      'Keys, sessions and webhook endpoints are deleted at once, and files within minutes. The ledger, the audit log and a receipt remain.',
    parameters,
    answer: ok(
      'The account with its receipt. The deletion is complete when `deletion.finishedAt` is set.',
      schemas.accountSchema,
    ),
    failures: ['NOT_FOUND'],
    handle: ({ parameters: { id }, by }, { accountCommands }: OperatorNeeds) => accountCommands.deleteAccount(id, by),
  }),
  operatorOperation({
    operationId: 'listPlans',
    method: 'get',
    path: '/v1/operator/plans',
    summary: 'List plans',
    answer: wholeList(schemas.planSchema),
    handle: (_request, { accountCommands }: OperatorNeeds) => accountCommands.listPlans(),
  }),
  operatorOperation({
    operationId: 'savePlan',
    method: 'put',
    path: '/v1/operator/plans/{id}',
    summary: 'Add a plan, or change one',
    description: 'A change applies from the next request of each account on that plan.',
    parameters: z.strictObject({ id: schemas.planId }),
    body: schemas.planBody,
    example: {
      name: 'Studio',
      maxResolution: 900,
      creditsPerPeriod: 20_000,
      requestsPerMinute: 6000,
      jobsAtOnce: 500,
      fairnessWeight: 3,
      maxStoredBytes: 500_000_000_000,
    },
    answer: ok('The plan.', schemas.planSchema),
    handle: ({ parameters: { id }, body, by }, { accountCommands }: OperatorNeeds) =>
      accountCommands.putPlan({ id, ...body }, by),
  }),
  operatorOperation({
    operationId: 'getUsage',
    method: 'get',
    path: '/v1/operator/usage',
    summary: 'Report usage by account, day and kind of file',
    description: `Counts enhancements by the day in UTC on which they ended. A report covers at most ${MAX_USAGE_DAYS} days.`,
    query: z.strictObject({
      accountId: idParameter('acc').optional(),
      since: day.optional().meta({ description: 'First day; default: 30 days before the last.' }),
      until: day.optional().meta({ description: 'Last day; default: today.' }),
      format: z.enum(['json', 'csv']).default('json'),
    }),
    answer: sentByHandler({
      '200': {
        description: 'The report.',
        content: {
          'application/json': { schema: z.object({ items: z.array(schemas.usageRowSchema) }) },
          'text/csv': { schema: { type: 'string' } },
        },
      },
    }),
    async handle({ query, res }, { accountCommands, now }: OperatorNeeds) {
      const { accountId, format, ...days } = query;
      const period = usagePeriod(days, now());
      const rows = await accountCommands.usage({ accountId, ...period });
      if (format === 'json') return sendJson(res, { items: rows });
      const filename = `usage-${period.since.slice(0, 10)}.csv`;
      res.type('text/csv').set('Content-Disposition', `attachment; filename="${filename}"`).send(usageCsv(rows));
    },
  }),
  operatorOperation({
    operationId: 'getQueue',
    method: 'get',
    path: '/v1/operator/queue',
    summary: 'Show the queue by account, and workers',
    answer: ok('Accounts with work, in descending order of their enhancements.', schemas.queueSchema),
    async handle(
      _request,
      deps: {
        usage: UsageStore;
        accounts: Pick<Accounts, 'get'>;
        workersAway?: (() => WorkersAway) | undefined;
        fleet?: (() => Promise<Fleet>) | undefined;
        version: string;
      },
    ) {
      const items = await Promise.all(
        (await deps.usage.queue(QUEUED_ACCOUNTS)).map(async ({ accountId, counts }) => ({
          accountId,
          accountName: (await deps.accounts.get(accountId))?.name ?? '',
          counts,
        })),
      );
      const away = deps.workersAway?.() ?? { main: false, engine: false };
      const fleet = (await deps.fleet?.()) ?? { ...NO_FLEET, version: deps.version };
      return { items, workers: { main: !away.main, engine: !away.engine }, ...fleet };
    },
  }),
  operatorOperation({
    operationId: 'listOperatorAuditEntries',
    method: 'get',
    path: '/v1/operator/audit',
    summary: 'List the audit log of an account, or of the instance',
    query: listAuditQuery.extend({
      accountId: idParameter('acc')
        .optional()
        .meta({ description: 'Id of the account. Absent: entries about plans and sessions of the operator.' }),
    }),
    answer: page(auditEntrySchema),
    handle: async ({ query: { accountId = null, ...query } }, { audit }: OperatorNeeds) =>
      mapPage(await audit.list(accountId, auditRequest(query)), representEntry),
  }),
];

/** Removes undefined fields. */
function defined<T extends object>(body: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as never;
}
