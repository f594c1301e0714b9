import { expect, test } from '@jest/globals';
import { fleetLines } from '../../src/cli/operator/workers-command.ts';

const NOW = Date.parse('2026-11-24T12:00:00Z');
const worker = (process: string, version: string | null, secondsAgo: number) => ({
  taskQueue: 'burnish',
  process,
  version,
  polledAt: new Date(NOW - secondsAgo * 1_000).toISOString(),
});
const fleet = { version: '1.1.0+bbb', uploads: [], uploadsOfEarlierVersions: 0, deployment: null };

test('a poller counts as a worker until its last poll is longer ago than a poll lasts', () => {
  const [fresh, late] = [worker('1@a', '1.1.0+bbb', 5), worker('2@a', '1.0.0+aaa', 89)];
  expect(fleetLines({ ...fleet, processes: [fresh, late] }, NOW)).toEqual([
    '1@a  burnish         1.1.0+bbb  seen 5 seconds ago',
    '2@a  burnish         1.0.0+aaa  seen 89 seconds ago  OTHER VERSION',
    '1 worker of another version than 1.1.0+bbb. Replace them to end the upgrade.',
  ]);
  const stopped = worker('2@a', '1.0.0+aaa', 91);
  expect(fleetLines({ ...fleet, processes: [fresh, stopped] }, NOW).slice(1)).toEqual([
    '2@a  burnish         1.0.0+aaa  seen 91 seconds ago  STOPPED',
    'Every worker runs 1.1.0+bbb. No worker of another version is left.',
  ]);
  expect(fleetLines({ ...fleet, processes: [stopped] }, NOW).at(-1)).toBe(
    'No worker polls its task queue. Start one with `burnish worker`.',
  );
});

test('a worker of a release without an identity is one of another version, and open uploads are counted', () => {
  const uploads = [
    { version: '1.0.0+aaa', open: 3 },
    { version: '1.1.0+bbb', open: 1 },
  ];
  const lines = fleetLines(
    { ...fleet, processes: [worker('7@b', null, 1)], uploads, uploadsOfEarlierVersions: 2 },
    NOW,
  );
  expect(lines).toEqual([
    '7@b  burnish         earlier  seen 1 second ago  OTHER VERSION',
    '3 open uploads ran on 1.0.0+aaa.',
    '1 open upload ran on 1.1.0+bbb.',
    '2 open uploads ran only on earlier versions.',
    '1 worker of another version than 1.1.0+bbb. Replace them to end the upgrade.',
  ]);
});

test('in a deployment, the lines show the share and the open uploads of each build, and what to do without a promotion', () => {
  const build = (version: string, state: 'CURRENT' | 'RAMPING' | 'INACTIVE', share: number, open: number) => ({
    version,
    state,
    share,
    open,
  });
  const builds = [
    build('1.2.0+ccc', 'RAMPING', 10, 14),
    build('1.1.0+bbb', 'CURRENT', 90, 120),
    build('1.0.0+aaa', 'INACTIVE', 0, 1),
  ];
  const processes = [worker('2@a', '1.0.0+aaa', 3)];
  const deployed = { ...fleet, processes, deployment: { name: 'photos', builds } };
  expect(fleetLines(deployed, NOW)).toEqual([
    '2@a  burnish         1.0.0+aaa  seen 3 seconds ago',
    '1.2.0+ccc  ramping   10 % of the work, 14 open uploads',
    '1.1.0+bbb  current   90 % of the work, 120 open uploads',
    '1.0.0+aaa  inactive  no work, 1 open upload',
  ]);
  const unpromoted = { ...deployed, deployment: { name: 'photos', builds: builds.slice(2) } };
  expect(fleetLines(unpromoted, NOW).at(-1)).toBe(
    'No build of photos is current. Promote one: burnish workers promote <build>',
  );
});
