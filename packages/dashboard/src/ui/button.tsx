import type { ButtonHTMLAttributes } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'icon' | 'size'> {
  /** primary: the main action, once a page; danger: deletes something; quiet: in rows and beside others */
  kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  icon?: IconName;
  /** Shows that it is busy and ignores a second click; it remains focusable */
  busy?: boolean;
}

export function Button({
  kind = 'plain',
  icon,
  busy = false,
  type = 'button',
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      class={`button ${kind}`}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busy ? <span class="spinner" aria-hidden="true" /> : icon !== undefined && <Icon name={icon} size={18} />}
      {children}
    </button>
  );
}
