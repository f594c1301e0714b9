import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { beforeAll, expect, test } from '@jest/globals';
import type { EnhancementRepresentation } from '@burnish/contract';
import { until } from '../support/until.ts';
import type { Api } from './api.ts';
import { failureOf, type NexusCallers, SHOP, smallSource, STRANGER } from './nexus-callers.ts';

const X2 = { upscalingFactor: 'X2' } as const;

/** Tests the operations at an instance and at a cluster. @param opened returns the callers, and the API of their account */
export function nexusOperationTests(opened: () => { callers: NexusCallers; api: Api }): void {
  let callers: NexusCallers;
  let api: Api;
  beforeAll(() => {
    ({ callers, api } = opened());
  });

  test('a workflow in another namespace sends a small file and gets the finished record with a URL of the result', async () => {
    const result = await callers.call('enhance', { source: await smallSource(), enhancements: [X2] });
    expect(result).toMatchObject({ status: 'FINISHED', width: 560, height: 400, provider: 'LOCAL' });
    const { fullUrl, uploadId } = result as EnhancementRepresentation;
    expect((await fetch(fullUrl!)).status).toBe(200);
    const { body } = await api.call<{ items: { id: string }[] }>('GET', '/v1/uploads');
    expect(body.items.map(({ id }) => id)).toContain(uploadId);
  });

  test('the operations estimate and getEnhancement answer at once, and enhance accepts an existing upload', async () => {
    const first = await callers.call('enhance', { source: await smallSource(), enhancements: [X2] });
    const { uploadId } = first as EnhancementRepresentation;
    const enhancements = [{ upscalingFactor: 'X4' }];
    const estimate = await callers.call('estimate', { uploadId, enhancements: [...enhancements, X2] });
    expect(estimate).toMatchObject({ credits: 8, enhancements: [{ credits: 4, notes: [] }, { credits: 4 }] });
    const second = await callers.call('enhance', { source: { uploadId }, enhancements });
    expect(second).toMatchObject({ uploadId, status: 'FINISHED', width: 1120 });
    const { id: enhancementId } = second as EnhancementRepresentation;
    expect(await callers.call('getEnhancement', { enhancementId })).toMatchObject({ id: enhancementId, width: 1120 });
  });

  test('the event of the caller links to the workflow of its operation, and that workflow links back', async () => {
    const done = await callers.call('enhance', { source: await smallSource(), enhancements: [X2] });
    const operationId = `operation/${(done as EnhancementRepresentation).id}`;
    const own = new Client({ connection: callers.shop.connection });
    const eventsOf = async (client: Client, workflowId: string) =>
      (await client.workflow.getHandle(workflowId).fetchHistory()).events!;
    const [began] = await eventsOf(own, operationId);
    // The server keeps the link with the callback that it serves.
    const callbacks = began!.workflowExecutionStartedEventAttributes!.completionCallbacks ?? [];
    const [back] = [began!, ...callbacks].flatMap(({ links }) => links ?? []);
    expect(back!.workflowEvent).toMatchObject({ namespace: SHOP });
    const events = await eventsOf(callers.shop, back!.workflowEvent!.workflowId!);
    const started = events.find(({ nexusOperationStartedEventAttributes }) => nexusOperationStartedEventAttributes);
    expect(started!.links).toMatchObject([{ workflowEvent: { namespace: 'default', workflowId: operationId } }]);
  });

  test('a cancelled caller cancels the enhancement and returns its credits', async () => {
    const source = await smallSource();
    const reserved = async () =>
      (await api.call<{ reservedCreditsThisPeriod: number }>('GET', '/v1/credits')).body.reservedCreditsThisPeriod;
    const outcome = callers.shop.workflow.execute('callAndCancel', {
      args: [SHOP, { source, enhancements: [{ ...X2, maxCredits: 0 }] }, 3_000],
      taskQueue: SHOP,
      workflowId: randomUUID(),
      memo: callers.memo(),
    });
    const waiting = '/v1/enhancements?status=AWAITING_APPROVAL';
    const [{ id }] = await until(
      async () => (await api.call<{ items: { id: string }[] }>('GET', waiting)).body.items as [{ id: string }],
      (items) => items.length === 1,
    );
    expect(await outcome).toBe('cancelled');
    expect((await api.call('GET', `/v1/enhancements/${id}`)).body).toMatchObject({ status: 'CANCELLED' });
    expect(await reserved()).toBe(0);
  });

  test('the link to a workflow of another namespace proves nothing, and an endpoint without an account is refused', async () => {
    const read = { enhancementId: 'enh_00000000000000000000000000' };
    // A header of the caller replaces the link that the server adds.
    const forged = {
      'burnish-token': '',
      'nexus-link': `<temporal:///namespaces/${SHOP}/workflows/a/${randomUUID()}/history?eventID=5&eventType=NexusOperationScheduled&referenceType=EventReference>; type="temporal.api.common.v1.Link.WorkflowEvent"`,
    };
    expect(await failureOf(callers.call('getEnhancement', read, { namespace: STRANGER, headers: forged }))).toEqual({
      code: 'FORBIDDEN',
      text: expect.stringContaining('The call lacks the operation header burnish-token.'),
    });

    const target = { worker: { namespace: 'default', taskQueue: 'burnish-nexus' } };
    await callers.connection.operatorService.createNexusEndpoint({ spec: { name: 'unmapped', target } });
    expect(await failureOf(callers.call('getEnhancement', read, { endpoint: 'unmapped' }))).toEqual({
      code: 'FORBIDDEN',
      text: expect.stringContaining('burnish endpoints create unmapped'),
    });
  });
}
