import { signal } from '@preact/signals';
import { call, onSignedOut, tellSignedOut } from '../api/client.ts';
import type { Session } from '../api/types.ts';

/** The present session: undefined until the gateway has answered, null when nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined);

/** Why the gateway could not name the session */
export const sessionTrouble = signal<unknown>(undefined);

/** Whether a session that was there has ended without being asked to */
export const hasExpired = signal(false);

onSignedOut(() => {
  if (session.value) hasExpired.value = true;
  session.value = null;
});

/** Asks the gateway for the present session. */
export async function loadSession(): Promise<void> {
  sessionTrouble.value = undefined;
  try {
    // No content: nobody is.
    session.value = (await call<Session | undefined>('GET', '/session')) ?? null;
  } catch (error) {
    sessionTrouble.value = error;
  }
}

/** @throws ApiError UNAUTHENTICATED for a key that is none, or a link that was used or is too old */
export async function signIn(by: { apiKey: string } | { token: string }): Promise<void> {
  const made = await call<Session>('POST', '/session', { body: by });
  hasExpired.value = false;
  session.value = made;
}

/** Ends the session, here and at the gateway. */
export async function signOut(): Promise<void> {
  await call<void>('DELETE', '/session');
  session.value = null;
  tellSignedOut();
  hasExpired.value = false;
}
