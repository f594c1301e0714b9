import type { ComponentChildren } from 'preact';
import { sentenceOf } from '../api/api-error.ts';
import { Icon, type IconName } from './icon.tsx';

const ICONS = { info: 'info', good: 'check', warning: 'alert', bad: 'alert' } as const satisfies Record<
  string,
  IconName
>;

/** A sentence that stands out; `bad` is read out at once, the others when the reader pauses. */
export function Notice({ kind = 'info', children }: { kind?: keyof typeof ICONS; children: ComponentChildren }) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <Icon name={ICONS[kind]} />
      <div>{children}</div>
    </div>
  );
}

/** What went wrong, with a way to try again where there is one. Nothing when `error` is undefined. */
export function Trouble({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  if (error === undefined) return null;
  return (
    <Notice kind="bad">
      {sentenceOf(error)}
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
