import type { ComponentChildren } from 'preact';
import { describeError } from '../api/describe-error.ts';
import { Icon, type IconName } from './icon.tsx';

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
