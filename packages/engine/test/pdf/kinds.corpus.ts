import { expect, it } from '@jest/globals';
import { scratchFolder } from '../support/files.ts';
import { movedColours } from './mean-colours.ts';
import { nonPhotographs } from './non-photographs.ts';

const scratch = await scratchFolder();

it('60 pictures that are no photographs keep their mean colours, half as Flate and half as JPEG', async () => {
  const made = await nonPhotographs(6);
  expect(made).toHaveLength(60);
  expect(await movedColours(made, scratch('made'))).toEqual([]);
});
