import { expect, test } from '@jest/globals';
import { canRunWithoutBubblewrap, WITHOUT_BUBBLEWRAP } from '../e2e/without-bubblewrap.ts';
import { poll } from '../support/poll.ts';
import { expectAccessible, useOwnDashboard } from './harness.ts';

const works = canRunWithoutBubblewrap();
const tests = useOwnDashboard(works ? { via: WITHOUT_BUBBLEWRAP } : {});

const SENTENCE =
  'Decoders are not isolated, because bubblewrap does not work here: allow user namespaces, and start Burnish as an ordinary user (docs/deployment.md).';

test(`${works ? '' : 'without a mount namespace to take it away in: '}the start and the first page name a missing sandbox and its remedy`, async () => {
  const lines = tests.instance.stdout().split('\n');
  const said = lines.slice(lines.indexOf('Burnish is up.')).filter((line) => line.includes('Decoders'));
  expect(said).toEqual(works ? [`  ${SENTENCE}`] : []);

  const page = await tests.open('/');
  await page.getByRole('heading', { name: 'Enhance', level: 1 }).waitFor();
  const notice = page.getByText(SENTENCE);
  await poll(() => notice.count()).toBe(works ? 1 : 0);
  if (works) await notice.waitFor();
  await expectAccessible(page);
});
