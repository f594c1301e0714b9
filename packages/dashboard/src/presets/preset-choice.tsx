import { useEffect, useRef, useState } from 'preact/hooks';
import { SAVED_NAME, type MediaKind } from '@burnish/contract';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Trouble } from '../ui/notice.tsx';
import { SavedNameField } from '../ui/saved-name-field.tsx';
import { useAction } from '../ui/use-action.ts';
import { loadPresets, parametersOf, presetsFor, savePreset, type Settings } from './presets.ts';

/** A choice of saved presets for a kind of file. A change of a setting leaves the preset. */
export function PresetChoice({
  kind,
  value,
  onChange,
}: {
  kind: MediaKind;
  value: Settings;
  onChange: (value: Settings) => void;
}) {
  useEffect(loadPresets, []);
  const presets = presetsFor(kind);
  if (presets.length === 0) return null;
  return (
    <Field label="Preset">
      {(tie) => (
        <select
          {...tie}
          value={value.preset?.name ?? ''}
          onChange={({ currentTarget: { value: name } }) => {
            const preset = presets.find((each) => each.name === name);
            onChange(preset === undefined ? { parameters: {} } : { parameters: parametersOf(preset), preset });
          }}
        >
          <option value="">None</option>
          {presets.map(({ name, version }) => (
            <option key={name} value={name}>
              {name} (version {version})
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Saves the present settings under a name, inside the form of an order, which then uses the preset. */
export function SavePreset({
  value: { parameters, preset: saved },
  onChange,
}: {
  value: Settings;
  onChange: (value: Settings) => void;
}) {
  const [name, setName] = useState('');
  const current = useRef(parameters);
  current.current = parameters;
  const { busy, error, run } = useAction(async () => {
    const preset = await savePreset(name, parameters);
    // Settings that have changed meanwhile stay.
    if (current.current === parameters) onChange({ parameters, preset });
  });
  const isNamed = SAVED_NAME.test(name);
  return (
    <details class="more-settings">
      <summary>Save as preset</summary>
      {/* The form around it would order. */}
      <SavedNameField
        label="Name of the preset"
        value={name}
        onInput={setName}
        onEnter={() => {
          if (isNamed) run();
        }}
      />
      <Button busy={busy} disabled={!isNamed} onClick={run}>
        Save preset
      </Button>
      <p role="status" class="small">
        {saved !== undefined && `These settings are the preset ${saved.name}, version ${saved.version}.`}
      </p>
      <Trouble error={error} />
    </details>
  );
}
