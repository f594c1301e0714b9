import { OUTPUT_FORMATS, OUTPUT_FORMAT_FACTS } from '../../domain/enhancement/output-formats.ts';
import { resolveImageParameters, type EnhancementParameters } from '../../domain/enhancement/parameters.ts';
import { percent, Range } from './range.tsx';
import { Segments } from './segments.tsx';
import { Toggle } from './toggle.tsx';

const MODES = [
  { value: 'ENHANCE', label: 'Enhance', hint: 'Balanced light, contrast and colour.' },
  { value: 'NATURAL', label: 'Natural', hint: 'The same, held back.' },
  { value: 'VIVID', label: 'Vivid', hint: 'Stronger contrast and colour.' },
  { value: 'OFF', label: 'As it is', hint: 'Light and colour stay as they are.' },
] as const;
const SIZES = [
  { value: 'X1', label: 'As it is' },
  { value: 'X2', label: '2×' },
  { value: 'X4', label: '4×' },
] as const;
const TIERS = [
  { value: 'AUTO', label: 'By itself', hint: 'The best that this instance has.' },
  { value: 'FINE', label: 'Fine', hint: 'The most detail; takes its time.' },
  { value: 'FAST', label: 'Fast', hint: 'Nearly as much detail, sooner.' },
  { value: 'PLAIN', label: 'Plain', hint: 'Invents no detail.' },
] as const;
const FORMATS = OUTPUT_FORMATS.map((value) =>
  value === 'AUTO'
    ? { value, label: 'Same', hint: 'The format of the original; HEIC and WebP become JPEG.' }
    : { value, label: value },
);

/** How images are enhanced. @param value what was chosen; what is absent has the defaults of the interface */
export function ImageForm({
  value,
  onChange,
}: {
  value: EnhancementParameters;
  onChange: (value: EnhancementParameters) => void;
}) {
  const p = resolveImageParameters(value);
  const set = (change: EnhancementParameters): void => onChange({ ...value, ...change });
  const isLossy = p.outputFormat === 'AUTO' || OUTPUT_FORMAT_FACTS[p.outputFormat].hasQuality;
  const { outputQuality: _own, ...withoutQuality } = value;
  return (
    <>
      <Segments label="Light and colour" options={MODES} value={p.mode} onChange={(mode) => set({ mode })} />
      <Segments
        label="Size"
        options={SIZES}
        value={p.upscalingFactor}
        onChange={(upscalingFactor) => set({ upscalingFactor })}
      />
      <fieldset>
        <legend>Repair</legend>
        <Toggle
          label="Reduce noise"
          checked={p.noiseReductionProfilingMode === 'AUTO'}
          onChange={(on) => set({ noiseReductionProfilingMode: on ? 'AUTO' : 'OFF' })}
        >
          Grain of dark pictures
        </Toggle>
        {p.noiseReductionProfilingMode === 'AUTO' && (
          <Range
            label="Strength"
            min={0}
            max={1}
            step={0.05}
            value={p.noiseReductionProfilingStrength}
            show={percent}
            onChange={(noiseReductionProfilingStrength) => set({ noiseReductionProfilingStrength })}
          />
        )}
        <Toggle
          label="Clean up compression"
          checked={p.artifactsDetectionRemoval === 'AUTO_AI'}
          onChange={(on) => set({ artifactsDetectionRemoval: on ? 'AUTO_AI' : 'OFF' })}
        >
          Blocks and rings of a JPEG that was saved too small
        </Toggle>
        <Toggle
          label="Bring out faces"
          checked={p.enhanceFaceDetails === 'ENHANCE'}
          onChange={(on) => set({ enhanceFaceDetails: on ? 'ENHANCE' : 'OFF' })}
        >
          Faces in the shade are lit up; nothing is invented
        </Toggle>
        <Range
          label="Sharpen"
          min={0}
          max={1}
          step={0.05}
          value={p.sharpening}
          show={percent}
          onChange={(sharpening) => set({ sharpening })}
        />
      </fieldset>
      <details class="more-settings">
        <summary>Engine and file format</summary>
        <Segments
          label="How detail is made"
          options={TIERS}
          value={p.engineTier}
          onChange={(engineTier) => set({ engineTier })}
        />
        <Segments
          label="Format"
          options={FORMATS}
          value={p.outputFormat}
          onChange={(outputFormat) => set({ outputFormat })}
        />
        {isLossy && (
          <>
            <Toggle
              label="Choose the quality by itself"
              checked={p.outputQuality === undefined}
              onChange={(on) => onChange(on ? withoutQuality : { ...value, outputQuality: 90 })}
            >
              It follows the quality of what was sent
            </Toggle>
            {p.outputQuality !== undefined && (
              <Range
                label="Quality"
                min={1}
                max={100}
                step={1}
                value={p.outputQuality}
                show={String}
                onChange={(outputQuality) => set({ outputQuality })}
              />
            )}
          </>
        )}
        <Toggle
          label="Keep the details of the camera"
          checked={p.keepMetadata}
          onChange={(keepMetadata) => set({ keepMetadata })}
        >
          Date, place and camera (EXIF, XMP)
        </Toggle>
      </details>
    </>
  );
}
