import { useLocation } from 'preact-iso';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { BurnishError } from '@burnish/client';
import { Brand } from '../shell/brand.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Notice, Trouble } from '../ui/notice.tsx';
import { Loading } from '../ui/progress.tsx';
import { takeToken } from './link-token.ts';
import { hasExpired, signIn } from './session.ts';
import { leaveForTemporal } from './way-to-temporal.ts';

/** The sign-in page: by a link of one use, whose token follows the # and is therefore never sent with the address, or by an API key. */
export function SignInPage() {
  const { path, route } = useLocation();
  const [token] = useState(takeToken);
  const [apiKey, setApiKey] = useState('');
  const [busy, setBusy] = useState(token !== undefined);
  const [error, setError] = useState<unknown>();

  const enter = async (by: Parameters<typeof signIn>[0]): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await signIn(by);
      if (leaveForTemporal()) return;
      if (path === '/sign-in') route('/', true);
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  };

  useLayoutEffect(() => void (document.title = 'Sign in · Burnish'), []);
  useEffect(() => {
    if (token !== undefined) void enter({ token });
  }, []);

  const isRefused = error instanceof BurnishError && error.code === 'UNAUTHENTICATED';
  return (
    <main class="sign-in">
      <div class="card">
        <Brand />
        <h1>Sign in</h1>
        {hasExpired.value && <Notice>Your session has ended. Sign in again.</Notice>}
        {busy && token !== undefined && <Loading label="Signing you in …" />}
        {isRefused && apiKey === '' && token !== undefined ? (
          <Notice kind="bad">
            This link has been used or has expired. Print a new link with <code>npx burnish dashboard</code>, or sign in
            with an API key.
          </Notice>
        ) : (
          !isRefused && <Trouble error={error} />
        )}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy) void enter({ apiKey: apiKey.trim() });
          }}
        >
          <Field
            label="API key"
            hint={
              <>
                Of an account or of the operator, printed at the first start. Or open the link that{' '}
                <code>npx burnish dashboard</code> prints.
              </>
            }
            error={
              isRefused && apiKey !== ''
                ? 'This is not a valid API key of this instance. Check it, or open a sign-in link.'
                : undefined
            }
          >
            {(tie) => (
              <input
                {...tie}
                type="password"
                name="api-key"
                autocomplete="current-password"
                spellcheck={false}
                required
                value={apiKey}
                onInput={(event) => setApiKey(event.currentTarget.value)}
              />
            )}
          </Field>
          <Button kind="primary" type="submit" busy={busy}>
            Sign in
          </Button>
        </form>
      </div>
    </main>
  );
}
