import { z } from 'zod';
import type { EnhancementProgress, EnhancementParameters, MediaType } from '@burnish/contract/engine';
import { detectMediaType as detect } from '../detect.ts';
import { enhanceImage as enhance, type EnhanceImageOutput } from '../image/enhance.ts';
import { inspectImage as inspect, type ImageFacts } from '../image/inspect.ts';
import { previewImage as preview, type PreviewImageInput } from '../image/preview.ts';
import type { ModelSet } from '../neural/model-set.ts';
import { checkInputFile, checkOutputFile } from './check-files.ts';
import { callback, checkInput, path, signal } from './check-input.ts';
import { withEngineErrors } from './engine-errors.ts';
import { models } from './models.ts';
import { anyParameters, checkImageParameters } from './check-parameters.ts';

export interface EnhanceImageOptions {
  inputPath: string;
  /** A path in a folder that exists; the file is written only on success */
  outputPath: string;
  /** By default, the values of the table of parameters */
  parameters?: EnhancementParameters;
  /** As `findModels` returns them; by default none */
  models?: ModelSet;
  onProgress?: (progress: EnhancementProgress) => void;
  signal?: AbortSignal;
}

const bytes = z.custom<Uint8Array>((value) => ArrayBuffer.isView(value), 'expected a Uint8Array');

const enhanceInput = z.strictObject({
  inputPath: path,
  outputPath: path,
  parameters: anyParameters.optional(),
  models: models.optional(),
  onProgress: callback.optional(),
  signal: signal.optional(),
});

const previewInput = z.strictObject({ inputPath: path, outputPath: path, side: z.int().min(1).nullable() });

/**
 * Enhances one image file. The same bytes and parameters give the same result, bit for bit.
 * @throws EngineError BAD_USER_INPUT, CORRUPT_FILE, INTERNAL, PROCESSING_LIMIT, TOO_MANY_PIXELS, UNAVAILABLE, UNSUPPORTED_MEDIA_TYPE;
 * the reason of `signal`
 */
export async function enhanceImage(options: EnhanceImageOptions): Promise<EnhanceImageOutput> {
  checkInput(enhanceInput, options);
  return withEngineErrors(options, async (input) => {
    const parameters = checkImageParameters(input.parameters);
    await checkOutputFile(input.outputPath, [await checkInputFile(input.inputPath)]);
    return enhance({ ...input, parameters });
  });
}

/**
 * Returns the facts of an image file, and refuses one whose pixels do not decode.
 * @throws EngineError as `enhanceImage`
 */
export async function inspectImage(inputPath: string): Promise<ImageFacts> {
  checkInput(path, inputPath);
  return withEngineErrors({}, async () => {
    await checkInputFile(inputPath);
    return inspect(inputPath);
  });
}

/**
 * Makes a small copy of an image for browsers, a WebP: upright, in sRGB, never larger than the image.
 * @throws EngineError as `enhanceImage`
 */
export async function previewImage(input: PreviewImageInput): Promise<void> {
  checkInput(previewInput, input);
  await withEngineErrors(input, async ({ inputPath, outputPath }) => {
    await checkOutputFile(outputPath, [await checkInputFile(inputPath)]);
    await preview(input);
  });
}

/**
 * Returns the type of a file by its content, never by its name; undefined for one that the engine does not read.
 * @param head the first 4,096 bytes of the file, or all of it
 * @throws EngineError BAD_USER_INPUT
 */
export async function detectMediaType(head: Uint8Array): Promise<MediaType | undefined> {
  return detect(checkInput(bytes, head));
}
