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

/** 0.35 → `35 %` */
export const percent = (value: number): string => `${Math.round(value * 100)} %`;

/** An adjustment: −0.2 → `−20`, 0.2 → `+20` */
export const signed = (value: number): string => {
  const hundredths = Math.round(value * 100);
  return hundredths > 0 ? `+${hundredths}` : String(hundredths).replace('-', '−');
};
