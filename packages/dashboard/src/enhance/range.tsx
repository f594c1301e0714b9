import { useId } from 'preact/hooks';

/** A number within bounds, by sliding. @param show the number as a person reads it */
export function Range({
  label,
  min,
  max,
  step,
  value,
  show,
  onChange,
}: {
  label: string;
  min: number;
  max: number;
  step: number;
  value: number;
  show: (value: number) => string;
  onChange: (value: number) => void;
}) {
  const id = useId();
  return (
    <div class="range">
      <label for={id}>{label}</label>
      <output for={id}>{show(value)}</output>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-valuetext={show(value)}
        onInput={(event) => onChange(Number(event.currentTarget.value))}
      />
    </div>
  );
}
