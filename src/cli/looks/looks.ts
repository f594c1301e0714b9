import { Burnish, type BurnishOptions, type Look } from '@burnish/client';
import { describeProof, type FinishedPicture, LOOK_REFUSAL_WORDS, nameVersion } from '@burnish/contract';
import type { LookCall } from './look-command.ts';

/**
 * Carries out a command of `burnish looks`.
 * @returns the lines to print
 * @throws BurnishError
 */
export async function runLooks(instance: BurnishOptions, call: LookCall): Promise<string[]> {
  const { looks } = new Burnish(instance);
  const { options } = call;
  const print: Print = (json, lines) => (options.json === true ? [JSON.stringify(json)] : lines);
  if (call.name === 'list') {
    const list = await looks.list();
    return print(list, list.map(describe));
  }
  if (call.name === 'delete') {
    await looks.delete(call.options.look);
    return print({ deleted: call.options.look }, [`${call.options.look} is deleted.`]);
  }
  if (call.name === 'build') return await build(looks, call.options, print);
  const look = await looks.get(call.options.look);
  return print(look, [describe(look)]);
}

type Print = (json: unknown, lines: string[]) => string[];

async function build(
  looks: Burnish['looks'],
  { look: name, pictures: given, try: isTrial }: Extract<LookCall, { name: 'build' }>['options'],
  print: Print,
): Promise<string[]> {
  const pictures = given.map(toPicture);
  if (isTrial !== true) {
    const look = await looks.build(name, { pictures });
    return print(look, [describe(look)]);
  }
  const trial = await looks.try({ pictures });
  const verdict = trial.refusal === null ? 'The look has proved itself.' : LOOK_REFUSAL_WORDS[trial.refusal];
  return print(trial, [`${verdict} ${describeProof(trial.proof)}`]);
}

/** `upl_a:upl_b` → the finished picture b with its original a. */
function toPicture(text: string): FinishedPicture {
  const [first = '', second] = text.split(':');
  return second === undefined ? { finished: first } : { finished: second, original: first };
}

const describe = (look: Look): string => `${nameVersion(look)}: ${describeProof(look.proof)}`;
