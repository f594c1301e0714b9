import { StartupError } from '../domain/startup-error.ts';

/** How each secret of `deploy/example.env` begins. */
const EXAMPLE = 'change-me-';

/** @throws StartupError that names each setting whose secret is still that of the example */
export function refuseExampleSecrets(environment: Record<string, string | undefined>): void {
  const names = Object.keys(environment).filter((name) => environment[name]?.includes(EXAMPLE));
  if (names.length === 0) return;
  throw new StartupError(
    `${names.join(', ')}: the secret is the one of deploy/example.env, which everybody knows. ` +
      'Make another, for example with `openssl rand -hex 24`.',
  );
}
