import { PresetChoice, SavePreset } from '../presets/preset-choice.tsx';
import type { Settings } from '../presets/presets.ts';
import { ImageForm, TransparencyNotice } from './image-form.tsx';
import { findUpload, undecidedImages } from './jobs.ts';
import { imageSettings, orderAll } from './order.ts';

/** The id of the form, which the button of the order bar submits. */
export const IMAGE_SETTINGS = 'image-settings';

/** The settings of all images that are not ordered yet; its submission orders all files of the page. */
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
        orderAll();
      }}
    >
      <h2>Settings</h2>
      <PresetChoice kind="image" value={value} onChange={change} />
      <ImageForm value={value.parameters} onChange={(parameters) => change({ parameters })} />
      <TransparencyNotice
        images={undecidedImages.value.flatMap((job) => findUpload(job) ?? [])}
        value={value.parameters}
      />
      <SavePreset value={value} onChange={change} />
      <p class="hint">An image that needs no change costs nothing.</p>
    </form>
  );
}
