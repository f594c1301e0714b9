export function Choices<Value extends string>({
  legend,
  values,
  words,
  chosen,
  onChange,
}: {
  legend: string;
  values: readonly Value[];
  words: Readonly<Record<Value, string>>;
  chosen: readonly Value[];
  /** Receives the chosen values, in the order of `values` */
  onChange: (chosen: readonly Value[]) => void;
}) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {values.map((value) => (
        <label key={value} class="choice">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(values.filter((each) => (each === value ? checked : chosen.includes(each))))
            }
          />
          <span>
            {words[value]}
            <small>
              <code>{value}</code>
            </small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
