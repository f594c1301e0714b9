import { expect, test } from '@jest/globals';
import type { EnhancementRepresentation } from '../../src/domain/representations/answers.ts';
import { commandLine, killAtOnce, processorSeconds, processTree } from '../e2e/processes.ts';
import { until } from '../support/until.ts';
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

  // Kills only the decoder's process, more often than a crash of its own would be forgiven.
  const { api, pid } = drill.instance;
  const before = await api.credits();
  const { body } = await api.upload(await slowPhoto(2), { enhancements: [SLOW_ORDER] });
  const { id } = body.enhancements[0]!;
  await api.reached(id, 'PROCESSING');
  // A decoder that has worked longer already has the file.
  let killed = 0;
  await until(async () => {
    const decoders = processTree(pid).filter((each) => commandLine(each).includes('jail-child'));
    const atWork = decoders.filter((each) => processorSeconds(each) > STARTED_AFTER_SECONDS);
    await killAtOnce(atWork);
    killed += atWork.length;
    const { status } = (await api.get<EnhancementRepresentation>(`/v1/enhancements/${id}`)).body;
    return killed >= 3 || status !== 'PROCESSING' || undefined;
  });
  expect(killed).toBeGreaterThan(0);
  const [finished] = (await api.settled(body.id)).enhancements;
  expect(finished).toMatchObject({ status: 'FINISHED', chargedCredits: 4 });
  expect(await api.credits()).toMatchObject({ used: before.used + 4, reserved: before.reserved });
  expect(await drill.instance.stop()).toBe(0);
}, 400_000);
