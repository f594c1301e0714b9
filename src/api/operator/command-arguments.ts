import { z } from 'zod';
import { ENDPOINT_SCOPES, SCOPES } from '@burnish/contract';
import type { AllOperatorCommands } from './all-operator-commands.ts';
import { newBucketBody } from './bucket-schemas.ts';
import { accountChangeBody, newAccountBody, planBody, planId, topUpBody } from './operator-schemas.ts';

const id = z.string().max(200);

/** The arguments of each command of the operator, as the command line sends them to a running instance. */
export const COMMAND_ARGUMENTS = {
  topUp: z.tuple([z.strictObject({ credits: z.number(), reference: z.string() })]),
  credits: z.tuple([]),
  ledger: z.tuple([z.strictObject({ limit: z.number(), after: z.string().exactOptional() })]),
  listApiKeys: z.tuple([z.strictObject({ includeInternal: z.boolean() }).optional()]),
  createApiKey: z.tuple([
    z.string(),
    z
      .strictObject({
        scopes: z.array(z.enum(SCOPES)).max(20).optional(),
        expiresAt: z.string().optional(),
        test: z.boolean().optional(),
      })
      .optional(),
  ]),
  deleteApiKey: z.tuple([z.string()]),
  signInLink: z.tuple([]),
  rotateSigningKey: z.tuple([z.boolean()]),
  operatorKey: z.tuple([]),
  createAccount: z.tuple([newAccountBody]),
  listAccounts: z.tuple([z.strictObject({ limit: z.number(), after: z.string().max(100).optional() })]),
  showAccount: z.tuple([id]),
  changeAccount: z.tuple([id, accountChangeBody]),
  grantCredits: z.tuple([id, topUpBody]),
  suspendAccount: z.tuple([id]),
  resumeAccount: z.tuple([id]),
  deleteAccount: z.tuple([id]),
  createBucket: z.tuple([id, newBucketBody]),
  listBuckets: z.tuple([id]),
  deleteBucket: z.tuple([id, id]),
  createEndpoint: z.tuple([
    z.strictObject({ name: z.string(), accountId: id, scopes: z.array(z.enum(ENDPOINT_SCOPES)).max(20).optional() }),
  ]),
  rotateEndpointToken: z.tuple([id, z.boolean()]),
  listEndpoints: z.tuple([]),
  deleteEndpoint: z.tuple([id]),
  checkStorage: z.tuple([z.strictObject({ after: id.optional(), bytesPerSecond: z.number().positive() })]),
  workers: z.tuple([]),
  listPlans: z.tuple([]),
  putPlan: z.tuple([planBody.extend({ id: planId })]),
  usage: z.tuple([z.strictObject({ accountId: id.optional(), since: z.iso.datetime(), until: z.iso.datetime() })]),
  auditLog: z.tuple([
    z.strictObject({
      limit: z.number(),
      after: z.string().max(500).optional(),
      since: z.iso.datetime().optional(),
      until: z.iso.datetime().optional(),
    }),
  ]),
  promoteBuild: z.tuple([z.strictObject({ build: z.string(), percent: z.int().min(1).max(99).optional() })]),
  buildWork: z.tuple([z.string()]),
} satisfies Record<keyof AllOperatorCommands, z.ZodType>;
