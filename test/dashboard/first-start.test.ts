import { expect, test } from '@jest/globals';
import { canRunWithoutBubblewrap, WITHOUT_BUBBLEWRAP } from '../e2e/without-bubblewrap.ts';
import { poll } from '../support/poll.ts';
import { expectAccessible, useOwnDashboard } from './harness.ts';

const works = canRunWithoutBubblewrap();
const tests = useOwnDashboard(works ? { via: WITHOUT_BUBBLEWRAP } : {});

const SENTENCE =
  'Decoders are not isolated, because bubblewrap does not work here: allow user namespaces, and start Burnish as an ordinary user (docs/deployment.md).';

test('the link that the first start prints signs in once', async () => {
  const link = /Dashboard +(\S+)/.exec(tests.instance.stdout())![1]!;
  const page = await tests.open(link, { signedIn: false });
  await page.getByRole('heading', { name: 'Enhance', level: 1 }).waitFor();
  await poll(() => page.url()).toBe(`${tests.instance.url}/`);
  await page.getByText('Signed in with “Dashboard”').waitFor();

  const second = await tests.open(link, { signedIn: false, expecting: [/401/] });
  await second.getByRole('alert').getByText('This link has been used or has expired.').waitFor();
  await poll(() => second.url()).toBe(`${tests.instance.url}/sign-in`);
  await expectAccessible(second);
});

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
