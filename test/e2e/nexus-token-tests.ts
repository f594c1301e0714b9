import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { EnhancementRepresentation } from '@burnish/contract';
import { expectNamed } from '../support/expect-named.ts';
import { portsOf } from '../support/listeners.ts';
import { until } from '../support/until.ts';
import type { History } from '../workflows/history-file.ts';
import type { Instance } from './instance.ts';
import {
  type CallOptions,
  failureOf,
  type NexusCallers,
  printedToken,
  SHOP,
  smallSource,
  STRANGER,
} from './nexus-callers.ts';
import { commandLine, processTree } from './processes.ts';
import { callersSpan, type TraceCollector } from './trace-collector.ts';

const X2 = { upscalingFactor: 'X2' } as const;
const GUESSES = 100;

interface Opened {
  callers: NexusCallers;
  instance: Instance;
  collector: TraceCollector;
  /** Runs a command of the operator. @returns its output */
  burnish(...args: string[]): Promise<string>;
}

/** What proves a call over Nexus: tests of the tokens and scopes of endpoints. */
export function nexusTokenTests(open: () => Opened): void {
  describe('the token of an endpoint', () => {
    let opened: Opened;
    let callers: NexusCallers;
    let mine: EnhancementRepresentation;
    let token: string;
    beforeAll(async () => {
      opened = open();
      ({ callers } = opened);
      token = callers.memo().headers['burnish-token']!;
      mine = (await callers.call('enhance', { source: await smallSource(), enhancements: [X2] })) as typeof mine;
    });

    /** Code of the failure of a read, or the result's status */
    const read = async (given: string, options: CallOptions = {}): Promise<string> => {
      const headers = { 'burnish-token': given };
      const reading = callers.call('getEnhancement', { enhancementId: mine.id }, { ...options, headers });
      const done = reading.then((result) => (result as EnhancementRepresentation).status as string);
      return await done.catch(async () => (await failureOf(reading)).code);
    };

    test('opens its endpoint to any namespace, and no other text does', async () => {
      expect(await read(token, { namespace: STRANGER })).toBe('FINISHED');
      const texts = [
        '',
        'a guess',
        `${token}x`,
        token.slice(0, -1),
        token.toUpperCase(),
        `${token}${'x'.repeat(3_000)}`,
      ];
      for (const text of texts) expectNamed(await read(text), text.slice(0, 60)).toBe('FORBIDDEN');
    });

    test('belongs to one endpoint and account, has one successor at a time, and ends with its endpoint', async () => {
      const endpoint = 'other-shop';
      await opened.burnish('accounts', 'create', 'Neighbour');
      const first = printedToken(
        await opened.burnish('endpoints', 'create', endpoint, '--account', 'Neighbour', '--json'),
      );
      expect(await read(first)).toBe('FORBIDDEN');
      expect(await read(token, { endpoint })).toBe('FORBIDDEN');
      const rotate = async (...more: string[]) =>
        printedToken(await opened.burnish('endpoints', 'rotate', endpoint, '--json', ...more));
      const codes = (...texts: string[]) => Promise.all(texts.map((text) => read(text, { endpoint })));
      const second = await rotate();
      // The record is one of another account.
      expect(await codes(first, second)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
      const third = await rotate();
      expect(await codes(first, second, third)).toEqual(['FORBIDDEN', 'NOT_FOUND', 'NOT_FOUND']);
      const fourth = await rotate('--at-once');
      expect(await codes(third, fourth)).toEqual(['FORBIDDEN', 'NOT_FOUND']);
      await opened.burnish('endpoints', 'delete', endpoint);
      await opened.burnish('endpoints', 'create', endpoint, '--account', 'Neighbour');
      expect(await codes(fourth)).toEqual(['FORBIDDEN']);
    });

    test('names no bucket, destination or webhook address without their scopes', async () => {
      const endpoint = 'narrow-shop';
      const headers = {
        'burnish-token': printedToken(
          await opened.burnish('endpoints', 'create', endpoint, '--account', 'Default', '--json'),
        ),
      };
      const source = await smallSource();
      const count = async () =>
        (await opened.instance.api.get<{ items: unknown[] }>('/v1/uploads?limit=100')).body.items.length;
      const before = await count();
      const destination = { bucket: 'results', key: 'out/{name}' };
      const orders: [string, object][] = [
        ['buckets', { source: { bucket: 'photos', key: 'in/1.jpg' }, enhancements: [X2] }],
        ['destinations', { source, enhancements: [{ ...X2, destination }] }],
        ['webhooks', { source, enhancements: [X2], webhookUrl: 'https://example.com/hooks' }],
      ];
      for (const [scope, order] of orders) {
        expect(await failureOf(callers.call('enhance', order, { endpoint, headers }))).toEqual({
          code: 'FORBIDDEN',
          text: expect.stringContaining(`The endpoint ${endpoint} lacks the scope ${scope}.`),
        });
      }
      expect(await count()).toBe(before);
    });

    test('cancels operations of its account alone, also for calls to the HTTP interface of the server', async () => {
      const calling = await callers.shop.workflow.start('call', {
        args: [SHOP, 'enhance', { source: await smallSource(), enhancements: [{ ...X2, maxCredits: 0 }] }],
        taskQueue: SHOP,
        workflowId: randomUUID(),
        memo: callers.memo(),
      });
      const { api } = opened.instance;
      const [{ id }] = await until(
        async () =>
          (await api.get<{ items: { id: string }[] }>('/v1/enhancements?status=AWAITING_APPROVAL')).body.items as [
            { id: string },
          ],
        (items) => items.length === 1,
      );
      const other = printedToken(
        await opened.burnish('endpoints', 'create', 'third-shop', '--account', 'Neighbour', '--json'),
      );
      const send = await overHttp(opened);
      const status = async () => (await api.get<{ status: string }>(`/v1/enhancements/${id}`)).body.status;
      expect(await send('third-shop', `operation/${id}`, other)).toBe(404);
      expect(await send(SHOP, `operation/${id}`, '')).toBe(403);
      expect(await send(SHOP, `upload/${mine.uploadId}`, token)).toBe(404);
      expect(await status()).toBe('AWAITING_APPROVAL');
      expect(await send(SHOP, `operation/${id}`, token)).toBe(202);
      await expect(calling.result()).rejects.toThrow();
      expect(await status()).toBe('CANCELLED');
    });

    test(`lets a caller through beside ${GUESSES} guesses at once`, async () => {
      const guesses = Array.from({ length: GUESSES }, (_, index) => read(`guess ${index}`, { namespace: STRANGER }));
      const calm = Array.from({ length: 5 }, async () =>
        callers.call('enhance', { source: await smallSource(), enhancements: [X2] }),
      );
      expect((await Promise.all(calm)).map((each) => (each as EnhancementRepresentation).status)).toEqual(
        calm.map(() => 'FINISHED'),
      );
      expect(new Set(await Promise.all(guesses))).toEqual(new Set(['FORBIDDEN']));
    });

    test('is in no history, log, span or audit entry of ours, and in the history of its caller', async () => {
      const traced = callersSpan();
      const { traceparent } = traced;
      await callers.call('getEnhancement', { enhancementId: mine.id }, { headers: { traceparent } });
      const own = new Client({ connection: callers.shop.connection });
      expect(await historiesWith(callers.shop, token)).toBeGreaterThan(0);
      expect(await historiesWith(own, `operation/${mine.id}`)).toBeGreaterThan(0);
      expect(await historiesWith(own, token)).toBe(0);
      const { instance, collector } = opened;
      expect(instance.output()).toContain('/v1/enhancements');
      expect(instance.output()).not.toContain(token);
      await collector.traceOf(traced, 'RunStartNexusOperation:burnish/getEnhancement');
      expect(collector.text()).not.toContain(token);
      const audit = await instance.api.get<{ items: unknown[] }>('/v1/audit?limit=100');
      expect(JSON.stringify(audit.body)).toContain('endpoint.create');
      expect(JSON.stringify(audit.body)).not.toContain(token);
    });
  });
}

/** Histories of a namespace whose events or payloads contain a text. */
async function historiesWith(client: Client, text: string): Promise<number> {
  let found = 0;
  for await (const { history } of client.workflow.list().intoHistories()) {
    const isWithin = (value: unknown): boolean => {
      if (value instanceof Uint8Array) return Buffer.from(value).includes(text);
      if (typeof value === 'string') return value.includes(text);
      return typeof value === 'object' && value !== null && Object.entries(value).flat().some(isWithin);
    };
    if (isWithin((history as History).events)) found += 1;
  }
  return found;
}

/** Asks the HTTP interface of the embedded server to cancel an operation. @returns the status of the answer */
async function overHttp({ instance, callers }: Opened) {
  const { endpoints } = await callers.connection.operatorService.listNexusEndpoints({});
  const server = processTree(instance.pid).find((each) => commandLine(each).includes('start-dev'))!;
  const cancel = async (port: number, endpoint: string, workflowId: string, token: string): Promise<number> => {
    const { id } = endpoints.find(({ spec }) => spec!.name === endpoint)!;
    const operation = Buffer.from(JSON.stringify({ t: 1, ns: 'default', wid: workflowId })).toString('base64url');
    const response = await fetch(`http://127.0.0.1:${port}/nexus/endpoints/${id}/services/burnish/enhance/cancel`, {
      method: 'POST',
      headers: { 'nexus-operation-token': operation, ...(token !== '' && { 'burnish-token': token }) },
      signal: AbortSignal.timeout(15_000),
    });
    return response.status;
  };
  for (const port of portsOf(server.pid)) {
    // Only Burnish asks for a token: other ports of the server know no such path or protocol.
    const status = await cancel(port, SHOP, 'operation/none', '').catch(() => 0);
    if (status === 403) return cancel.bind(null, port);
  }
  throw new Error('No port of the embedded server speaks Nexus.');
}
