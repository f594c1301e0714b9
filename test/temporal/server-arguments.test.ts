import { expect, test } from '@jest/globals';
import { readConfig } from '../../src/runtime/config.ts';
import { serverArguments } from '../../src/temporal/server-arguments.ts';

test.each(['NORMAL', 'FULL'] as const)(
  'a commit of the embedded server syncs as BURNISH_TEMPORAL_SYNCHRONOUS=%s says',
  (level) => {
    const { temporalSynchronous: synchronous } = readConfig({ BURNISH_TEMPORAL_SYNCHRONOUS: level });
    const facts = { host: '127.0.0.1', port: 1, ui: undefined, namespace: 'n', canSkipNews: false };
    const args = serverArguments({ ...facts, synchronous, searchAttributes: [] });
    expect(args.filter((arg) => arg.startsWith('synchronous='))).toEqual([`synchronous=${level}`]);
  },
);
