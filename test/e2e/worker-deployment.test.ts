import { expect, test } from '@jest/globals';
import type { UploadRecord } from './api.ts';
import { photo } from './files.ts';
import { cleanEnvironment, runCommand, startInstance } from './instance.ts';
import { sharedInstance } from './shared-instance.ts';

/** Milliseconds; a start and five commands on a busy machine take many seconds. */
const SEVERAL_COMMANDS = 180_000;

test(
  'an instance of one process works only after the promotion of its build',
  async () => {
    const deployed = { BURNISH_WORKER_DEPLOYMENT: 'photos' };
    await using instance = await startInstance({ awaitReady: false, env: deployed });
    const workers = async (...args: string[]): Promise<string> => {
      const env = await cleanEnvironment({ BURNISH_DATA_DIR: instance.dataDir, ...deployed });
      const command = runCommand(['workers', ...args], env);
      return `${await command.ended} ${command.stdout()}${command.stderr()}`;
    };
    const { body: upload } = await instance.api.upload(await photo(1), { enhancements: [{}] });
    const listed = await workers();
    const [version] = /^\S+(?= +inactive +no work)/m.exec(listed)!;
    // A worker of the process that starts a workflow gets its first task at once, unless the start forbids it.
    const { body } = await instance.api.get<UploadRecord>(`/v1/uploads/${upload.id}`);
    expect(body).toMatchObject({ status: 'UPLOAD_PROCESSING', enhancements: [{ status: 'QUEUED' }] });

    expect(await workers('promote', '9.9.9')).toBe(
      `1 The deployment photos has no build 9.9.9. Name one of these: ${version}.\n`,
    );
    expect(await workers('promote', version, '--percent', '100')).toMatch(/^2 .*Expected 1 to 99\./s);
    expect(await workers('promote', version)).toMatch(/^0 \S+ +current +100 % of the work, \d open uploads?\n$/);
    expect((await instance.api.settled(upload.id)).enhancements).toMatchObject([{ status: 'FINISHED' }]);
    expect(await workers('promote', version, '--percent', '10')).toBe(
      `1 ${version} is current. Promote another build with a percentage.\n`,
    );
  },
  SEVERAL_COMMANDS,
);

test('without a deployment, each worker gets work, and a promotion is refused', async () => {
  const { dataDir } = await sharedInstance();
  const command = runCommand(['workers', 'promote', '1.0.0'], await cleanEnvironment({ BURNISH_DATA_DIR: dataDir }));
  expect([await command.ended, command.stderr()]).toEqual([
    1,
    'BURNISH_WORKER_DEPLOYMENT is not set: without it, each worker gets work.\n',
  ]);
});
