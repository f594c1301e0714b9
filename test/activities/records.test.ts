import { expect, test } from '@jest/globals';
import { createRecordActivities, type RecordsDeps, STEPS_OF_ACCOUNT } from '../../src/activities/records.ts';
import type { Input } from '../../src/activities/inputs/schemas.ts';
import { createGate } from '../support/gate.ts';

/** Steps of the account `slow` end when the gate opens. */
function setUp() {
  const gate = createGate();
  const begun: string[] = [];
  async function write(name: string, accountId: string): Promise<void> {
    begun.push(`${name} of ${accountId}`);
    if (accountId === 'slow') await gate.opened;
  }
  const deps = {
    engineVersion: '1',
    enhancements: { listPaid: () => Promise.resolve([]) },
    steps: {
      recordUpload: async ({ upload }: Input<'recordUpload'>) => {
        await write('upload', upload.accountId);
        return { ofUpload: [], ofEnhancements: [] };
      },
      beginEnhancement: async ({ enhancement }: Input<'beginEnhancement'>) => {
        await write('beginning', enhancement.accountId);
        return { outcome: 'lacking' };
      },
      recordEnhancement: async ({ enhancement }: Input<'recordEnhancement'>) => {
        await write('enhancement', enhancement.accountId);
        return [];
      },
      recordDestination: async ({ accountId }: Input<'recordDestination'>) => {
        await write('destination', accountId);
        return [];
      },
    },
  };
  const { recordUpload, beginEnhancement, recordEnhancement, recordDestination } = createRecordActivities(
    deps as unknown as RecordsDeps,
  );
  const source = { sha256: 'a'.repeat(64), mimetype: 'image/jpeg', plan: 'FREE' };
  const of = (accountId: string) => ({ enhancement: { accountId, parameters: {}, provider: 'hosted' }, source });
  const all = (accountId: string): Promise<unknown>[] => [
    recordUpload({ upload: { accountId } } as Input<'recordUpload'>),
    beginEnhancement(of(accountId) as unknown as Input<'beginEnhancement'>),
    recordEnhancement(of(accountId) as unknown as Input<'recordEnhancement'>),
    recordDestination({ accountId } as Input<'recordDestination'>),
  ];
  return { gate, begun, all };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

test('an account writes a few steps at once, and the steps of another one do not wait behind its others', async () => {
  const { gate, begun, all } = setUp();
  const many = Array.from({ length: 25 }, () => all('slow')).flat();
  await settled();
  expect(begun).toHaveLength(STEPS_OF_ACCOUNT);
  await Promise.all(all('calm'));
  expect(begun.slice(STEPS_OF_ACCOUNT)).toEqual([
    'upload of calm',
    'beginning of calm',
    'enhancement of calm',
    'destination of calm',
  ]);
  gate.open();
  await Promise.all(many);
  expect(begun).toHaveLength(100 + 4);
});
