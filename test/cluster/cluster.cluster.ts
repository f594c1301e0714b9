import '../setup/quiet-temporal.ts';
import { afterAll, beforeAll } from '@jest/globals';
import { type WebhookReceiver, webhookReceiver } from '../e2e/webhook-receiver.ts';
import { startWholeCluster, type WholeCluster } from './cluster.ts';
import { faultTests } from './fault-tests.ts';
import { lifecycleTests } from './lifecycle-tests.ts';
import { nexusTests } from './nexus-tests.ts';
import { temporalKind } from './temporal.ts';
import { temporalNodeTests } from './temporal-node-tests.ts';

let receiver: WebhookReceiver | undefined;
let whole: WholeCluster | undefined;
beforeAll(async () => {
  receiver = await webhookReceiver();
  whole = await startWholeCluster({ env: { BURNISH_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${receiver.port}` } });
});
afterAll(async () => {
  await whole?.cluster[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

// All tests share one cluster, because its start takes most of the time.
nexusTests(() => whole!);
lifecycleTests(() => ({ ...whole!, receiver: receiver! }));
faultTests(() => whole!);
if (temporalKind() === 'nodes') temporalNodeTests(() => whole!);
