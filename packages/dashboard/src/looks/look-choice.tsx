import { useEffect } from 'preact/hooks';
import type { ImageParameters } from '@burnish/contract';
import { Field } from '../ui/field.tsx';
import { looks, readLooks } from './looks.ts';

/** A choice of the looks of the account, in place of a mode. */
export function LookChoice({
  value,
  onChange,
}: {
  value: ImageParameters['mode'];
  onChange: (mode: ImageParameters['mode'] | undefined) => void;
}) {
  // A failure leaves the choice out: an order needs no look.
  useEffect(() => void readLooks().catch(() => undefined), []);
  const chosen = typeof value === 'object' ? value.look : '';
  const names = (looks.value ?? []).map(({ name }) => name);
  if (names.length === 0 && chosen === '') return null;
  const options = chosen === '' || names.includes(chosen) ? names : [...names, chosen];
  return (
    <Field label="Your look">
      {(tie) => (
        <select
          {...tie}
          value={chosen}
          onChange={({ currentTarget: { value: look } }) => onChange(look === '' ? undefined : { look })}
        >
          <option value="">None</option>
          {options.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
