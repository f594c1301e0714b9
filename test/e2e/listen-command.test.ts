import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { copyMigratedDatabase } from '../support/migrated-database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { type Api, createApi } from './api.ts';
import { photo } from './files.ts';
import { cleanEnvironment, freePorts, runCommand, startInstance, type Command, type Instance } from './instance.ts';
import { killAtOnce, processTree } from './processes.ts';
import { isSignedBy, webhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

/** Milliseconds; starts of processes take seconds on a busy machine. */
const SEVERAL_STARTS = 240_000;

interface Line {
  secret?: string;
  position?: number;
  id?: string;
  event?: string;
  httpStatus?: number | null;
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let instance: Instance;
let receiver: WebhookReceiver;
let testKey: string;
let testApi: Api;

const start = async (apiKey?: string): Promise<Instance> =>
  startInstance({ dataDir: folder.path, ports, ...(apiKey !== undefined && { apiKey }) });
let ports: Awaited<ReturnType<typeof freePorts>>;

beforeAll(async () => {
  [folder, receiver, ports] = await Promise.all([temporaryFolder(), webhookReceiver(), freePorts()]);
  await copyMigratedDatabase(folder.path);
  instance = await start();
  const body = { name: 'CI', test: true };
  testKey = (await instance.api.call<{ key: string }>('POST', '/v1/api-keys', { body })).body.key;
  testApi = createApi(instance.url, testKey);
}, SEVERAL_STARTS);
afterAll(async () => {
  await instance?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

async function listen(key: string, ...args: string[]): Promise<Command> {
  const env = await cleanEnvironment({ BURNISH_URL: instance.url, BURNISH_API_KEY: key });
  const command = runCommand(['listen', '--forward-to', `${receiver.url}/hook?token=own`, ...args], env);
  await until(() => {
    if (!command.running()) throw new Error(`burnish listen ended:\n${command.output()}`);
    return command.stdout().includes('whsec_') ? true : undefined;
  });
  return command;
}

const lines = (command: Command): Line[] =>
  command
    .stdout()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
const enhance = async (): Promise<string> => {
  const { body } = await testApi.upload(await photo(1), { enhancements: [{}] });
  return (await testApi.settled(body.id)).id;
};
const about = (id: string) =>
  receiver.deliveries.filter(({ event: { data } }) => data['id'] === id || data['uploadId'] === id);
/** Both events of an upload with an enhancement have arrived. */
const arrives = (id: string): Promise<unknown> => until(() => about(id)[1]);

test(
  'burnish listen forwards signed events, also those missed over kills of it and of the instance, once each',
  async () => {
    const first = await listen(testKey, '--json');
    const [{ secret }] = lines(first) as [Required<Line>];
    const before = await enhance();
    await arrives(before);
    expect(about(before).map(({ event }) => event.event)).toEqual([
      'upload.status_update',
      'enhanced_image.status_update',
    ]);
    const answered = await until(() => (lines(first).length === 3 ? lines(first).slice(1) : undefined));
    expect(answered).toMatchObject(about(before).map(({ event }) => ({ id: event.id, httpStatus: 204 })));

    await killAtOnce(processTree(first.pid));
    const missed = [await enhance(), await enhance()];
    const second = await listen(testKey, '--json', '--after', String(answered[1]!.position));
    expect(lines(second)[0]).toMatchObject({ secret, position: answered[1]!.position });
    for (const id of missed) await arrives(id);

    await instance.killTree();
    await until(() => (second.stderr().includes('The connection is lost.') ? true : undefined));
    instance = await start(instance.apiKey);
    const after = await enhance();
    await arrives(after);

    const uploads = [before, ...missed, after];
    const ids = receiver.deliveries.map(({ headers }) => headers['webhook-id']);
    expect(receiver.deliveries.every((each) => isSignedBy(secret, each))).toBe(true);
    expect([ids.length, new Set(ids).size]).toEqual([8, 8]);
    expect(receiver.deliveries.map(({ event: { data } }) => data['uploadId'] ?? data['id'])).toEqual(
      uploads.flatMap((id) => [id, id]),
    );
    second.child.kill('SIGINT');
    expect(await second.ended).toBe(0);
    expect(second.stderr()).toMatch(/Continue later with --after \d+\./);
  },
  SEVERAL_STARTS,
);

test(
  'burnish listen prints a line for each chosen event, and an answer of 500 is not repeated',
  async () => {
    const own = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const command = await listen(testKey, '--events', 'upload.deleted,credits.low', '--secret', own);
    const [secret, where] = command.stdout().split('\n');
    expect(secret).toBe(`Signing secret: ${own}`);
    expect(where).toBe(`Forwarding events to ${receiver.url}/hook?token=own. Press Ctrl-C to stop.`);
    receiver.answerWith(500);
    const id = await enhance();
    await testApi.call('POST', '/v1/uploads/delete', { body: { ids: [id] } });
    const line = await until(() => command.stdout().split('\n').slice(2, -1)[0]);
    expect(line).toMatch(new RegExp(`^\\S+Z  upload.deleted  ${id}  500 in \\d+ ms  evt_\\w+$`));
    receiver.answerWith(204);
    command.child.kill('SIGTERM');
    expect(await command.ended).toBe(0);
    const forwarded = about(id).filter(({ event }) => event.event === 'upload.deleted');
    expect(forwarded.map((each) => [each.status, isSignedBy(own, each)])).toEqual([[500, true]]);
  },
  SEVERAL_STARTS,
);

test(
  'burnish listen works with a normal key beside another one, and names a wrong option',
  async () => {
    const [first, second] = [await listen(instance.apiKey), await listen(instance.apiKey)];
    const { body } = await instance.api.upload(await photo(2));
    for (const command of [first, second]) {
      await until(() => (command.stdout().includes(body.id) ? true : undefined));
      command.child.kill('SIGINT');
      expect(await command.ended).toBe(0);
    }

    const env = await cleanEnvironment();
    for (const [args, fault] of [
      [['--events', 'upload.gone'], 'upload.gone is not one of upload.status_update'],
      [['--since', 'yesterday'], 'Expected 30m, 2h or a time'],
      [['--after', 'evt_1'], 'Expected a whole number'],
      [['--secret', 'mine'], 'Expected whsec_ and'],
      [['--forward-to', 'http://'], 'Expected an http or https URL'],
    ] as const) {
      const wrong = runCommand(['listen', '--forward-to', 'localhost:1', ...args], env);
      expect([await wrong.ended, wrong.stderr()]).toEqual([2, expect.stringContaining(fault)]);
    }
  },
  SEVERAL_STARTS,
);
