import { describe, expect, test } from '@jest/globals';
import {
  expectBounds,
  expectIsolation,
  HARMLESS_IN_NAMESPACES,
  hasPermissionModel,
  runHostile,
  type HostileReport,
  type WallName,
} from '../engine/support/hostile-run.ts';
import { expectNamed } from '../support/expect-named.ts';

const isRoot = process.getuid?.() === 0;
/** Id of the user `nobody` on Linux. */
const ORDINARY_UID = 65_534;
const users: [string, number | undefined][] = [
  [isRoot ? 'root' : 'an ordinary user', undefined],
  ...(isRoot ? [['an ordinary user', ORDINARY_UID] as [string, number]] : []),
];

/** Runs the compiled code as in production: with Node.js' permission model inside the isolation. */
async function reportOf(wall: WallName, uid: number | undefined): Promise<HostileReport> {
  const report = await runHostile('dist', wall, uid);
  if (report === undefined) {
    throw new Error(`The layer "${wall}" is missing on this machine. Install it, or allow user namespaces.`);
  }
  console.log(`${wall}, uid ${report.uid}: ${report.layers.join(', ')}`);
  for (const [attempt, error] of Object.entries(report.held)) console.log(`  held       ${attempt} (${error})`);
  for (const [attempt, brought] of Object.entries(report.succeeded)) console.log(`  succeeded  ${attempt}: ${brought}`);
  return report;
}

describe.each(users)('a compromised decoder, as %s', (_, uid) => {
  test('cannot leave the sandbox of bubblewrap', async () => {
    const report = await reportOf('bubblewrap', uid);
    expect(report.layers).toContain('seccomp');
    expect(report.succeeded).toEqual({});
    expectBounds(report);
    expectIsolation(report, true);
  });

  test('reaches no network inside the namespaces of util-linux', async () => {
    const report = await reportOf('namespaces', uid);
    const reached = Object.keys(report.succeeded).filter((attempt) => !HARMLESS_IN_NAMESPACES.includes(attempt));
    expect(reached).toEqual([]);
    expectBounds(report);
    expectIsolation(report, false);
  });

  test('cannot read, write or start anything under the permission model alone, but has the network', async () => {
    expectNamed(
      hasPermissionModel,
      'The layer "Node.js permissions" is missing: this Node.js has no --allow-addons.',
    ).toBe(true);
    const report = await reportOf('process', uid);
    expect(report.layers).toContain('Node.js permissions');
    const open = Object.keys(report.succeeded);
    expect(open.filter((attempt) => /^(read|list the|write|make|start)/.test(attempt))).toEqual([]);
    // Documents the limit of this layer.
    expect(open).toContain('connect to a port of this machine');
    expectBounds(report);
  });
});
