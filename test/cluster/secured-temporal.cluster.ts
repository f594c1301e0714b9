import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { photo } from '../e2e/files.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { connectionSettings } from '../../src/temporal/connection-settings.ts';
import {
  cleanEnvironment,
  freePorts,
  type Instance,
  portSettings,
  runCommand,
  startInstance,
} from '../support/instance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { type SecuredTemporal, startSecuredTemporal } from './secured-temporal.ts';
import { temporalKind } from './temporal.ts';
import { describeUnless } from '../support/needs.ts';

// The development server has neither TLS nor roles.
const describeOnNodes = describeUnless(temporalKind() === 'nodes' ? undefined : 'a cluster of Temporal');

/** The sentence with which a start ends. */
async function refusal(env: NodeJS.ProcessEnv): Promise<string> {
  const connecting = connectTemporal(connectionSettings(env)!, { withinMs: 0 });
  return await connecting.then(
    async (connection) => {
      await connection.close();
      return 'none';
    },
    (error: unknown) => String(error),
  );
}

async function finishPhoto({ api }: Instance): Promise<void> {
  const file = await photo(1);
  // A server accepts new search attributes after some seconds. Until then the instance answers with 503.
  const body = await until(async () => {
    const answer = await api.upload(file, { enhancements: [{}] });
    return answer.status === 202 ? answer.body : undefined;
  });
  expect((await api.settled(body.id)).enhancements).toMatchObject([{ status: 'FINISHED', chargedCredits: 1 }]);
}

/** Creates a namespace, and returns after every service knows it. */
async function createNamespace(temporal: SecuredTemporal, namespace: string): Promise<void> {
  await temporal.administer(['operator', 'namespace', 'create', '--namespace', namespace, '--retention', '3d']);
  const list = ['operator', 'search-attribute', 'list', '--namespace', namespace];
  await until(() => temporal.administer(list).catch(() => undefined));
}

describeOnNodes('a Temporal server that requires client certificates', () => {
  let temporal: SecuredTemporal;
  let certified: NodeJS.ProcessEnv;
  beforeAll(async () => {
    temporal = await startSecuredTemporal('certificate');
    await createNamespace(temporal, 'burnish');
    certified = {
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: 'burnish',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: temporal.ca,
      TEMPORAL_TLS_CLIENT_CERT_PATH: temporal.certificate,
      TEMPORAL_TLS_CLIENT_KEY_PATH: temporal.certificateKey,
    };
  });
  afterAll(async () => await temporal?.[Symbol.asyncDispose]());

  test('serves an instance with a certificate of its authority', async () => {
    await using instance = await startInstance({ env: certified });
    await finishPhoto(instance);
  });

  test.each([
    ['no trusted authority', { TEMPORAL_TLS_SERVER_CA_CERT_PATH: '' }, /not trusted.*TEMPORAL_TLS_SERVER_CA_CERT_PATH/],
    ['another name', { TEMPORAL_TLS_SERVER_NAME: 'other.test' }, /for another name.*TEMPORAL_TLS_SERVER_NAME/],
    ['no certificate', { TEMPORAL_TLS_CLIENT_CERT_PATH: '', TEMPORAL_TLS_CLIENT_KEY_PATH: '' }, /client certificate/],
  ])('ends a start with %s in a sentence that names the setting', async (_, env, sentence) => {
    expect(await refusal({ ...certified, ...env })).toMatch(sentence);
  });
});

describeOnNodes('a Temporal server that requires API keys', () => {
  let temporal: SecuredTemporal;
  const settings = (key: string, namespace = 'burnish'): NodeJS.ProcessEnv => ({
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: temporal.ca,
    TEMPORAL_API_KEY: key,
  });
  beforeAll(async () => {
    temporal = await startSecuredTemporal('key');
    await createNamespace(temporal, 'burnish');
  });
  afterAll(async () => await temporal?.[Symbol.asyncDispose]());

  test.each([
    ['of another namespace', ['shop:write'], 3600, 'refuses access to namespace "burnish": check TEMPORAL_API_KEY'],
    [
      'that may only read',
      ['burnish:read'],
      3600,
      'but no commands: give the API key or the client certificate the role',
    ],
    ['that has expired', ['burnish:write'], -60, 'refuses the API key. Set TEMPORAL_API_KEY to a valid one.'],
  ])('ends a start with a key %s in a sentence', async (_, roles, seconds, sentence) => {
    expect(await refusal(settings(temporal.key(roles, seconds)))).toContain(sentence);
  });

  test('is prepared with the printed commands, finishes work, and finishes it also after its keys were replaced', async () => {
    await using folder = await temporaryFolder();
    // Each try has a namespace without search attributes.
    const namespace = `work-${randomUUID().slice(0, 8)}`;
    await createNamespace(temporal, namespace);
    const given = (): NodeJS.ProcessEnv => settings(temporal.key([`${namespace}:write`]), namespace);
    const env = await cleanEnvironment({ ...given(), BURNISH_DATA_DIR: folder.path });
    const unprepared = runCommand(['up'], { ...env, ...portSettings(await freePorts()) });
    expect(await unprepared.ended).toBe(1);
    const attributes = /Run (temporal operator search-attribute create .+)/.exec(unprepared.stderr())![1]!;
    await temporal.administer(attributes.split(' ').slice(1));

    const first = await startInstance({ env, dataDir: folder.path });
    await finishPhoto(first);
    const order = { enhancements: [{ upscalingFactor: 'X2' }], maxCredits: 1 };
    const { body: waiting } = await first.api.upload(await photo(2), order);
    await first.api.reached(waiting.enhancements[0]!.id, 'AWAITING_APPROVAL');
    await temporal.revokeKeys();
    const refused = await until(async () => {
      const { problems } = (await (await fetch(`${first.url}/readyz`)).json()) as { problems: string[] };
      return problems.find((problem) => problem.includes('refuses access'));
    });
    expect(refused).toBe('Temporal refuses access: check TEMPORAL_API_KEY or the client certificate.');
    expect((await first.api.upload(await photo(3))).status).toBe(503);
    await first.killTree();

    const renewed = given();
    await using second = await startInstance({ env: renewed, dataDir: folder.path, apiKey: first.apiKey });
    const approved = await second.api.call('POST', `/v1/enhancements/${waiting.enhancements[0]!.id}/approve`);
    expect(approved.status).toBe(202);
    expect((await second.api.settled(waiting.id)).enhancements).toMatchObject([{ status: 'FINISHED' }]);
    await second.stop();

    const words = ['endpoints', 'create', namespace, '--account', 'Default', '--json'];
    const command = runCommand(words, { ...env, ...renewed });
    expect(await command.ended).toBe(0);
    const { command: create } = JSON.parse(command.stdout()) as { command: string };
    await temporal.administer(create.split(' ').slice(1));
    expect(await temporal.administer(['operator', 'nexus', 'endpoint', 'list'])).toContain(namespace);
  });
});
