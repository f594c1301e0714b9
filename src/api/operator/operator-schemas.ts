import { z } from 'zod';
import {
  ACCOUNT_TIERS,
  MAX_ACCOUNT_NAME_LENGTH,
  RETENTION_DAYS,
  PLAN_BOUNDS,
  PLAN_ID,
  SEED_PLANS,
  OPEN_ENHANCEMENT_STATUSES,
} from '@burnish/contract';
import { recordId, timestamp, isPlainText, plainText } from '../schemas/fields.ts';

const name = z
  .string()
  .trim()
  .min(1)
  .max(MAX_ACCOUNT_NAME_LENGTH)
  .refine(isPlainText, 'expected text without control characters')
  .meta({ description: 'Display name of the account.', example: 'Print shop Miller' });
const within = ({ min, max }: { min: number; max: number }) => z.int().min(min).max(max);
const days = within(RETENTION_DAYS);
const bounds = PLAN_BOUNDS;

export const planId = z
  .string()
  .regex(PLAN_ID, 'expected capital letters, digits and _')
  .meta({ description: 'Id of the plan.', example: 'BUSINESS' });

const planFacts = {
  name: name.meta({ description: 'Display name of the plan.', example: 'Business' }),
  maxResolution: within(bounds.maxResolution).meta({ description: 'Highest resolution of PDF images, DPI.' }),
  creditsPerPeriod: within(bounds.creditsPerPeriod).meta({ description: 'Credits per calendar month.' }),
  requestsPerMinute: within(bounds.requestsPerMinute).meta({
    description: 'Requests per minute of one account at each gateway.',
  }),
  jobsAtOnce: within(bounds.jobsAtOnce).meta({
    description:
      'Enhancements of one account that may wait or run at the same time, and uploads that may wait for a file or its check.',
  }),
  fairnessWeight: within(bounds.fairnessWeight).meta({
    description: 'Share of a full queue: an account with weight 4 gets four tasks for one of an account with weight 1.',
  }),
  maxStoredBytes: within(bounds.maxStoredBytes).meta({
    description: 'Bytes of originals and results that one account may store.',
    example: SEED_PLANS.BASIC.maxStoredBytes,
  }),
};
export const planBody = z.strictObject(planFacts);
export const planSchema = z.object({ id: planId, ...planFacts }).meta({ id: 'Plan' });

const ofPlan = (what: string) => ({ description: `${what}. Null: the value of the plan.` });
const limits = {
  creditsPerPeriod: planFacts.creditsPerPeriod.nullable().meta(ofPlan('Credits per calendar month')),
  requestsPerMinute: planFacts.requestsPerMinute.nullable().meta(ofPlan('Requests per minute at each gateway')),
  jobsAtOnce: planFacts.jobsAtOnce.nullable().meta(ofPlan('Enhancements that may wait or run at the same time')),
  maxStoredBytes: planFacts.maxStoredBytes.nullable().meta(ofPlan('Bytes of originals and results that may be stored')),
  minRetentionDays: days.meta({ description: 'Shortest retention that the account may choose, days.' }),
  maxRetentionDays: days.meta({ description: 'Longest retention that the account may choose, days.' }),
  allowedTiers: z
    .array(z.enum(ACCOUNT_TIERS))
    .min(1)
    .max(ACCOUNT_TIERS.length)
    .refine((tiers) => tiers.some((tier) => tier !== 'DETAIL'), 'Expected one of FINE, FAST and PLAIN too, for `AUTO`.')
    .nullable()
    .meta({ description: 'Permitted tiers. Null: all tiers. `AUTO` chooses the best of them, and never DETAIL.' }),
};

export const accountChangeBody = z.strictObject({ name, plan: planId, ...limits }).partial();
export const newAccountBody = accountChangeBody.extend({ name, plan: planId.default('FREE') });

export const topUpBody = z.strictObject({
  credits: within({ min: 1, max: 1_000_000_000 }).meta({ description: 'Credits to add to the current period.' }),
  reference: plainText(200).meta({
    description: 'Reference of the top-up, such as an invoice number. Credits are added once for each reference.',
    example: 'invoice-4711',
  }),
});

const moment = timestamp.nullable();
const receipt = z
  .object({
    orderedAt: timestamp,
    finishedAt: moment.meta({ description: 'Null while files are being deleted.' }),
    uploads: z.int(),
    results: z.int().meta({ description: 'Results of enhancements.' }),
    bytes: z.number().meta({ description: 'Bytes of originals and results.' }),
    apiKeys: z.int(),
    webhookEndpoints: z.int(),
  })
  .meta({ id: 'AccountReceipt' });

export const accountSchema = z
  .object({
    id: recordId('acc'),
    name,
    plan: planId,
    status: z.enum(['ACTIVE', 'SUSPENDED', 'DELETED']),
    ...limits,
    effective: z
      .object({ creditsPerPeriod: z.int(), requestsPerMinute: z.int(), jobsAtOnce: z.int(), maxStoredBytes: z.int() })
      .meta({ description: 'Effective limits: the values of the account, or of its plan.' }),
    retentionDays: days.meta({ description: 'Retention that the account has chosen for new uploads, days.' }),
    openEnhancements: z.int().meta({ description: 'Enhancements that wait or run.' }),
    storedBytes: z.int().meta({ description: 'Bytes of originals and results, and of files on their way.' }),
    remainingCreditsThisPeriod: z.number().nullable().meta({ description: 'Null for a deleted account.' }),
    createdAt: timestamp,
    suspendedAt: moment,
    deletedAt: moment,
    testOf: recordId('acc').nullable().meta({
      description: 'Account that this is the test account of. Null for any other account.',
    }),
    deletion: receipt.nullable().meta({ description: 'Deleted items. Null for an account that is not deleted.' }),
  })
  .meta({ id: 'OperatorAccount' });
export type AccountRepresentation = z.infer<typeof accountSchema>;

export const newAccountSchema = z.object({
  account: accountSchema,
  apiKey: z.string().meta({ description: 'The first API key of the account. It is shown only once.' }),
});

export const topUpSchema = z.object({
  added: z.boolean().meta({ description: 'False for a reference that was already used.' }),
  grantedCreditsThisPeriod: z.number(),
  usedCreditsThisPeriod: z.number(),
  reservedCreditsThisPeriod: z.number(),
  remainingCreditsThisPeriod: z.number(),
});

export const usageRowSchema = z
  .object({
    accountId: recordId('acc'),
    accountName: z.string(),
    day: z.iso.date().meta({ description: 'Day in UTC.' }),
    kind: z.enum(['image', 'pdf']),
    finished: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    reused: z.int().meta({ description: 'Finished enhancements that reused an earlier result at no charge.' }),
    credits: z.number().meta({ description: 'Charged credits.' }),
    resultBytes: z.number(),
    engineMs: z.number().meta({ description: 'Engine time in milliseconds.' }),
  })
  .meta({ id: 'UsageRow' });

export const queueSchema = z.object({
  items: z.array(
    z.object({
      accountId: recordId('acc'),
      accountName: z.string(),
      counts: z
        .partialRecord(z.enum(OPEN_ENHANCEMENT_STATUSES), z.int())
        .meta({ description: 'Enhancements by status.' }),
    }),
  ),
  workers: z
    .object({ main: z.boolean(), engine: z.boolean() })
    .meta({ description: 'Whether workers of each role polled in the last 10 seconds.' }),
  processes: z
    .array(
      z.object({
        taskQueue: z.string(),
        process: z.string().meta({ description: 'Process id and host.', example: '1234@worker-1' }),
        version: z
          .string()
          .nullable()
          .meta({ description: 'Version of Burnish with its commit. Null for a worker that does not name it.' }),
        polledAt: timestamp,
      }),
    )
    .meta({ description: 'The workers that polled in the last five minutes, by task queue.' }),
  version: z.string().meta({ description: 'Version and commit of the gateway.', example: '1.0.0+0a1b2c3d4e5f' }),
  uploads: z.array(z.object({ version: z.string(), open: z.int() })).meta({
    description:
      'Open uploads by the version that ran their workflow. An upload counts for each version since it last continued as new.',
  }),
  uploadsOfEarlierVersions: z.int().meta({ description: 'Open uploads that no version of `uploads` has run yet.' }),
  deployment: z
    .object({
      name: z.string(),
      builds: z.array(
        z.object({
          version: z.string(),
          state: z.enum(['CURRENT', 'RAMPING', 'INACTIVE']).meta({
            description:
              '`RAMPING` builds get a share of the work beside the current build, `INACTIVE` builds get none.',
          }),
          share: z.number().meta({ description: 'Percentage of the workflows that continue on this build.' }),
          open: z.int().meta({ description: 'Open uploads that ran last on this build.' }),
        }),
      ),
    })
    .nullable()
    .meta({
      description: 'The worker deployment with its builds, newest first. Null without `BURNISH_WORKER_DEPLOYMENT`.',
    }),
});
