import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeSettings, readConfig } from '../../src/runtime/config.ts';
import { configurationPage } from '../../scripts/configuration-page.ts';
import { testReferencesPage } from '../../scripts/test-references-page.ts';
import { repositoryRoot } from '../support/repository.ts';
import { expectNamed } from '../support/expect-named.ts';

const read = (name: string): Promise<string> => readFile(join(repositoryRoot, name), 'utf8');

/** Names of settings that a file gives values to: `NAME: value` in YAML, `NAME=value` in the others. */
async function settingsIn(name: string): Promise<Record<string, string>> {
  const lines = (await read(name)).split('\n').map((line) => line.replace(/^(\s*ENV)?\s+/, '').replace(/ \\$/, ''));
  const pairs = lines.map((line) => /^([A-Z][A-Z0-9_]*)(?:: |=)(.+)$/.exec(line)).filter((match) => match !== null);
  return Object.fromEntries(pairs.map(([, key, value]) => [key!, value!.replace(/^'(.*)'$/, '$1')]));
}

/** `${NAME:-default}` and `${NAME:?message}`, as compose fills them in. */
function filledIn(value: string, given: Record<string, string>): string {
  return value.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind: string, rest: string) => {
    if (given[name] !== undefined) return given[name];
    if (kind === '-') return rest;
    throw new Error(`${name} has no value in the example.`);
  });
}

it('docs/test-references.md is the output of scripts/test-references-page.ts', async () => {
  expect(await read('docs/test-references.md')).toBe(await testReferencesPage());
});

describe('docs/configuration.md', () => {
  it('is the output of scripts/configuration-page.ts', async () => {
    expect(await read('docs/configuration.md')).toBe(await configurationPage());
  });

  it('has a row for every setting', async () => {
    const page = await read('docs/configuration.md');
    const names = describeSettings()
      .match(/^ {2}[A-Z_]+/gm)!
      .map((name) => name.trim());
    expect(names.length).toBeGreaterThan(30);
    const rows = [...page.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name!);
    expect(rows.toSorted()).toEqual([...names, 'BURNISH_URL', 'BURNISH_API_KEY'].toSorted());
  });
});

describe('BURNISH_PUBLIC_URL', () => {
  it.each([
    [{}, 'http://127.0.0.1:3000'],
    [{ BURNISH_HOST: '0.0.0.0' }, 'http://127.0.0.1:3000'],
    [{ BURNISH_HOST: '::' }, 'http://127.0.0.1:3000'],
    [{ BURNISH_HOST: '::1', BURNISH_PORT: '80' }, 'http://[::1]:80'],
    [{ BURNISH_PUBLIC_URL: 'https://burnish.example.com/' }, 'https://burnish.example.com'],
  ])('is the start of addresses: %j gives %s', (environment, url) => {
    expect(readConfig(environment).publicUrl).toBe(url);
  });

  it('that is no URL is refused by one sentence', () => {
    expect(() => readConfig({ BURNISH_PUBLIC_URL: 'nonsense' })).toThrow(
      /^Invalid settings:\n  BURNISH_PUBLIC_URL: Invalid URL$/,
    );
  });

  it.each(['https://example.com/burnish', 'https://example.com/?a=1', 'https://name:word@example.com'])(
    'is refused at the start with more than a host: %s',
    (url) => {
      const refusal =
        'BURNISH_PUBLIC_URL: has a scheme, a host name and a port only, such as https://burnish.example.com';
      expect(() => readConfig({ BURNISH_PUBLIC_URL: url })).toThrow(refusal);
    },
  );
});

describe('the deployment files', () => {
  it('use existing settings with valid values', async () => {
    const example = await settingsIn('deploy/example.env');
    const compose = await settingsIn('docker-compose.yml');
    const composition = await read('docker-compose.yml');
    const image = await settingsIn('Dockerfile');
    const all = { ...image, ...compose };
    const environment = Object.fromEntries(Object.entries(all).map(([key, value]) => [key, filledIn(value, example)]));
    const ours = Object.keys(environment).filter((key) => key.startsWith('BURNISH_'));
    expect(ours).toEqual(expect.arrayContaining(['BURNISH_STORAGE', 'BURNISH_DATA_DIR', 'BURNISH_TRUSTED_PROXIES']));
    const config = readConfig(environment);
    expect(config).toMatchObject({
      host: '0.0.0.0',
      dataDir: '/data',
      storage: 's3://burnish/files',
      storagePublicUrl: 'http://localhost:7070',
      temporalUiUrl: null,
      databaseUrl: `postgres://burnish:${example['DATABASE_PASSWORD']}@postgres:5432/burnish`,
      bootstrapApiKey: example['BURNISH_API_KEY'],
    });
    for (const name of Object.keys(example)) {
      expectNamed(composition, `${name} of the example`).toContain(`\${${name}:`);
    }
  });

  it('use documented settings: the page about deployment names no other', async () => {
    const named = new Set((await read('docs/deployment.md')).match(/BURNISH_[A-Z_]+[A-Z]/g));
    expect(named.size).toBeGreaterThan(8);
    const known = new Set(describeSettings().match(/BURNISH_[A-Z_]+[A-Z]/g));
    expect([...named].filter((name) => !known.has(name))).toEqual([]);
  });

  it('pin their images to a version', async () => {
    const images = [...(await read('docker-compose.yml')).matchAll(/^ +image: (\S+)$/gm)].map(([, name]) => name!);
    const bases = [...(await read('Dockerfile')).matchAll(/^FROM (\S+:\S+)/gm)].map(([, name]) => name!);
    expect(images.length + bases.length).toBeGreaterThan(5);
    for (const name of [...images, ...bases]) {
      expect(name).toMatch(/^burnish:|:v?\d+\.\d+(\.\d+)?(-[\w-]+)?$/);
    }
  });
});
