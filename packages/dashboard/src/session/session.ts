import { signal } from '@preact/signals';
import { call, onSignedOut, tellSignedOut } from '../api/client.ts';
import type { OperatorSession, Session } from '../api/types.ts';

/** The present session: undefined until the gateway has answered, null without a session. */
export const session = signal<Session | null | undefined>(undefined);

/** The operator's session, while the operator is signed in; `session` is null then. */
export const operatorSession = signal<OperatorSession | undefined>(undefined);

export const sessionTrouble = signal<unknown>(undefined);

export const hasExpired = signal(false);

onSignedOut(() => {
  if (session.value || operatorSession.value) hasExpired.value = true;
  take(null);
});

function take(answer: Session | OperatorSession | null): void {
  const isOperator = answer !== null && 'operator' in answer;
  operatorSession.value = isOperator ? answer : undefined;
  session.value = isOperator ? null : answer;
}

export async function loadSession(): Promise<void> {
  sessionTrouble.value = undefined;
  try {
    // No content means no session.
    take((await call<Session | OperatorSession | undefined>('GET', '/session')) ?? null);
  } catch (error) {
    sessionTrouble.value = error;
  }
}

export async function signIn(by: { apiKey: string } | { token: string }): Promise<void> {
  const made = await call<Session | OperatorSession>('POST', '/session', { body: by });
  hasExpired.value = false;
  take(made);
}

export async function signOut(): Promise<void> {
  await call<void>('DELETE', '/session');
  take(null);
  tellSignedOut();
  hasExpired.value = false;
}
