import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApplicationFailure, Context } from '@temporalio/activity';
import { analyzePdf, detectMediaType, EngineError, enhanceImage, enhancePdf, findModels } from '@burnish/engine';
import { DETECT_BYTES } from '@burnish/engine/contract';
import type { EnhancedImage, Order, Steps, Upload } from '../steps';
import { alive } from './alive';

/*
 * The steps by `@burnish/engine` in this worker: no service, no credits, and no webhook, since each step is done when it
 * returns. Burnish: the engine runs in a process without network or other files, bounded in memory and time, because
 * decoders are native code; `@burnish/jail` gives that to any worker.
 */

/**
 * @param folder of files between the steps, which all workers of the task queue share. Burnish: they are in object
 * storage, with checksums, until their retention ends.
 * @param notify the last step
 */
export function engineSteps(folder: string, notify: Steps['notify']): Steps {
  const original = (id: string): string => join(folder, id);
  const enhanced = (id: string): string => join(folder, `${id}.result`);

  /** The workflow of the activity names its files, so that a repeated attempt replaces those of the last one. */
  const upload = async ({ source }: Order): Promise<Upload> => {
    const { workflowExecution, attempt } = Context.current().info;
    const id = workflowExecution!.runId;
    await mkdir(folder, { recursive: true });
    const unfinished = `${original(id)}.${attempt}`;
    if ('path' in source) await copyFile(source.path, unfinished);
    else await save(source.url, unfinished);
    await rename(unfinished, original(id));
    return analyze(id);
  };

  const analyze = (id: string): Promise<Upload> =>
    asked(async () => {
      const pdf = await isPdf(original(id));
      if (pdf) await analyzePdf({ inputPath: original(id), signal: Context.current().cancellationSignal });
      const subStatus = pdf ? 'METADATA_ANALYZED_SUCCESSFULLY' : null;
      return { id, busy: false, status: 'UPLOAD_FINISHED', subStatus, metadata: null };
    });

  const enhance = (id: string, parameters: Order['enhancement']): Promise<EnhancedImage> =>
    asked(async () => {
      const { attempt } = Context.current().info;
      const unfinished = `${enhanced(id)}.${attempt}`;
      const models = await findModels('fine', console.warn);
      const run = { inputPath: original(id), outputPath: unfinished, parameters, models };
      const signal = Context.current().cancellationSignal;
      await ((await isPdf(original(id))) ? enhancePdf : enhanceImage)({ ...run, signal });
      // The same file and parameters give the same bytes, so a repeated attempt does no harm.
      await rename(unfinished, enhanced(id));
      return { id, busy: false, status: 'FINISHED', errorCode: null };
    });

  return {
    upload: (order) => alive(() => upload(order)),
    analyze,
    /** Burnish: a ledger reserves, captures and releases credits for work of its own machines too. */
    checkCredits: async () => ({ price: 0, remaining: 0 }),
    enhance: (id, parameters) => alive(() => enhance(id, parameters)),
    download: (id, resultPath) => alive(() => copyFile(enhanced(id), resultPath)),
    notify,
    readUpload: analyze,
    readEnhancement: async (id) => ({ id, busy: false, status: 'FINISHED', errorCode: null }),
  };
}

/** The content decides, never the name. */
async function isPdf(path: string): Promise<boolean> {
  const head = Buffer.concat(await createReadStream(path, { end: DETECT_BYTES - 1 }).toArray());
  return (await detectMediaType(head)) === 'application/pdf';
}

/** A fault of the file or of the order stays one, so a repetition helps only where the engine says so. */
async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EngineError) || error.retryable) throw error;
    throw ApplicationFailure.nonRetryable(error.message, error.code);
  }
}

async function save(url: string, path: string): Promise<void> {
  const signal = Context.current().cancellationSignal;
  const response = await fetch(url, { signal });
  if (!response.ok || response.body === null) throw new Error(`${new URL(url).host} answered HTTP ${response.status}.`);
  await pipeline(Readable.fromWeb(response.body), createWriteStream(path), { signal });
}
