import type { ComponentChildren } from 'preact';

export function Toggle({
  checked,
  onChange,
  label,
  disabled = false,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: string;
  disabled?: boolean;
  children?: ComponentChildren;
}) {
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>
        {label}
        {children !== undefined && <small>{children}</small>}
      </span>
    </label>
  );
}
