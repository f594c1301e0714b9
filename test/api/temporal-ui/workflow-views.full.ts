import { expect, test } from '@jest/globals';
import { Failure, WORKFLOW_VIEWS, viewOfAccount } from '@burnish/contract';
import { parseAllowedHosts } from '../../../src/net/allowed-hosts.ts';
import { webhookReceiver } from '../../e2e/webhook-receiver.ts';
import { jpeg } from '../support/files.ts';
import { useLivingGateway } from '../support/living-gateway.ts';
import { poll } from '../../support/poll.ts';
import { useForFile } from '../../support/use-for.ts';

const living = useLivingGateway({ allowedPrivateHosts: parseAllowedHosts('127.0.0.1') });
const receiver = useForFile(webhookReceiver);

/** Sends another file each time, since the result of an equal one is copied. */
let files = 0;
async function send(enhancements: object[], more: Record<string, string> = {}): Promise<string> {
  const query = new URLSearchParams({ enhancements: JSON.stringify(enhancements), ...more });
  const response = await living.gateway.fetch(`/v1/uploads?${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'image/jpeg' },
    body: new Uint8Array(await jpeg((files += 1))),
  });
  const upload = (await response.json()) as { id: string };
  return `upload/${upload.id}`;
}

test('each view lists its workflows, and no others', async () => {
  const { provider, client, gateway } = living;
  const good = await send([{}]);
  const { enhancements } = gateway.records;
  const statusOf = async (upload: string) =>
    (await enhancements.listForUpload(gateway.account.id, upload.slice('upload/'.length))).map(({ status }) => status);
  await poll(() => statusOf(good), { timeout: 30_000 }).toEqual(['FINISHED']);
  const waiting = await send([{ upscalingFactor: 'X2', maxCredits: 1 }]);
  receiver.answerWith(500);
  const undelivered = await send([], { webhookUrl: `${receiver.url}/dead` });
  provider.script.enhance = () => Promise.reject(new Failure('CORRUPT_FILE'));
  const failed = await send([{ sharpening: 0.5 }]);
  const view = async (id: string): Promise<string[]> => {
    const { query } = viewOfAccount(
      WORKFLOW_VIEWS.find((each) => each.id === id)!,
      gateway.account.id,
    );
    const ids = [];
    for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
    return ids;
  };
  const uploads = [good, waiting, undelivered, failed].toSorted();
  await poll(() => view('burnish-failed'), { timeout: 30_000 }).toEqual([failed]);
  await poll(() => view('burnish-people'), { timeout: 30_000 }).toEqual([waiting]);
  expect(await view('burnish-machinery')).toEqual([]);
  expect((await view('burnish-uploads')).toSorted()).toEqual(uploads);
  await poll(() => view('burnish-deliveries'), { timeout: 30_000 }).toEqual([expect.stringMatching(/^delivery\//)]);
  delete provider.script.enhance;
});
