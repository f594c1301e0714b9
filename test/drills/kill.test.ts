import { expect, test } from '@jest/globals';
import type { EnhancementRepresentation } from '../../src/domain/representations/enhancement.ts';
import { commandLine, killAtOnce, processorSeconds, processTree } from '../e2e/processes.ts';
import { until } from '../e2e/until.ts';
import { webhookReceiver } from '../e2e/webhook-receiver.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { expectSurvival, SLOW_ORDER, slowPhoto, startDrill } from './interrupted.ts';

/** Processor time; a decoder uses less before it receives a file */
const STARTED_AFTER_SECONDS = 1.5;

test('kill -9 during an enhancement, or of its decoder, loses nothing', async () => {
  await using folder = await temporaryFolder();
  await using receiver = await webhookReceiver();
  await using drill = await startDrill(folder.path, receiver);
  await expectSurvival(drill, receiver, 1, ({ api }, id) => api.reached(id, 'PROCESSING'));

  // Kills only the decoder's process. The error concerns that file, and the instance continues.
  const { api, pid } = drill.instance;
  const before = await api.credits();
  const { body } = await api.upload(await slowPhoto(2), { enhancements: [SLOW_ORDER] });
  const { id } = body.enhancements[0]!;
  await api.reached(id, 'PROCESSING');
  // The death of a starting decoder counts as a fault of the machinery. A decoder that has worked longer already has the file.
  let killed = 0;
  await until(async () => {
    const decoders = processTree(pid).filter((each) => commandLine(each).includes('sandbox-child'));
    const atWork = decoders.filter((each) => processorSeconds(each) > STARTED_AFTER_SECONDS);
    await killAtOnce(atWork);
    killed += atWork.length;
    return (
      (await api.get<EnhancementRepresentation>(`/v1/enhancements/${id}`)).body.status !== 'PROCESSING' || undefined
    );
  });
  expect(killed).toBeGreaterThan(0);
  const [failed] = (await api.settled(body.id)).enhancements;
  expect(failed).toMatchObject({ status: 'ERROR', errorCode: 'PROCESSING_LIMIT', chargedCredits: null });
  expect(await api.credits()).toEqual(before);
  const next = await api.settled((await api.upload(await slowPhoto(2), { enhancements: [{}] })).body.id);
  expect(next.enhancements).toMatchObject([{ status: 'FINISHED' }]);
  expect(await drill.instance.stop()).toBe(0);
}, 180_000);
