import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SEARCH_ATTRIBUTE_NAMES } from '../../src/domain/temporal/search-attributes.ts';
import { connectionSettings } from '../../src/temporal/connection-settings.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import type { EmbeddedTemporal } from '../../src/temporal/embedded-server.ts';
import { startTestTemporal } from '../support/test-temporal.ts';
import { indexedTypes, registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { testPort } from '../support/test-port.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';

let folder: TemporaryFolder;
let server: EmbeddedTemporal;
beforeAll(async () => {
  folder = await temporaryFolder();
  server = await startTestTemporal(folder.path, { searchAttributes: [] });
});
afterAll(async () => {
  await server.stop();
  await folder[Symbol.asyncDispose]();
});

const settingsFor = (env: NodeJS.ProcessEnv): NonNullable<ReturnType<typeof connectionSettings>> => {
  const settings = connectionSettings(env);
  if (settings === undefined) throw new Error('no address');
  return settings;
};

describe('connection settings of Temporal', () => {
  test('are empty without an address, so that the embedded server starts', () => {
    expect(connectionSettings({})).toBeUndefined();
    expect(connectionSettings({ TEMPORAL_ADDRESS: '', TEMPORAL_NAMESPACE: 'shop' })).toBeUndefined();
  });

  test('contain address, namespace and API key, which implies TLS', () => {
    const env = { TEMPORAL_ADDRESS: 'cloud:7233', TEMPORAL_NAMESPACE: 'shop', TEMPORAL_API_KEY: 'secret' };
    expect(connectionSettings(env)).toMatchObject({
      address: 'cloud:7233',
      namespace: 'shop',
      options: { apiKey: 'secret', tls: true },
    });
  });

  test('that are malformed are refused in one sentence', () => {
    const env = { TEMPORAL_ADDRESS: 'cloud:7233', TEMPORAL_TLS_CLIENT_CERT_PATH: '/does/not/exist' };
    expect(() => connectionSettings(env)).toThrow(/^The TEMPORAL_\* settings cannot be read: /);
  });
});

describe('a connection to Temporal', () => {
  test('to an address without an answer fails with a sentence that names the setting', async () => {
    const port = await testPort();
    const connecting = connectTemporal(settingsFor({ TEMPORAL_ADDRESS: `127.0.0.1:${port}` }), { withinMs: 0 });
    await expect(connecting).rejects.toThrow(`Temporal cannot be reached at 127.0.0.1:${port}: check TEMPORAL_ADDRESS`);
  });

  test('to an unknown namespace fails at once and names the setting', async () => {
    const settings = settingsFor({ TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: 'shop' });
    await expect(connectTemporal(settings)).rejects.toThrow(/has no namespace "shop".*TEMPORAL_NAMESPACE/);
  });
});

describe('search attributes', () => {
  test('are registered if they are missing, and only then', async () => {
    const connection = await connectTemporal(settingsFor({ TEMPORAL_ADDRESS: server.address }));
    const warnings: string[] = [];
    const register = (): Promise<string[]> =>
      registerSearchAttributes(connection, 'default', (text) => warnings.push(text));
    expect(await register()).toEqual([...SEARCH_ATTRIBUTE_NAMES]);
    expect(await register()).toEqual([]);
    expect(warnings).toEqual([]);
    await connection.close();
  });

  test('that cannot be listed cause one warning with the command that adds them', async () => {
    const connection = await connectTemporal(settingsFor({ TEMPORAL_ADDRESS: server.address }));
    const warnings: string[] = [];
    expect(await registerSearchAttributes(connection, 'no-such-namespace', (text) => warnings.push(text))).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(
      'search-attribute create --namespace no-such-namespace --name BurnishAccountId --type',
    );
    await connection.close();
  });

  test('of another type end the start with the name and the type that is needed', async () => {
    const listed = { ...indexedTypes(), BurnishReference: indexedTypes().BurnishStatus! };
    const operatorService = { listSearchAttributes: () => Promise.resolve({ customAttributes: listed }) };
    const withDeadline = (_: number | Date, call: () => Promise<unknown>): Promise<unknown> => call();
    const registering = registerSearchAttributes({ operatorService, withDeadline } as never, 'shop', () => undefined);
    await expect(registering).rejects.toThrow('another type: BurnishReference=KeywordList is needed');
  });
});
