import { useId } from 'preact/hooks';

/** A choice of a few visible values: radio buttons that look like one control. */
export function Segments<Value extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly { value: Value; label: string; hint?: string }[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  const name = useId();
  const hint = options.find((each) => each.value === value)?.hint;
  return (
    <fieldset class="segments">
      <legend>{label}</legend>
      <div class="segments-row">
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
      {hint !== undefined && <p class="hint">{hint}</p>}
    </fieldset>
  );
}
