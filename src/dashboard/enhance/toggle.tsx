import type { ComponentChildren } from 'preact';

export function Toggle({
  checked,
  onChange,
  label,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: string;
  children?: ComponentChildren;
}) {
  return (
    <label class="choice">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>
        {label}
        {children !== undefined && <small>{children}</small>}
      </span>
    </label>
  );
}
