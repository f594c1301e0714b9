import { describe, expect, it } from '@jest/globals';
import { sendUpdate } from '../../src/api/commands/workflow-commands.ts';
import { creditsChanged, deleteUpload, requestEnhancements } from '../../src/domain/temporal/workflow-interface.ts';
import { createDevEnvironment } from '../support/dev-server.ts';
import { withShortHistory, workflowBundle } from '../support/workflow-bundle.ts';
import { useLifecycle } from './use-lifecycle.ts';

/** Ids that tell the enhancements of this test from others. */
const FLOOD = 'enh_flood';

// On a whole server. The time-skipping one looks up the run that a workflow signals before it delivers: a run that goes on with a
// fresh history in between no longer takes the signal, and the sender is told that nobody is there. Only a whole server looks again.
describe('an upload that continues as new', () => {
  const lifecycle = useLifecycle({
    creditsPerPeriod: 1000,
    environment: createDevEnvironment,
    bundle: withShortHistory(workflowBundle),
  });

  it('receives every message that arrives at that moment', async () => {
    const { id, handle } = await lifecycle.start();
    await lifecycle.uploadReaches(id, 'UPLOAD_FINISHED');
    const { runId: firstRun } = await handle.describe();
    const current = lifecycle.env.client.workflow.getHandle(handle.workflowId);

    // Signals make the history long; in between come commands, some of which meet the very moment of the change.
    const ids: string[] = [];
    let roundsAfterChange = 0;
    while (roundsAfterChange < 3) {
      const round = ids.push(`${FLOOD}${String(ids.length).padStart(21, '0')}`);
      // Each differs, so that none is served by the result of another.
      const parameters = { outputQuality: round };
      const request = { id: ids.at(-1)!, parameters, maxCredits: null, creditWaitMs: 0 };
      const noise = Array.from({ length: 20 }, () => current.signal(creditsChanged));
      // As the gateway sends it: the server refuses one that comes too late into a task that then fails, and it is sent again.
      const about = { permitOf: 'acc_1', workflowId: handle.workflowId };
      const call = { ...about, update: requestEnhancements, args: [[request]] as [[typeof request]] };
      const command = sendUpdate(lifecycle.env.client, { ...call, updateId: request.id }, 20_000);
      const [{ runId }, outcome] = await Promise.all([current.describe(), command, ...noise]);
      expect(outcome).toMatchObject({ kind: 'done', value: [{ id: request.id }] });
      if (runId !== firstRun) roundsAfterChange += 1;
      else expect(round).toBeLessThan(90);
    }

    for (const enhancementId of ids) await lifecycle.enhancementReaches(enhancementId, 'FINISHED');
    expect((await current.describe()).status.name).toBe('RUNNING');
    const done = lifecycle.provider.calls.filter((call) => call.startsWith(`enhance ${FLOOD}`));
    expect(done).toHaveLength(ids.length);
    await current.executeUpdate(deleteUpload);
    expect(await lifecycle.filesOf(id)).toEqual([]);
  });
});
