import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection, type WorkflowFailedError } from '@temporalio/client';
import { type ApplicationFailure, NexusOperationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect } from '@jest/globals';
import { until } from '../support/until.ts';
import { picture } from './files.ts';

/** The namespace of a team with an endpoint of the same name, and one without. */
export const [SHOP, STRANGER] = ['shop', 'stranger'] as const;

export interface CallOptions {
  endpoint?: string;
  namespace?: string;
  /** Headers of the operation besides the token; `burnish-token` replaces it, and an empty one leaves it out */
  headers?: Record<string, string>;
}

/** Workers of two other teams at the Temporal server of an instance. */
export interface NexusCallers {
  connection: NativeConnection;
  /** Client of the namespace `shop` */
  shop: Client;
  /** Memo of a calling workflow, which sends these headers and the token of the endpoint `shop` */
  memo(headers?: Record<string, string>): { headers: Record<string, string> };
  /** Calls an operation from a workflow, by default one of the namespace `shop`, and returns its result */
  call(operation: string, input: object, options?: CallOptions): Promise<unknown>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The token that `burnish endpoints create … --json` or `rotate … --json` printed. */
export const printedToken = (printed: string): string => (JSON.parse(printed) as { token: string }).token;

/** @param address of the Temporal server, which gets two namespaces @param token of the endpoint `shop` */
export async function startNexusCallers(address: string, token: string): Promise<NexusCallers> {
  const connection = await NativeConnection.connect({ address });
  const clients = await Connection.connect({ address });
  const workers: { worker: Worker; run: Promise<void> }[] = [];
  const dispose = async (): Promise<void> => {
    for (const { worker, run } of workers) {
      worker.shutdown();
      await run;
    }
    await clients.close();
    await connection.close();
  };
  const clientOf = (namespace: string): Client => new Client({ connection: clients, namespace });
  try {
    for (const namespace of [SHOP, STRANGER]) {
      await connection.workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
      });
    }
    for (const namespace of [SHOP, STRANGER]) workers.push(await startCaller(connection, clientOf(namespace)));
  } catch (error) {
    await dispose();
    throw error;
  }
  const memo: NexusCallers['memo'] = (headers = {}) => {
    const all = Object.entries({ 'burnish-token': token, ...headers });
    return { headers: Object.fromEntries(all.filter(([, value]) => value !== '')) };
  };
  return {
    connection,
    shop: clientOf(SHOP),
    memo,
    call: (operation, input, { endpoint = SHOP, namespace = SHOP, headers = {} } = {}) =>
      clientOf(namespace).workflow.execute<(...args: unknown[]) => Promise<unknown>>('call', {
        args: [endpoint, operation, input],
        taskQueue: namespace,
        workflowId: randomUUID(),
        memo: memo(headers),
      }),
    [Symbol.asyncDispose]: dispose,
  };
}

/** The namespace is known to the whole server some seconds after its registration. */
async function startCaller(
  connection: NativeConnection,
  client: Client,
): Promise<{ worker: Worker; run: Promise<void> }> {
  const { namespace } = client.options;
  const workflowsPath = fileURLToPath(new URL('calling-workflow.ts', import.meta.url));
  const interceptors = { workflowModules: [workflowsPath] };
  const worker = await until(
    async () => {
      try {
        await client.workflowService.listWorkflowExecutions({ namespace });
        return await Worker.create({ connection, namespace, taskQueue: namespace, workflowsPath, interceptors });
      } catch {
        return undefined;
      }
    },
    (made) => made !== undefined,
    { withinMs: 60_000 },
  );
  return { worker: worker, run: worker.run() };
}

let seed = 0;

/** A new photograph between 20 kB, the least size of a file, and 32 kB, the largest in a payload. */
export async function smallPhoto(): Promise<Buffer> {
  const bytes = await picture(280, 200, { seed: ++seed }).jpeg({ quality: 90 }).toBuffer();
  expect(bytes.length).toBeGreaterThan(20_000);
  expect(bytes.length).toBeLessThan(32_768);
  return bytes;
}

export const smallSource = async (): Promise<{ data: string }> => ({ data: (await smallPhoto()).toString('base64') });

/** Code and text of the failure that ends the caller's workflow: those of its innermost cause. */
export async function failureOf(calling: Promise<unknown>): Promise<{ code: string; text: string }> {
  const error: unknown = await calling.then(
    () => expect('a failure').toBe('the outcome'),
    (reason: unknown) => reason,
  );
  const operation = (error as WorkflowFailedError).cause as NexusOperationFailure;
  expect(operation).toBeInstanceOf(NexusOperationFailure);
  let cause = operation.cause as ApplicationFailure;
  while (cause.cause !== undefined) cause = cause.cause as ApplicationFailure;
  return { code: cause.type ?? '', text: cause.message };
}
