import { useId, useState } from 'preact/hooks';
import type { MediaKind, ParametersRepresentation } from '@burnish/contract';
import type { Trial } from '../api/types.ts';
import { isChosen, type Variant } from './variants.ts';

/** The pictures of a trial beside each other. A click on one chooses its settings. */
export function TrialPictures({
  kind,
  trial,
  variants,
  value,
  isPart,
  onChoose,
}: {
  kind: MediaKind;
  trial: Trial;
  variants: readonly Variant[];
  value: ParametersRepresentation;
  /** Shows the pixels of the result as pixels of the screen */
  isPart: boolean;
  onChoose: (parameters: ParametersRepresentation) => void;
}) {
  const name = useId();
  /** Width of a part of the result, CSS pixels; the original has the same, so that both can be compared */
  const [width, setWidth] = useState<number>();
  const style = isPart && width !== undefined ? { width: `${width}px` } : {};
  return (
    <fieldset class={isPart ? 'trial-pictures part' : 'trial-pictures'}>
      <legend class="sr-only">The better picture</legend>
      <figure>
        <span class="trial-view">
          <img src={toSource(trial.original)} alt="Original" style={style} />
        </span>
        <figcaption class="soft">Original</figcaption>
      </figure>
      {trial.enhancements.map(({ picture, changed, notes }, index) => {
        const variant = variants[index];
        if (variant === undefined) return null;
        return (
          <label key={variant.label}>
            <span class="trial-view">
              <img
                src={toSource(picture)}
                alt=""
                style={style}
                onLoad={({ currentTarget: { naturalWidth } }) => setWidth(naturalWidth / devicePixelRatio)}
              />
            </span>
            <span class="trial-name">
              <input
                type="radio"
                name={name}
                aria-label={variant.label}
                aria-describedby={`${name}-${index}`}
                checked={isChosen(kind, variant, value)}
                onChange={() => onChoose(variant.parameters)}
              />
              {variant.label}
            </span>
            <small class="soft" id={`${name}-${index}`}>
              {changed ? notes.join(' ') : isPart ? 'No change here.' : 'Light and colour stay as they are.'}
            </small>
          </label>
        );
      })}
    </fieldset>
  );
}

const toSource = (base64: string): string => `data:image/webp;base64,${base64}`;
