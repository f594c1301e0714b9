import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { INSIDE } from './bundle-modules.mjs';
import { ONNXRUNTIME_LICENCES } from './onnxruntime.mjs';
import { FROM_NPM, MANIFESTS, bundledFolders, packageName } from './bundle-packages.mjs';

const LICENCE_FILE = /^(licen[cs]e|copying|notice|patents|thirdpartynotices)|\.LICENSE\.txt$/i;
/** These packages name the licences of the libraries in their native code only in their readme. */
const README_NAMES_LICENCES = /^@img\/sharp-libvips-/;
/** Texts that packages with native code refer to without a copy. */
const TEXTS = ['LGPL-3.0.txt', 'GPL-3.0.txt'];
/** What browsers run: the packages inside of the dashboard and the guide. */
const IN_PAGES = [
  '@preact/signals',
  '@preact/signals-core',
  '@tanstack/virtual-core',
  'minisearch',
  'p-limit',
  'preact',
  'preact-iso',
  'yocto-queue',
];
const RULER = '='.repeat(80);

/**
 * @typedef {Record<string, import('./bundle-packages.mjs').Entry>} Entries of package-lock.json
 * @typedef {{ metadata: { component: object }, components: { 'bom-ref': string }[], dependencies: { ref: string, dependsOn: string[] }[] }} Sbom in the format CycloneDX
 */

/**
 * Writes the licence texts of all packages that run with the product, and their list in the format CycloneDX.
 * @param {string} root the folder with package-lock.json and node_modules
 * @param {string} dist receives licences.txt and sbom.cdx.json
 */
export async function writeNotices(root, dist) {
  /** @type {Entries} */
  const entries = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const folders = shippedFolders(entries);
  writeFileSync(join(dist, 'licences.txt'), licenceTexts(root, entries, folders));
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 64 * 1024 ** 2 });
  const ours = MANIFESTS.flatMap((folder) => (entries[folder]?.name === undefined ? [] : [entries[folder]]));
  const names = new Set([
    ...folders.map((folder) => `${packageName(folder)}@${entries[folder]?.version}`),
    ...ours.map(({ name, version }) => `${name}@${version}`),
  ]);
  writeFileSync(join(dist, 'sbom.cdx.json'), `${JSON.stringify(onlyShipped(JSON.parse(stdout), names), null, 1)}\n`);
}

/**
 * The packages in the package, those in its bundles, and those that npm installs with it, for all platforms.
 * @param {Entries} entries
 */
export const shippedFolders = (entries) =>
  [
    ...new Set([
      ...bundledFolders(entries),
      ...foldersInside('client'),
      ...foldersInside('engine'),
      ...IN_PAGES.map((name) => `node_modules/${name}`),
      ...bundledFolders(entries, FROM_NPM),
    ]),
  ].sort();

/** @param {keyof typeof INSIDE} bundle */
const foldersInside = (bundle) => INSIDE[bundle].map((name) => `node_modules/${name}`);

/**
 * Writes the licence texts of the packages inside the bundles of a public package, beside the bundles.
 * @param {string} root the folder with package-lock.json and node_modules
 * @param {keyof typeof INSIDE} bundle
 */
export function writeLicencesInside(root, bundle) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const texts = packageLicences(root, packages, foldersInside(bundle));
  writeFileSync(join(root, 'packages', bundle, 'dist', 'licences.txt'), texts.join('\n'));
}

/**
 * @param {string} root
 * @param {Entries} entries
 * @param {readonly string[]} folders
 */
export function licenceTexts(root, entries, folders) {
  const intro = 'Licences of the packages that run with Burnish. THIRD-PARTY.md has those of other work.\n';
  const texts = TEXTS.map((name) => readFileSync(join(import.meta.dirname, 'licences', name), 'utf8'));
  return [intro, ...packageLicences(root, entries, folders), ...texts.map((text) => `${RULER}\n${text}`)].join('\n');
}

/**
 * The licence texts of packages, each under the name of its package.
 * @param {string} root
 * @param {Entries} entries
 * @param {readonly string[]} folders
 */
function packageLicences(root, entries, folders) {
  return folders.map((folder) => {
    const { version = '', license = 'no licence named' } = entries[folder] ?? {};
    return `${RULER}\n${packageName(folder)} ${version} (${license})\n\n${textsOf(join(root, folder))}`;
  });
}

/** @param {string} folder of a package; that of another platform may be missing */
function textsOf(folder) {
  if (packageName(folder) === 'onnxruntime-node') return textsOf(ONNXRUNTIME_LICENCES);
  if (!existsSync(folder)) return 'The package for another platform, with the licences of the package for this one.\n';
  const readme = README_NAMES_LICENCES.test(packageName(folder)) ? /^readme/i : /^$/;
  const names = readdirSync(folder).filter((name) => LICENCE_FILE.test(name) || readme.test(name));
  if (names.length === 0) {
    const { author, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const said = JSON.stringify({ author, repository });
    return `The package has no file with the text. Its manifest says: ${said}\n`;
  }
  return names.map((name) => readFileSync(join(folder, name), 'utf8').trimEnd()).join('\n\n') + '\n';
}

/**
 * @param {Sbom} sbom of the whole lockfile, with development packages
 * @param {ReadonlySet<string>} names such as `zod@4.6.7`
 */
export function onlyShipped(sbom, names) {
  const components = sbom.components.filter((component) => names.has(component['bom-ref']));
  const refs = new Set(components.map((component) => component['bom-ref']));
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref) || !sbom.components.some((component) => component['bom-ref'] === ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  // npm names it by its folder.
  const metadata = { ...sbom.metadata, component: { ...sbom.metadata.component, name: 'burnish' } };
  return { ...sbom, metadata, components, dependencies };
}
