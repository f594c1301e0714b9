import { createNexusServiceClient, proxyLocalActivities, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import * as nexus from 'nexus-rpc';

const { readToken } = proxyLocalActivities<{ readToken(): Promise<string> }>({ startToCloseTimeout: '5 seconds' });

/** Sends the token of the endpoint with each operation. */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  outbound: [
    {
      startNexusOperation: async (input, next) =>
        next({ ...input, headers: { ...input.headers, 'burnish-token': await readToken() } }),
    },
  ],
});

interface Enhancement {
  id: string;
  fullUrl: string;
  chargedCredits: number;
}

const burnish = nexus.service('burnish', {
  enhance: nexus.operation<{ source: { url: string }; enhancement: object }, Enhancement>(),
});

export async function publishPhoto(url: string): Promise<string> {
  const client = createNexusServiceClient({ service: burnish, endpoint: 'shop' });
  const { fullUrl } = await client.executeOperation(
    'enhance',
    { source: { url }, enhancement: { upscalingFactor: 'X2' } },
    { scheduleToCloseTimeout: '1 day' },
  );
  return fullUrl;
}
