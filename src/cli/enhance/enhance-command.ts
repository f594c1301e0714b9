import { OUTPUT_FORMATS } from '../../domain/enhancement/output-formats.ts';
import { InvalidArgumentError, type Command } from 'commander';
import type { EnhanceOptions } from './enhance-options.ts';

/** What says where the instance is; the composition root makes the connection from it. */
export interface ConnectionOptions {
  url?: string;
  apiKey?: string;
}

/** Adds `burnish enhance` with its flags. */
export function addEnhanceCommand(
  program: Command,
  run: (options: EnhanceOptions & ConnectionOptions) => Promise<void>,
): Command {
  return program
    .command('enhance')
    .description('enhance images and PDFs, and write the results into a folder')
    .argument('<files...>', 'JPEG, PNG, TIFF, HEIC, WebP or PDF')
    .option('--upscale <factor>', 'images: X1, X2 or X4')
    .option('--mode <mode>', 'images: ENHANCE, NATURAL, VIVID or OFF')
    .option('--denoise', 'images: reduce noise')
    .option('--artifacts', 'images: remove compression artefacts')
    .option('--sharpen <n>', 'images: 0 to 1')
    .option('--faces', 'images: light and define faces gently')
    .option('--tier <tier>', 'images: who enlarges and repairs: AUTO, FINE, FAST or PLAIN')
    .option('--format <format>', `images: ${OUTPUT_FORMATS.join(', ')}`)
    .option('--quality <n>', 'images: quality of a lossy output, 1 to 100')
    .option('--dpi <n>', 'PDFs: resolution of their images, 72 to the cap of the plan')
    .option('--compact', 'PDFs: write only what the document uses')
    .option('--allow-breaking-signatures', 'PDFs: go on although signatures will no longer hold')
    .option('-o, --out <folder>', 'folder of the results', 'out')
    .option('--force', 'replace files of the same name in it')
    .option(
      '--url <address>',
      'a running instance; default: BURNISH_URL, else the local one, else one for this call',
      address,
    )
    .option('--api-key <key>', 'key of the account')
    .option('--json', 'print one JSON document instead of the table')
    .action((files: string[], options: Omit<EnhanceOptions, 'files'> & ConnectionOptions) =>
      run({ ...options, files }),
    );
}

function address(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError('Expected an http or https address.');
  return text.replace(/\/+$/, '');
}
