import { expect, test } from '@jest/globals';
import {
  canRunWithoutBubblewrap,
  WITHOUT_BUBBLEWRAP,
  WITHOUT_BUBBLEWRAP_SAID,
} from '../../../test/e2e/without-bubblewrap.ts';
import { poll } from '../../../test/support/poll.ts';
import { expectAccessible, expectFocusOnHeading, useOwnDashboard } from './harness.ts';

const works = canRunWithoutBubblewrap();
const tests = useOwnDashboard(works ? { via: WITHOUT_BUBBLEWRAP } : {});

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

test(`${works ? '' : 'without a mount namespace to take it away in: '}the start names a missing sandbox in one sentence, and so does the page until the operator puts it away`, async () => {
  const lines = tests.instance.stdout().split('\n');
  const said = lines.slice(lines.indexOf('Burnish is up.')).filter((line) => line.includes('Decoders'));
  expect(said).toEqual(works ? [`  ${WITHOUT_BUBBLEWRAP_SAID}`] : []);
  const warnings = tests.instance
    .output()
    .split('\n')
    .filter((line) => /"level":(40|"warn")/.test(line));
  expect(warnings.filter((line) => line.includes('isolated'))).toEqual([]);

  const page = await tests.open('/');
  await page.getByRole('heading', { name: 'Enhance', level: 1 }).waitFor();
  const notice = page.getByText(WITHOUT_BUBBLEWRAP_SAID);
  await poll(() => notice.count()).toBe(works ? 1 : 0);
  if (!works) return;
  await notice.waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Do not show again' }).click();
  await expectFocusOnHeading(page);
  await page.reload();
  await page.getByRole('heading', { name: 'Enhance', level: 1 }).waitFor();
  await poll(() => notice.count()).toBe(0);
});
