import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { PUBLIC_PACKAGES, RUNTIME, tarballOf } from '../support/public-packages.ts';
import { syntheticPhotograph } from '../../packages/engine/test/support/photograph.ts';

const execute = promisify(execFile);

/** A project beside the clone, in which the tarballs of all public packages are installed. */
export interface StrangerProject {
  path: string;
  /** Runs a program in the project. @returns what it prints; an error has that, too */
  run(program: string, ...words: string[]): Promise<string>;
}

/**
 * Makes a project with the tarballs and other packages, from the npm registry alone and without install scripts. It has the picture
 * `in.jpg` of 60 × 40 pixels.
 * @param path a folder that does not exist
 * @param manifest its package.json, which gets the tarballs
 */
export async function strangerProject(
  path: string,
  manifest: { dependencies?: Record<string, string>; [field: string]: unknown },
): Promise<StrangerProject> {
  await mkdir(path, { recursive: true });
  const names = [...PUBLIC_PACKAGES, RUNTIME];
  const ours = names.map((name) => [`@burnish/${name}`, `file:${basename(tarballOf(name))}`] as const);
  for (const name of names) await cp(tarballOf(name), join(path, basename(tarballOf(name))));
  const dependencies = { ...manifest.dependencies, ...Object.fromEntries(ours) };
  await writeFile(join(path, 'package.json'), JSON.stringify({ ...manifest, private: true, dependencies }, null, 2));
  const { data } = syntheticPhotograph(60, 40);
  await sharp(data, { raw: { width: 60, height: 40, channels: 3 } })
    .jpeg()
    .toFile(join(path, 'in.jpg'));
  const project: StrangerProject = {
    path,
    async run(program, ...words) {
      const { stdout } = await execute(program, words, {
        cwd: path,
        env: environment(program),
        maxBuffer: 16 * 1024 ** 2,
      }).catch(({ stdout: out, stderr, message }: { stdout: string; stderr: string; message: string }) => {
        throw new Error([message, out, stderr].join('\n'));
      });
      return stdout;
    },
  };
  await project.run('npm', 'install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
  return project;
}

/** What a user of another project has: no setting of this run's npm. Programs find the chosen Node.js first. */
function environment(program: string): NodeJS.ProcessEnv {
  const npm = Object.entries(process.env).filter(([name]) => /^npm_config_(registry|cache|userconfig)$/i.test(name));
  const { PATH = '', HOME, TMPDIR } = process.env;
  const path = isAbsolute(program) ? [dirname(program), PATH].join(delimiter) : PATH;
  return { PATH: path, HOME, TMPDIR, ...Object.fromEntries(npm) };
}

/** Path of Node.js of a version such as `22`: the running one, or npm's package of it, whose install script provides it. */
export async function nodeOf(version: string): Promise<string> {
  if (process.versions.node === version) return process.execPath;
  const words = ['exec', '--ignore-scripts=false', '--yes', `--package=node@${version}`, '--', 'node', '--print'];
  const { stdout } = await execute('npm', [...words, 'process.execPath']);
  return stdout.trim();
}
