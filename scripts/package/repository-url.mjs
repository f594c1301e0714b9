import { run } from '../process.mjs';

/**
 * The public repository of a clone, from its remote `origin`: npm signs the provenance of a package only where its manifest names the
 * repository of the build.
 * @param {string} root
 * @returns {Promise<string | undefined>} such as https://git.example.com/burnish/burnish; undefined for a remote that is a folder, and without a remote
 */
export async function repositoryUrl(root) {
  const args = ['config', '--get', 'remote.origin.url'];
  const { code, output } = await run('git', args, { cwd: root, quiet: true }).catch(() => ({ code: 1, output: '' }));
  const [, host, path] =
    /^(?:https:\/\/(?:[^@/]*@)?|ssh:\/\/git@|git@)([\w.-]+)[/:](.+?)(?:\.git)?\/?$/.exec(output.trim()) ?? [];
  return code === 0 && host !== undefined ? `https://${host}/${path}` : undefined;
}
