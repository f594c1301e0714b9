import type { Context } from '@temporalio/activity';
import { Registry } from 'prom-client';
import { describe, expect, test } from '@jest/globals';
import {
  createEngineActivities,
  createInspectionActivities,
  createMainActivities,
} from '../../../src/activities/index.ts';
import { createHostedActivities } from '../../../src/activities/hosted/index.ts';
import { checkedInputs, ACTIVITY_INPUTS } from '../../../src/activities/inputs/check-inputs.ts';
import { createActivityMetrics } from '../../../src/activities/metrics.ts';
import { createNotifyActivities } from '../../../src/activities/notify.ts';
import { createTransferActivities } from '../../../src/activities/transfers.ts';
import { idOf, MINE, SAMPLES, workflowIdOf } from './samples.ts';
import { expectNamed } from '../../support/expect-named.ts';

/** Names of the activities that the workers offer. Nothing calls the dependencies, so empty ones are enough. */
const offered = Object.keys({
  ...createMainActivities({} as never),
  ...createNotifyActivities({} as never),
  ...createTransferActivities({} as never),
  ...createInspectionActivities({} as never),
  ...createEngineActivities({ provider: {} } as never),
  ...createHostedActivities({} as never),
});

type Path = (string | number)[];
interface Leaf {
  path: Path;
  value: unknown;
}

/** Every field of an input with a plain value. */
function leavesOf(value: unknown, path: Path = []): Leaf[] {
  if (typeof value !== 'object' || value === null) return [{ path, value }];
  return Object.entries(value).flatMap(([field, each]) => leavesOf(each, [...path, field]));
}

function withValue(input: unknown, path: Path, value: unknown): unknown {
  const copy = structuredClone(input) as Record<string, unknown>;
  const last = path.at(-1)!;
  const parent = path.slice(0, -1).reduce<Record<string, unknown>>((each, field) => each[field] as never, copy);
  parent[last] = value;
  return copy;
}

/** Runs an activity behind the interceptor. @returns the input that it received or its error, and the logged facts */
async function execute(name: string, args: unknown[], workflowId = workflowIdOf(name)) {
  const logged: unknown[] = [];
  const context = { info: { activityType: name, workflowExecution: { workflowId, runId: 'r' } } } as Context;
  const metrics = createActivityMetrics(new Registry());
  const { execute: run } = checkedInputs(context, { error: (facts) => void logged.push(facts) }, metrics);
  const received = async (input: { args: unknown[] }) => input.args;
  const outcome: unknown = await run!({ args, headers: {} }, received).catch((error: unknown) => error);
  const { values } = await metrics.unknownFields.get();
  return { outcome, logged, unknown: values.map(({ labels, value }) => [labels.activity, value]) };
}

/** Adds a field to every object of an input except parameters. @returns the input, and the number of fields added */
function withUnknown(input: unknown): [unknown, number] {
  if (typeof input !== 'object' || input === null) return [input, 0];
  const isList = Array.isArray(input);
  let added = isList ? 0 : 1;
  const entries = Object.entries(input).map(([field, value]: [string, unknown]): [string, unknown] => {
    const [next, count] = field === 'parameters' ? [value, 0] : withUnknown(value);
    added += count;
    return [field, next];
  });
  // An ignored field may contain anything, such as a file of another upload.
  return [isList ? entries.map(([, value]) => value) : { ...Object.fromEntries(entries), later: 'acc_8/upl_8' }, added];
}

const REFUSED = { type: 'INTERNAL', nonRetryable: true };

test('every activity has a schema for its input, and every schema has an activity', () => {
  expect(Object.keys(ACTIVITY_INPUTS).toSorted()).toEqual(offered.toSorted());
});

describe.each(offered)('activity %s', (name) => {
  const sample = SAMPLES[name as keyof typeof SAMPLES];
  const args = sample === undefined ? [] : [sample];
  const leaves = leavesOf(sample).filter(({ path }) => path.length > 0);
  const shared: readonly string[] = ['copyResult', 'adoptFile'].includes(name) ? ['from'] : [];

  test('accepts the input that its workflow sends', async () => {
    expect(await execute(name, args)).toEqual({ outcome: args, logged: [], unknown: [] });
  });

  test('refuses no input, two inputs and a text', async () => {
    for (const bad of [sample === undefined ? [null] : [], [sample, sample], ['text'], [[sample]]]) {
      expect((await execute(name, bad)).outcome).toMatchObject(REFUSED);
    }
  });

  if (sample !== undefined)
    test('ignores and counts unknown fields at any depth, as a later version may send them', async () => {
      const [later, added] = withUnknown(sample);
      expect(await execute(name, [later])).toEqual({ outcome: args, logged: [], unknown: [[name, added]] });
    });

  test('refuses any field with a wrong type or an excessive value', async () => {
    for (const { path, value } of leaves) {
      const bad = [{ nested: true }, ...(typeof value === 'string' ? ['x'.repeat(1_000_000)] : [])];
      if (typeof value === 'number') bad.push(-1e300 as never);
      for (const each of bad) {
        const { outcome } = await execute(name, [withValue(sample, path, each)]);
        expectNamed(outcome, path.join('.')).toMatchObject(REFUSED);
      }
    }
  });

  const keys = leaves.filter(({ value }) => typeof value === 'string' && /^acc_\w+\//.test(value));
  const accountIds = leaves.filter(({ path }) => path.at(-1) === 'accountId');
  const uploadIds = leaves.filter(({ path }) => path.at(-1) === 'uploadId');
  // An upload belongs to one account, so a single key with the id of the upload cannot name a file of another account.
  const tellsAccount = keys.length + accountIds.length > 1;

  if (keys.length > 0)
    test('refuses a file of another account or another upload, or outside of both', async () => {
      for (const { path, value } of keys) {
        const key = String(value);
        const foreign = [
          ...(tellsAccount ? [key.replace(/acc_\d/, 'acc_8')] : []),
          ...(shared.includes(String(path.at(-1))) ? [] : [key.replace(/upl_\d/, 'upl_8')]),
          key.replace(/acc_\d(.*)upl_\d/, 'acc_8$1upl_8'),
          key.replace(/\/.*/, ''),
          `${key}/../../../${key}`,
          `/${key}`,
          '../../etc/passwd',
        ];
        for (const each of foreign) {
          const { outcome, logged } = await execute(name, [withValue(sample, path, each)]);
          expectNamed(outcome, `${path.join('.')} = ${each}`).toMatchObject(REFUSED);
          // Neither the history nor the log quotes the attacker's text.
          expect(String((outcome as Error).message) + JSON.stringify(logged)).not.toContain(each);
        }
      }
    });

  if (uploadIds.length > 0)
    test('refuses a record of another upload', async () => {
      for (const { path } of uploadIds) {
        const { outcome } = await execute(name, [withValue(sample, path, idOf('upl', 8))]);
        expectNamed(outcome, path.join('.')).toMatchObject(REFUSED);
      }
    });

  if (accountIds.length > 0 && tellsAccount)
    test('refuses a record of another account', async () => {
      for (const { path } of accountIds) {
        const { outcome } = await execute(name, [withValue(sample, path, idOf('acc', 8))]);
        expectNamed(outcome, path.join('.')).toMatchObject(REFUSED);
      }
    });

  const hasUpload = keys.length + uploadIds.length > 0;
  if (hasUpload)
    test('refuses to run in the workflow of another upload or in another type of workflow', async () => {
      for (const other of [`upload/${idOf('upl', 8)}`, MINE.uploadId, 'anything', '']) {
        expect((await execute(name, args, other)).outcome).toMatchObject(REFUSED);
      }
    });
});

test('an enhancement writes its result to its own key and to no other key of its upload', async () => {
  for (const name of ['enhance', 'assemblePdf', 'collectRemoteResult'] as const) {
    const input = { ...SAMPLES[name], enhancementId: idOf('enh', 8) };
    expectNamed((await execute(name, [input])).outcome, name).toMatchObject(REFUSED);
  }
});

test('an activity without an input schema is refused', async () => {
  for (const name of ['somethingNew', 'constructor', '__proto__']) {
    expect((await execute(name, [{}])).outcome).toMatchObject(REFUSED);
  }
});

test('the log names the fields of a refused input without their values', async () => {
  const { logged } = await execute('deleteResult', [{ objectKey: 'secret', extra: 1 }]);
  expect(logged).toEqual([
    {
      activityType: 'deleteResult',
      workflowId: workflowIdOf('deleteResult'),
      problems: ['objectKey: custom'],
    },
  ]);
});

test('a delivery attempt runs only in the workflow of its delivery', async () => {
  expect(
    (await execute('attemptDelivery', [SAMPLES.attemptDelivery], `delivery/${idOf('dlv', 8)}`)).outcome,
  ).toMatchObject(REFUSED);
});

test('an enhancement with an unknown parameter waits for a worker that knows it', async () => {
  const { enhance } = SAMPLES;
  const later = { ...enhance, parameters: { ...enhance.parameters, colour: 'secret' } };
  const { outcome, logged } = await execute('enhance', [later]);
  expect(outcome).toMatchObject({ code: 'UNAVAILABLE', machinery: 'worker' });
  expect(logged).toMatchObject([{ problems: ['parameters: unrecognized_keys'] }]);
  const wrong = { ...later, enhancementId: 'enh_1' };
  expect((await execute('enhance', [wrong])).outcome).toMatchObject(REFUSED);
});
