/** What a program needs to find its way on a machine, and no setting or secret of ours. */
const KEPT = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'LC_ALL'];

/**
 * The environment of the embedded server and of the shell that guards it: it holds no secret, and the server does not ask its
 * vendor for news of its version.
 * @param from where the few values that stay come from
 */
export function serverEnvironment(from: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(KEPT.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));
  return { ...kept, TEMPORAL_VERSION_CHECK_DISABLED: '1' };
}
