import { WorkflowNotFoundError } from '@temporalio/common';
import * as temporalNexus from '@temporalio/nexus';
import * as nexus from 'nexus-rpc';
import { Readable } from 'node:stream';
import { z } from 'zod';
import {
  type NexusEndpoint,
  Failure,
  type EnhancementRepresentation,
  type OrderEstimateRepresentation,
} from '@burnish/contract';
import { checked, enhancementList } from '@burnish/contract/schemas';
import { requireById } from '../api/commands/checks.ts';
import type { Caller } from '../api/commands/command-types.ts';
import type { Commands } from '../api/commands.ts';
import { enhancementOrderSchema, toEnhancementOrders } from '../api/enhancements/enhancement-order-schemas.ts';
import { representEnhancement } from '../api/enhancements/enhancement-schemas.ts';
import type { FileUrls } from '../api/files/file-urls.ts';
import { receiveUpload, type ReceiveDeps } from '../api/uploads/receive/stage-file.ts';
import { bucketName } from '../api/enhancements/destination-schemas.ts';
import { sourceKey, toUploadOrder, uploadOrderShape } from '../api/uploads/upload-order-schemas.ts';
import { httpUrl } from '../api/schemas/fields.ts';
import { NEXUS_TASK_QUEUE, operationWorkflowId } from '../domain/temporal/operation-interface.ts';
import type { enhanceOperation } from '../workflows/index.ts';
import { toPriority } from '../domain/temporal/workflow-interface.ts';
import { assertEndpointScope, findCaller, type FindCallerDeps, proveEndpoint } from './find-caller.ts';
import { runCancellation, runOperation } from './run-operation.ts';
import type { Tickets } from './ticket.ts';
import type { Enhancements } from '../database/uploads/enhancements.ts';

export interface BurnishServiceDeps extends FindCallerDeps, ReceiveDeps {
  commands: Commands;
  enhancements: Pick<Enhancements, 'get'>;
  urls: FileUrls;
  tickets: Tickets;
  log: { error(facts: object, message: string): void };
}

/** Bytes of a file inside the payload of an operation. Larger files come by URL. */
const MAX_INLINE_BYTES = 32_768;
/** Base64 has four characters for each three bytes. */
const MAX_INLINE_LENGTH = 4 * Math.ceil(MAX_INLINE_BYTES / 3);

const source = z.union([
  z.strictObject({ url: httpUrl }),
  z.strictObject({ bucket: bucketName, key: sourceKey }),
  z.strictObject({ data: z.base64().max(MAX_INLINE_LENGTH) }),
  z.strictObject({ uploadId: z.string().max(60) }),
]);
const { filename, password, webhookUrl, provider, fallback } = uploadOrderShape;
const enhanceInput = z.strictObject({
  source,
  enhancements: enhancementList(enhancementOrderSchema, { max: 1 }),
  filename: filename.optional(),
  password: password.optional(),
  webhookUrl: webhookUrl.optional(),
  provider: provider.optional(),
  fallback: fallback.optional(),
});
const estimateInput = z.strictObject({
  uploadId: z.string().max(60),
  enhancements: enhancementList(enhancementOrderSchema),
});
const readInput = z.strictObject({ enhancementId: z.string().max(60) });

const namedWorkflow = z.object({ wid: z.string() });
const OPERATION_PREFIX = operationWorkflowId('');

export type EnhanceInput = z.input<typeof enhanceInput>;

/** The Nexus service `burnish`. Inputs and results have the fields of the REST interface. */
const burnishService = nexus.service('burnish', {
  enhance: nexus.operation<EnhanceInput, EnhancementRepresentation>(),
  estimate: nexus.operation<z.input<typeof estimateInput>, OrderEstimateRepresentation>(),
  getEnhancement: nexus.operation<z.input<typeof readInput>, EnhancementRepresentation>(),
});

/**
 * Handles the operations of callers in other namespaces. `enhance` is backed by the workflow `operation/<enhancement id>`,
 * which waits for the end of the enhancement.
 */
export function burnishServiceHandler(
  deps: BurnishServiceDeps,
): nexus.ServiceHandler<typeof burnishService.operations> {
  const { commands, log } = deps;
  const find = (ctx: nexus.OperationContext) => findCaller(deps, temporalNexus.operationInfo().endpoint, ctx);

  async function order(caller: Caller, input: z.infer<typeof enhanceInput>, requestId: string) {
    const { source: from, ...rest } = input;
    // A repeated attempt of the same operation has the same id, and therefore the same upload. The space keeps the key distinct
    // from every key that a caller can send.
    const key = `nexus ${requestId}`;
    if ('uploadId' in from) {
      const { enhancements: _, ...ofFile } = rest;
      assertNoUploadFields(ofFile);
      const [ordered] = await commands.requestEnhancements(caller, from.uploadId, toEnhancementOrders(rest), key);
      return ordered!;
    }
    const uploadOrder = toUploadOrder(rest);
    if ('bucket' in from) {
      const { enhancements } = await commands.createUploadFromBucket(
        caller,
        { ...uploadOrder, ...from },
        { key, made: false },
      );
      return enhancements[0]!;
    }
    const { enhancements } =
      'url' in from
        ? await commands.createUploadFromUrl(caller, { ...uploadOrder, url: from.url }, { key, made: false })
        : await commands.createUploadFromStored(
            caller,
            { ...uploadOrder, received: await receive(caller, from.data) },
            { key, made: false },
          );
    return enhancements[0]!;
  }

  const receive = ({ account }: Caller, data: string) => {
    const bytes = Buffer.from(data, 'base64');
    return receiveUpload(deps, { accountId: account.id, body: Readable.from([bytes]), declaredSize: bytes.byteLength });
  };

  const enhance = new temporalNexus.WorkflowRunOperationHandler<EnhanceInput, EnhancementRepresentation>((ctx, input) =>
    runOperation({ log, ctx }, async () => {
      const { caller, endpoint } = await find(ctx);
      const wanted = checked(enhanceInput, input, 'The input');
      assertScopes(endpoint, wanted);
      const { id: enhancementId, uploadId } = await order(caller, wanted, ctx.requestId);
      return await temporalNexus.startWorkflow<typeof enhanceOperation>(ctx, 'enhanceOperation', {
        workflowId: operationWorkflowId(enhancementId),
        taskQueue: NEXUS_TASK_QUEUE,
        args: [deps.tickets.issue({ enhancementId, uploadId }, endpoint)],
        workflowIdConflictPolicy: 'USE_EXISTING',
        priority: toPriority(caller.account.id, caller.plan, 'single'),
        staticSummary: `Waits for ${enhancementId} of the workflow upload/${uploadId}`,
      });
    }),
  );

  return nexus.serviceHandler(burnishService, {
    enhance: {
      start: (ctx, input) => enhance.start(ctx, input),
      /** The handler of the SDK cancels any workflow that a token names. This one cancels an operation of the same account. */
      cancel: (ctx, operationToken) =>
        runCancellation({ log, ctx }, async () => {
          const { accountId } = await proveEndpoint(deps, temporalNexus.operationInfo().endpoint, ctx);
          const { id } = await requireById('enh', enhancementOf(operationToken), (each) =>
            deps.enhancements.get(accountId, each),
          );
          await cancelUnlessOver(temporalNexus.getClient().workflow.getHandle(operationWorkflowId(id)));
        }),
    },
    estimate: (ctx, input) =>
      runOperation({ log, ctx }, async () => {
        const { caller } = await find(ctx);
        const { uploadId, ...order } = checked(estimateInput, input, 'The input');
        return await commands.estimate(caller, uploadId, toEnhancementOrders(order));
      }),
    getEnhancement: (ctx, input) =>
      runOperation({ log, ctx }, async () => {
        const { account } = (await find(ctx)).caller;
        const { enhancementId } = checked(readInput, input, 'The input');
        const found = await requireById('enh', enhancementId, (id) => deps.enhancements.get(account.id, id));
        return representEnhancement(found, deps.urls);
      }),
  });
}

/** @throws Failure FORBIDDEN for a source, a destination or a webhook URL that the endpoint may not name */
function assertScopes(
  endpoint: NexusEndpoint,
  { source, enhancements, webhookUrl }: z.infer<typeof enhanceInput>,
): void {
  if ('bucket' in source) assertEndpointScope(endpoint, 'buckets', 'source.bucket');
  if (enhancements[0]!.destination !== undefined)
    assertEndpointScope(endpoint, 'destinations', 'enhancements[0].destination');
  if (webhookUrl !== undefined) assertEndpointScope(endpoint, 'webhooks', 'webhookUrl');
}

/** The enhancement of an operation that the SDK named: base64 of JSON with the id of the workflow. Empty for any other text. */
function enhancementOf(operationToken: string): string {
  try {
    const { wid } = namedWorkflow.parse(JSON.parse(Buffer.from(operationToken, 'base64url').toString()));
    return wid.startsWith(OPERATION_PREFIX) ? wid.slice(OPERATION_PREFIX.length) : '';
  } catch {
    return '';
  }
}

async function cancelUnlessOver(operation: { cancel(): Promise<unknown> }): Promise<void> {
  try {
    await operation.cancel();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** Fields of a new file. @throws Failure BAD_USER_INPUT if an operation on an existing upload has one */
function assertNoUploadFields(fields: object): void {
  const [field] = Object.keys(fields);
  if (field === undefined) return;
  throw new Failure('BAD_USER_INPUT', {
    field,
    detail: `Field ${field} is for a new file, and not for an upload. Remove it.`,
  });
}
