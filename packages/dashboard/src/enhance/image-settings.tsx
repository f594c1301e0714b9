import { signal } from '@preact/signals';
import { PresetChoice, SavePreset } from '../presets/preset-choice.tsx';
import type { Settings } from '../presets/presets.ts';
import { ImageForm } from './image-form.tsx';
import { undecidedImages } from './jobs.ts';

/** The settings for the images of the page; they stay for the next ones. */
export const imageSettings = signal<Settings>({ parameters: {} });

/** The id of the form, which the button of the order bar submits. */
export const IMAGE_SETTINGS = 'image-settings';

/** The settings of all images that are not ordered yet; its submission orders them. */
export function ImageSettings() {
  const { value } = imageSettings;
  const change = (next: Settings): void => void (imageSettings.value = next);
  return (
    <form
      id={IMAGE_SETTINGS}
      class="card image-settings settings-card"
      aria-label="Settings for images"
      onSubmit={(event) => {
        event.preventDefault();
        for (const job of undecidedImages.value) job.ask(value);
      }}
    >
      <h2>Settings</h2>
      <PresetChoice kind="image" value={value} onChange={change} />
      <ImageForm value={value.parameters} onChange={(parameters) => change({ parameters })} />
      <SavePreset value={value} onChange={change} />
      <p class="hint">An image that needs no change costs nothing.</p>
    </form>
  );
}
