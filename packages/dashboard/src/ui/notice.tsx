import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import { BurnishError } from '@burnish/client';

const ICONS = { info: 'info', good: 'check', warning: 'alert', bad: 'alert' } as const satisfies Record<
  string,
  IconName
>;

export function Notice({ kind = 'info', children }: { kind?: keyof typeof ICONS; children: ComponentChildren }) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <Icon name={ICONS[kind]} />
      <div>{children}</div>
    </div>
  );
}

/** A failure, with a button to try again if possible. Empty if `error` is undefined. */
export function Trouble({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  if (error === undefined) return null;
  return (
    <Notice kind="bad">
      {describeError(error)}
      {retry !== undefined && (
        <>
          {' '}
          <button type="button" class="link" onClick={retry}>
            Try again
          </button>
        </>
      )}
    </Notice>
  );
}

/** Any error as a sentence that a person can be shown. */
function describeError(error: unknown): string {
  if (error instanceof BurnishError) return error.message;
  return error instanceof Error
    ? `The page has an error. Reload it. (${error.message})`
    : 'The page has an error. Reload it.';
}
