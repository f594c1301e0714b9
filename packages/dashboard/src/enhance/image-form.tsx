import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import {
  CHANGES_BESIDE_SIZE,
  counted,
  formatWithoutAlpha,
  hasBothSides,
  IMAGE_PARAMETERS,
  printResolution,
  resolveImageParameters,
  TARGET_FIELDS,
  type EnhancementParameters,
  type NumberField,
} from '@burnish/contract';
import type { Upload } from '../api/types.ts';
import { LookChoice } from '../looks/look-choice.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { IMAGE_CONTROL_LIST, type AnyControl, type TypedControl, type RangeControl } from './image-controls.ts';
import { Range } from './range.tsx';
import { Segments } from './segments.tsx';
import { Toggle } from './toggle.tsx';

type Name = keyof typeof IMAGE_PARAMETERS;

/** How images are enhanced. @param value the chosen parameters; absent ones have the defaults of the interface */
export function ImageForm({
  value,
  onChange,
}: {
  value: EnhancementParameters;
  onChange: (value: EnhancementParameters) => void;
}) {
  const parameters = resolveImageParameters(value);
  const set = (name: Name, chosen: unknown): void => {
    const { [name]: _replaced, ...others } = value;
    onChange(withoutConflicts(chosen === undefined ? others : { ...others, [name]: chosen }));
  };
  const renderGroup = (group: AnyControl['group']) =>
    IMAGE_CONTROL_LIST.filter(([, control]) => control.group === group && control.isShown?.(parameters) !== false).map(
      ([name, control]) => (
        <Control
          key={name}
          name={name}
          control={control}
          value={parameters[name]}
          onChange={(chosen) => set(name, chosen)}
        />
      ),
    );
  return (
    <>
      {renderGroup('first')}
      {parameters.fidelity === 'OFF' && <LookChoice value={parameters.mode} onChange={(mode) => set('mode', mode)} />}
      {parameters.upscalingFactor === 'X1' && (
        <ExactSize isChosen={TARGET_FIELDS.some((name) => value[name] !== undefined)}>
          {renderGroup('target')}
        </ExactSize>
      )}
      {parameters.fidelity === 'OFF' && (
        <fieldset>
          <legend>Repair</legend>
          {renderGroup('repair')}
        </fieldset>
      )}
      <details class="more-settings">
        <summary>Engine and file format</summary>
        {renderGroup('file')}
      </details>
    </>
  );
}

/** Folded until a person opens it, or until a preset, a past order or a wrong number brings a size to look at. */
function ExactSize({ isChosen, children }: { isChosen: boolean; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(isChosen);
  useEffect(() => {
    if (isChosen) setOpen(true);
  }, [isChosen]);
  return (
    <details
      class="more-settings"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      // At once, because the browser shows its words about a wrong number only beside a visible field.
      onInvalidCapture={({ currentTarget }) => void (currentTarget.open = true)}
    >
      <summary>Exact size</summary>
      <div class="target-size">{children}</div>
    </details>
  );
}

/** A faithful enlargement changes nothing else, a factor replaces a target size, and pages get no invented detail. */
function withoutConflicts(value: EnhancementParameters): EnhancementParameters {
  const { upscalingFactor, fidelity, mode, engineTier } = resolveImageParameters(value);
  const isEnlarged = upscalingFactor !== 'X1';
  const dropped: string[] = [];
  if (isEnlarged) dropped.push(...TARGET_FIELDS);
  if (isEnlarged || printResolution(value) === undefined) dropped.push('targetDpi');
  if (isEnlarged || !hasBothSides(value)) dropped.push('fit');
  if (fidelity === 'STRICT') dropped.push(...(isEnlarged ? CHANGES_BESIDE_SIZE : ['fidelity']));
  if (engineTier === 'DETAIL' && (fidelity === 'STRICT' || mode === 'DOCUMENT')) dropped.push('engineTier');
  return Object.fromEntries(Object.entries(value).filter(([name]) => !dropped.includes(name)));
}

/** Says that results will have a white background, before anything is charged. */
export function TransparencyNotice({ images, value }: { images: readonly Upload[]; value: EnhancementParameters }) {
  const losing = images.filter((image) => formatWithoutAlpha(image, value.outputFormat) !== undefined).length;
  if (losing === 0) return null;
  const which = images.length === 1 ? 'The transparency' : `The transparency of ${counted(losing, 'image')}`;
  return (
    <Notice kind="warning">
      {which} will be replaced by white, because JPEG does not support it. The format WEBP keeps it.
    </Notice>
  );
}

interface ControlProps<Kind> {
  name: Name;
  control: Kind;
  value: unknown;
  /** Undefined: the engine chooses */
  onChange: (value: unknown) => void;
}

function Control({ name, control, value, onChange }: ControlProps<AnyControl>) {
  switch (control.kind) {
    case 'choice':
      return <Segments label={control.label} options={control.options} value={value as string} onChange={onChange} />;
    case 'switch':
      return (
        <Toggle
          label={control.label}
          checked={value === control.on}
          onChange={(on) => onChange(on ? control.on : control.off)}
        >
          {control.hint}
        </Toggle>
      );
    case 'typed':
      return <TypedField name={name} control={control} value={value} onChange={onChange} />;
    case 'range':
      return <NumberControl name={name} control={control} value={value} onChange={onChange} />;
  }
}

function TypedField({ name, control, value, onChange }: ControlProps<TypedControl>) {
  const { min, max } = IMAGE_PARAMETERS[name] as NumberField & { max: number };
  return (
    <Field label={control.label}>
      {(tie) => (
        <input
          {...tie}
          type="number"
          inputMode={control.step < 1 ? 'decimal' : 'numeric'}
          min={min}
          max={max}
          step={control.step}
          placeholder={control.usual?.toString()}
          value={value as number | undefined}
          onInput={({ currentTarget: { value: typed } }) => onChange(typed === '' ? undefined : Number(typed))}
        />
      )}
    </Field>
  );
}

function NumberControl({ name, control, value, onChange }: ControlProps<RangeControl>) {
  const { label, step, show, byItself } = control;
  const { min, max } = IMAGE_PARAMETERS[name] as NumberField & { max: number };
  return (
    <>
      {byItself !== undefined && (
        <Toggle
          label={byItself.label}
          checked={value === undefined}
          onChange={(on) => onChange(on ? undefined : byItself.first)}
        >
          {byItself.hint}
        </Toggle>
      )}
      {value !== undefined && (
        <Range label={label} min={min} max={max} step={step} value={value as number} show={show} onChange={onChange} />
      )}
    </>
  );
}
