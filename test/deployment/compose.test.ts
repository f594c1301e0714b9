import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { settings } from '../../src/runtime/config.ts';
import { repositoryRoot } from '../support/repository.ts';
import { expectNamed } from '../support/expect-named.ts';

const read = (name: string): Promise<string> => readFile(join(repositoryRoot, name), 'utf8');
const composition = await read('docker-compose.yml');

/** The blocks of a top-level key, by the name of each; comments are left out. */
function blocksOf(key: string): Record<string, string> {
  const text = composition.replace(/^ *#.*\n/gm, '');
  const [, body = ''] = new RegExp(`^${key}:.*\\n((?: .*\\n|\\n)*)`, 'm').exec(text) ?? [];
  const blocks = body.split(/^ {2}(?=\S)/m).slice(1);
  return Object.fromEntries(blocks.map((block) => [/^[\w-]+/.exec(block)![0], block]));
}

const services = blocksOf('services');
const ours = Object.entries(services).filter(([, block]) => block.includes('<<: *burnish'));

/** What a service has of its own, else what all of ours have. */
const fieldOf = (block: string, name: string): string | undefined =>
  new RegExp(`^ {4}${name}: (.*)$`, 'm').exec(block)?.[1] ?? new RegExp(`^ {2}${name}: (.*)$`, 'm').exec(common)?.[1];
const common = /^x-burnish: [\s\S]*?(?=^\S.*:)/m.exec(composition.slice(composition.indexOf('x-burnish')))![0];

describe.each(ours)('the compose service %s', (name, block) => {
  test('writes to no file of its image, has no capability and gains none', () => {
    expect(fieldOf(block, 'read_only')).toBe('true');
    expect(fieldOf(block, 'cap_drop')).toBe('[ALL]');
    const profile = "'seccomp:deploy/seccomp.json', 'apparmor:unconfined'";
    expect(fieldOf(block, 'security_opt')).toBe(`['no-new-privileges:true', ${profile}]`);
    expect(fieldOf(block, 'tmpfs')).toContain('/tmp:');
    expect(Number(fieldOf(block, 'pids_limit'))).toBeGreaterThan(0);
    expect(block).not.toMatch(/privileged|cap_add|network_mode|pid: host|docker\.sock/);
  });

  test('receives every setting that applies to this deployment', () => {
    const hosted = /<<: \[\*settings, \*hosted\]/.test(block);
    expect(hosted).toBe(name !== 'engine');
  });
});

describe('decoders in containers', () => {
  test('have the sandbox of the kernel, or the process does not start', () => {
    expect(common).toContain('BURNISH_SANDBOX: ${BURNISH_SANDBOX:-required}');
  });

  test('have a profile of system calls with those of bubblewrap, and without those of its filter', async () => {
    const { defaultAction, syscalls } = JSON.parse(await read('deploy/seccomp.json')) as {
      defaultAction: string;
      syscalls: { names: string[]; action: string }[];
    };
    const refused = syscalls.filter(({ action }) => action === 'SCMP_ACT_ERRNO').flatMap(({ names }) => names);
    expect(defaultAction).toBe('SCMP_ACT_ALLOW');
    for (const name of ['clone', 'unshare', 'mount', 'umount2', 'pivot_root', 'seccomp', 'prctl', 'capset']) {
      expect(refused).not.toContain(name);
    }
    expect(refused).toEqual(
      expect.arrayContaining(['bpf', 'ptrace', 'keyctl', 'io_uring_setup', 'kexec_load', 'setns']),
    );
  });

  test('share no container with a key of an account or of the operator', () => {
    const withKeys = ours.filter(([, block]) => /BURNISH_(BOOTSTRAP_API|OPERATOR)_KEY/.test(block));
    expect(withKeys.map(([name]) => name)).toEqual(['gateway']);
    expect(common).not.toMatch(/BURNISH_(BOOTSTRAP_API|OPERATOR)_KEY/);
  });
});

test('the compose file has a gateway, a workflow worker and an engine worker', () => {
  expect(ours.map(([name]) => name)).toEqual(['gateway', 'worker', 'engine']);
});

test('the engine has no internet access: its only network is internal, and it publishes no port', () => {
  const engine = services['engine']!;
  expect(fieldOf(engine, 'networks')).toBe('[inside]');
  expect(engine).not.toContain('ports:');
  expect(blocksOf('networks')['inside']).toContain('internal: true');
});

test('database, Temporal and its tools have no internet access and publish no port', () => {
  for (const name of ['postgres', 'temporal', 'temporal-schema', 'temporal-namespace']) {
    expectNamed(fieldOf(services[name]!, 'networks'), name).toBe('[inside]');
    expectNamed(services[name], name).not.toContain('ports:');
  }
});

test('ports are published on the loopback only', () => {
  const ports = [...composition.matchAll(/^ +ports: \['(.*)'\]$/gm)].map(([, port]) => port!);
  expect(ports.length).toBeGreaterThan(2);
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
});

describe('settings of the compose file', () => {
  /** Of an instance in one process tree, which is not what this file starts. */
  const EMBEDDED = [
    'BURNISH_TEMPORAL_BINARY',
    'BURNISH_TEMPORAL_PORT',
    'BURNISH_TEMPORAL_UI_PORT',
    'BURNISH_TEMPORAL_SYNCHRONOUS',
  ];

  test('are all passed through docker-compose.yml or fixed by the image', async () => {
    const image = await read('Dockerfile');
    const missing = Object.keys(settings).filter(
      (name) => !new RegExp(`^ +${name}: `, 'm').test(composition) && !new RegExp(`${name}=`).test(image),
    );
    expect(missing.toSorted()).toEqual(EMBEDDED.toSorted());
  });

  test('are all in the example file if docker-compose.yml uses them', async () => {
    const example = await read('deploy/example.env');
    const variables = new Set([...composition.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!));
    expect(variables.size).toBeGreaterThan(20);
    expect([...variables].filter((name) => !new RegExp(`^#?${name}=`, 'm').test(example))).toEqual([]);
  });

  test('are all used by docker-compose.yml if they are in the example file', async () => {
    const names = [...(await read('deploy/example.env')).matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name!);
    expect(names.filter((name) => !composition.includes(`\${${name}:`))).toEqual([]);
  });
});

describe.each(Object.entries(services).filter(([name]) => !ours.some(([own]) => own === name)))(
  'the compose service %s, from an image of others',
  (_, block) => {
    const confined = /^x-confined: [\s\S]*?(?=^\S.*:)/m.exec(composition.slice(composition.indexOf('x-confined')))![0];

    test('writes to no file of its image, has no capability and gains none', () => {
      expect(block).toContain('<<: *confined');
      expect(confined).toMatch(/^ {2}read_only: true$/m);
      expect(confined).toMatch(/^ {2}cap_drop: \[ALL\]$/m);
      expect(confined).toContain("security_opt: ['no-new-privileges:true']");
      expect(block).not.toMatch(/privileged|cap_add|read_only|cap_drop|security_opt|network_mode|docker\.sock/);
    });

    test('has an exact version', () => {
      expect(block).toMatch(/^ {4}image: \S+:v?\d+\.\d+(\.\d+)?(-bookworm)?(@sha256:[0-9a-f]{64})?$/m);
    });
  },
);

describe('passwords of the compose file', () => {
  /** Variables of a service that are secrets. */
  const secretsOf = (text: string): string[] =>
    [...new Set([...text.matchAll(/\$\{(\w*(?:PASSWORD|SECRET|_KEY|TOKEN)\w*)/g)].map(([, name]) => name!))].sort();

  test('are different for the database of Burnish, that of Temporal, the administrator and the storage', () => {
    expect(secretsOf(services['storage']!)).toEqual(['STORAGE_SECRET']);
    expect(secretsOf(services['temporal']!)).toEqual(['TEMPORAL_DATABASE_PASSWORD']);
    expect(secretsOf(services['temporal-schema']!)).toEqual(['TEMPORAL_DATABASE_PASSWORD']);
    expect(secretsOf(services['temporal-ui']!)).toEqual([]);
    expect(secretsOf(services['postgres']!)).toEqual([
      'DATABASE_PASSWORD',
      'POSTGRES_PASSWORD',
      'TEMPORAL_DATABASE_PASSWORD',
    ]);
  });

  test('of an engine worker are those that it needs: its database, its storage, the encryption key and the metrics', () => {
    expect(secretsOf(services['engine']!)).toEqual([]);
    expect(secretsOf(common)).toEqual([
      'BURNISH_ENCRYPTION_KEY',
      'BURNISH_METRICS_TOKEN',
      'DATABASE_PASSWORD',
      'STORAGE_SECRET',
    ]);
    const [hosted = ''] = /^x-hosted: [\s\S]*?(?=^services:)/m.exec(composition) ?? [];
    expect(secretsOf(hosted)).toContain('BURNISH_HOSTED_API_KEY');
  });
});

test('the Web UI, which has no sign-in, starts only on request, is on the loopback and changes nothing', () => {
  const ui = services['temporal-ui']!;
  expect(Object.keys(services).filter((name) => services[name]!.includes('profiles:'))).toEqual(['temporal-ui']);
  expect(ui).toContain('profiles: [temporal-ui]');
  expect(ui).toContain("ports: ['127.0.0.1:");
  expect(ui).toContain("TEMPORAL_DISABLE_WRITE_ACTIONS: 'true'");
});

test('the image is made of the package, which contains the licences of third parties and the list of its packages', async () => {
  const image = await read('Dockerfile');
  expect(image).toMatch(/^RUN npm run package$/m);
  expect(image).toMatch(
    /^COPY --from=package \/clone\/burnish-\*\.tgz \.\/burnish\.tgz\nRUN npm install .* \.\/burnish\.tgz /m,
  );
  const [final = ''] = /^FROM node AS burnish\n[\s\S]*/m.exec(image) ?? [];
  expect([...final.matchAll(/^COPY (.*)$/gm)].map(([, copy]) => copy)).toEqual(['--from=installed /app /app']);
  expect(JSON.parse(await read('package.json'))).toMatchObject({
    files: expect.arrayContaining(['THIRD-PARTY.md', 'dist']),
  });
});

test('the image contains the program for the strongest sandbox', async () => {
  expect(await read('Dockerfile')).toMatch(/^FROM node AS burnish\nRUN [\s\S]*?\bbubblewrap\b[\s\S]*?^WORKDIR/m);
});
