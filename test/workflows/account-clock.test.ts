import { expect, it } from '@jest/globals';
import { clockAdvanced } from '../../src/domain/temporal/workflow-interface.ts';
import { until } from '../support/until.ts';
import { useLifecycle } from './use-lifecycle.ts';

const lifecycle = useLifecycle();

it('a workflow counts an advance of the clock once, also if it arrives twice', async () => {
  const { handle, enhancementIds } = await lifecycle.start({ enhancements: [{ maxCredits: 0 }] });
  await lifecycle.enhancementReaches(enhancementIds[0]!, 'AWAITING_APPROVAL');
  for (const id of ['first', 'first', 'second']) await handle.signal(clockAdvanced, { seconds: 60, id });
  await handle.signal(clockAdvanced, { seconds: 10_000, id: 'last' });
  const { memo } = await until(
    () => handle.describe(),
    (description) => Number(description.memo?.['clockAdvancedMs'] ?? 0) >= 10_000_000,
  );
  expect(memo).toMatchObject({ clockAdvancedMs: 10_120_000 });
  await handle.terminate();
});
