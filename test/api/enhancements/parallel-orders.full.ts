import { expect, test } from '@jest/globals';
import { uploadWorkflowId } from '../../../src/domain/temporal/workflow-interface.ts';
import { poll } from '../../support/poll.ts';
import { jpeg } from '../support/files.ts';
import { useLivingGateway } from '../support/living-gateway.ts';

const ORDERS = 25;
const living = useLivingGateway();

/** As a backend does that makes several sizes of several presets. Temporal allows 10 unanswered updates to a workflow. */
test('25 orders of one upload at the same time are accepted, each once, by one run of its workflow', async () => {
  const { gateway, client } = living;
  const sent = await gateway.fetch('/v1/uploads', {
    method: 'POST',
    headers: { 'Content-Type': 'image/jpeg' },
    body: new Uint8Array(await jpeg(700)),
  });
  const { id } = await sent.json();
  const status = async (): Promise<string> => (await (await gateway.fetch(`/v1/uploads/${id}`)).json()).status;
  await poll(status, { timeout: 30_000 }).toBe('UPLOAD_FINISHED');
  const answers = await Promise.all(
    Array.from({ length: ORDERS }, async (_, index) => {
      const response = await gateway.fetch(`/v1/uploads/${id}/enhancements`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          enhancements: [{ noiseReductionProfilingMode: 'AUTO', noiseReductionProfilingStrength: index / 100 }],
        }),
      });
      const { enhancements: [{ id: ordered }] = [{ id: '' }], detail = '' } = await response.json();
      return { status: response.status, id: ordered as string, detail: detail as string };
    }),
  );
  const accepted = answers.filter((each) => each.status === 202).map((each) => each.id);
  // A slow machine may tell some to try again. These orders do not exist, unless they are withdrawn.
  expect(answers.filter((each) => each.status !== 202 && each.status !== 503)).toEqual([]);
  const withdrawn = answers.filter(({ detail }) => detail.includes('withdrawn'));
  const upload = await gateway.records.uploads.find(id);
  const existing = await gateway.records.enhancements.listForUpload(upload!.accountId, id);
  const told = existing.map((each) => each.id).filter((each) => accepted.includes(each));
  expect(told.sort()).toEqual(accepted.sort());
  expect(existing.length - accepted.length).toBeLessThanOrEqual(withdrawn.length);
  const { status: run, runId } = await client.workflow.getHandle(uploadWorkflowId(id)).describe();
  const history = await client.workflow.getHandle(uploadWorkflowId(id)).fetchHistory();
  expect([run.name, history.events![0]!.workflowExecutionStartedEventAttributes!.firstExecutionRunId]).toEqual([
    'RUNNING',
    runId,
  ]);
});
