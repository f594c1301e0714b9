import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { refuseExampleSecrets } from '../../src/runtime/config.ts';
import { StartupError } from '../../src/domain/startup-error.ts';
import { repositoryRoot } from '../support/repository.ts';

it('a start with a secret of the example file is refused and names the setting', () => {
  const environment = {
    DATABASE_URL: 'postgres://burnish:change-me-database@postgres:5432/burnish',
    BURNISH_BOOTSTRAP_API_KEY: 'a-key-of-my-own-that-is-long',
  };
  expect(() => refuseExampleSecrets(environment)).toThrow(StartupError);
  expect(() => refuseExampleSecrets(environment)).toThrow(/^DATABASE_URL: /);
  expect(() =>
    refuseExampleSecrets({ ...environment, DATABASE_URL: 'postgres://burnish:4f2a@postgres/burnish' }),
  ).not.toThrow();
});

it('every secret of the example file is refused at start', async () => {
  const lines = (await readFile(join(repositoryRoot, 'deploy/example.env'), 'utf8')).split('\n');
  const secrets = lines
    .map((line) => /^(\w*(?:PASSWORD|SECRET|KEY))=(.+)$/.exec(line))
    .filter((match) => match !== null);
  expect(secrets.length).toBeGreaterThan(2);
  for (const [, name, value] of secrets) expect(() => refuseExampleSecrets({ [name!]: value })).toThrow(name!);
});
