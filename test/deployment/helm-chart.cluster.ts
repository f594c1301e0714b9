import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { settings } from '../../src/runtime/config.ts';
import { repositoryRoot } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { helmPrograms, VERSIONS } from './helm-programs.ts';
import { testUnless } from '../support/needs.ts';

const execute = promisify(execFile);
const chart = join(repositoryRoot, 'deploy', 'helm', 'burnish');

const programs = helmPrograms!;
const withPrograms = testUnless(helmPrograms === undefined ? 'programs that Go builds' : undefined);

const IMAGE = ['--set', 'image.repository=registry.example/burnish', '--set', 'image.tag=1.0.0'];
const EVERYTHING = [
  ...IMAGE,
  ...['--set', 'ingress.enabled=true', '--set', 'ingress.className=nginx', '--set', 'ingress.tlsSecret=tls'],
  ...['--set', 'engine.autoscaling.enabled=true', '--set', 'engine.autoscaling.authentication=temporal'],
  ...['--set', 'secrets.gateway=keys', '--set', 'image.pullSecrets[0].name=registry'],
];

const render = async (...options: string[]): Promise<string> =>
  (await execute(programs.helm, ['template', 'shop', chart, '--kube-version', VERSIONS[0], ...options])).stdout;

/** The objects of a kind, by the last word of their name. */
function objectsOf(manifest: string, kind: string): Record<string, string> {
  const objects = manifest.split(/^---$/m).filter((each) => each.includes(`\nkind: ${kind}\n`));
  return Object.fromEntries(objects.map((each) => [/^ {2}name: shop-(\w+)$/m.exec(each)![1]!, each]));
}

withPrograms('helm finds no fault in the chart', async () => {
  const { stdout } = await execute(programs.helm, ['lint', '--strict', chart, ...IMAGE]);
  expect(stdout).toContain('0 chart(s) failed');
});

for (const version of VERSIONS)
  withPrograms(`kubeconform accepts every object for Kubernetes ${version}, and no misspelled field`, async () => {
    await using folder = await temporaryFolder();
    const check = async (manifest: string): Promise<{ status: string; kind: string }[]> => {
      const file = join(folder.path, 'manifest.yaml');
      await writeFile(file, manifest);
      // Kubernetes has no schema of KEDA's object.
      const options = ['-strict', '-output', 'json', '-verbose', '-skip', 'ScaledObject'];
      const { stdout } = await execute(programs.kubeconform, [
        ...options,
        ...['-kubernetes-version', version, '-schema-location', programs.schemas(version), file],
      ]).catch((error: unknown) => error as { stdout: string });
      return (JSON.parse(stdout) as { resources: { status: string; kind: string }[] }).resources;
    };
    for (const options of [
      IMAGE,
      EVERYTHING,
      [...IMAGE, '--set', 'seccompProfile=', '--set', 'networkPolicy.enabled=false'],
    ]) {
      const checked = await check(await render(...options));
      expect(checked.length).toBeGreaterThanOrEqual(8);
      expect(checked.filter(({ status, kind }) => status !== 'statusValid' && kind !== 'ScaledObject')).toEqual([]);
    }
    const misspelled = (await render(...IMAGE)).replace('maxUnavailable: 1\n', 'maxUnavailabel: 1\n');
    const [refused] = (await check(misspelled)).filter(({ status }) => status !== 'statusValid');
    expect(refused).toMatchObject({ status: 'statusInvalid', kind: 'PodDisruptionBudget' });
  });

withPrograms('each process writes to no file of its image, has no capability and no access to Kubernetes', async () => {
  const deployments = objectsOf(await render(...IMAGE), 'Deployment');
  expect(Object.keys(deployments).sort()).toEqual(['engine', 'gateway', 'worker']);
  for (const text of Object.values(deployments)) {
    for (const line of [
      'readOnlyRootFilesystem: true',
      'allowPrivilegeEscalation: false',
      'capabilities: { drop: [ALL] }',
      'runAsNonRoot: true',
      'automountServiceAccountToken: false',
      'seccompProfile: { type: Localhost, localhostProfile: "burnish/seccomp.json" }',
    ]) {
      expect(text).toContain(line);
    }
  }
});

withPrograms('only gateways have the keys of the account and the operator', async () => {
  const deployments = objectsOf(await render(...EVERYTHING), 'Deployment');
  const withKeys = Object.entries(deployments).filter(([, text]) => text.includes('secretRef: { name: keys }'));
  expect(withKeys.map(([name]) => name)).toEqual(['gateway']);
});

test('engines may connect to three ports of their namespace, and to no other pod', async () => {
  const values = await readFile(join(chart, 'values.yaml'), 'utf8');
  const [rule = ''] = /^ {2}engineTo:\n(?: {4}.*\n?)+/m.exec(values) ?? [];
  expect(rule.match(/port: \d+/g)).toEqual(['port: 5432', 'port: 7233', 'port: 9000']);
  expect(rule.match(/to: .*/g)).toEqual(['to: [{ podSelector: {} }]']);
});

withPrograms('engines connect only to DNS and their namespace, and the backlog sets their number', async () => {
  const manifest = await render(...EVERYTHING);
  const { engine, gateway } = objectsOf(manifest, 'NetworkPolicy');
  expect(engine).toContain('policyTypes: [Ingress, Egress]');
  expect(engine).not.toContain('port: http');
  expect(gateway).toContain('policyTypes: [Ingress]');
  const scaling = objectsOf(manifest, 'ScaledObject')['engine'];
  expect(scaling).toMatch(/taskQueue: burnish-engine\n[^]*targetQueueSize: "4"/);
  expect(scaling).toMatch(/taskQueue: burnish-engine-large\n[^]*targetQueueSize: "4"/);
  const { engine: scaled, worker } = objectsOf(manifest, 'Deployment');
  expect(scaled).not.toContain('replicas:');
  expect(worker).toContain('replicas: 2');
});

withPrograms('a missing image is named', async () => {
  await expect(render()).rejects.toThrow('image.repository: name the image that you built');
});

test('each setting in the values of the chart exists', async () => {
  const values = await readFile(join(chart, 'values.yaml'), 'utf8');
  const names = [...values.matchAll(/\b(BURNISH_[A-Z_]+)\b/g)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !(name in settings))).toEqual([]);
});
