import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withPythonWheel } from '../../src/process/python-wheel.ts';
import { buildGoPrograms, recentGo } from '../support/go-toolchain.ts';
import { onceACheckout } from '../support/once-a-checkout.ts';
import { repositoryRoot } from '../support/repository.ts';

const HELM = {
  module: 'helm.sh/helm/v3',
  version: 'v3.22.0',
  sum: 'h1:n1if5iQgHYsujPAcO5oonH/KiSNUmqmUF0iGVjSF3AU=',
  packages: ['cmd/helm'],
};
const KUBECONFORM = {
  module: 'github.com/yannh/kubeconform',
  version: 'v0.8.0',
  sum: 'h1:loDYd3a3spjIFrauqW67CDKF55Oo9R6uvC8AvpVd4ug=',
  packages: ['cmd/kubeconform'],
};
/** JSON schemas of all objects of Kubernetes. */
const SCHEMAS = {
  package: 'kubernetes-validate',
  version: '1.37.0',
  hashes: new Set(['85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9']),
};
/** Objects of the chart, by the names of their schemas */
const KINDS = [
  'deployment-apps-v1',
  'ingress-networking-v1',
  'networkpolicy-networking-v1',
  'poddisruptionbudget-policy-v1',
  'service-v1',
  'serviceaccount-v1',
];
/** The oldest and the newest version of Kubernetes that the chart is checked against. */
export const VERSIONS = ['1.30.0', '1.37.0'] as const;
/** From this version on, Go downloads the Go version that a module requires. */
const LEAST_GO = [1, 21] as const;

export interface HelmPrograms {
  helm: string;
  kubeconform: string;
  /** Location of the schemas of a version of Kubernetes, such as `1.31.0`, for kubeconform */
  schemas(version: string): string;
}

const folder = join(repositoryRoot, '.cache', `helm-${HELM.version.slice(1)}`);
const programs: HelmPrograms = {
  helm: join(folder, 'helm'),
  kubeconform: join(folder, 'kubeconform'),
  schemas: (version) => join(folder, version, '{{ .ResourceKind }}{{ .KindSuffix }}.json'),
};

/** Builds helm and kubeconform from source and fetches the schemas, which takes two minutes of CPU time, once. */
async function findPrograms(): Promise<HelmPrograms | undefined> {
  const complete = join(folder, VERSIONS[1], `${KINDS.at(-1)!}.json`);
  const isThere = await access(complete).then(
    () => true,
    () => false,
  );
  if (isThere) return programs;
  const go = process.env['CI'] === undefined ? undefined : await recentGo(LEAST_GO);
  if (go === undefined) return undefined;
  await onceACheckout('helm', () => build(go));
  return programs;
}

async function build(go: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(join(folder, 'build-'));
  try {
    for (const each of [HELM, KUBECONFORM]) await buildGoPrograms(go, each, scratch, 'auto');
    await rename(join(scratch, 'helm'), programs.helm);
    await rename(join(scratch, 'kubeconform'), programs.kubeconform);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  await withPythonWheel({ wheel: SCHEMAS, target: join(folder, 'schemas'), env: process.env }, async (unpacked) => {
    for (const version of VERSIONS) {
      const from = join(unpacked, 'kubernetes_validate', 'kubernetes-json-schema', `v${version}-local-strict`);
      await mkdir(join(folder, version), { recursive: true });
      const { $defs } = JSON.parse(await readFile(join(from, '_definitions.json'), 'utf8')) as { $defs: object };
      for (const kind of KINDS) {
        // Their references lead to an absolute path, so each gets the definitions.
        const text = (await readFile(join(from, `${kind}.json`), 'utf8')).replaceAll('/api/_definitions.json#', '#');
        await writeFile(
          join(folder, version, `${kind}.json`),
          JSON.stringify({ ...(JSON.parse(text) as object), $defs }),
        );
      }
    }
  });
}

/** Undefined without Go, and outside of CI where they have not been built */
export const helmPrograms: HelmPrograms | undefined = await findPrograms();
