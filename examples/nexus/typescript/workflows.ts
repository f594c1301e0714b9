import { createNexusServiceClient } from '@temporalio/workflow';
import { burnishService } from '@burnish/client/workflow';

export async function publishPhoto(url: string): Promise<string | null> {
  const client = createNexusServiceClient({ service: burnishService, endpoint: 'shop' });
  const { fullUrl } = await client.executeOperation(
    'enhance',
    { source: { url }, enhancements: [{ upscalingFactor: 'X2' }] },
    { scheduleToCloseTimeout: '1 day' },
  );
  return fullUrl;
}
