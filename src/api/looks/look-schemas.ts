import { z } from 'zod';
import {
  LOOK_LIMITS,
  LOOK_REFUSAL_WORDS,
  type Look,
  type LookRefusal,
  SAVED_LOOK_LIMITS,
  SAVED_NAME,
  SAVED_NAME_RULE,
} from '@burnish/contract';
import { describedEnum } from '../schemas/enums.ts';
import { recordId, timestamp } from '../schemas/fields.ts';

export const lookName = z
  .string()
  .regex(SAVED_NAME, SAVED_NAME_RULE)
  .meta({ description: `Name of the look: ${SAVED_NAME_RULE}.`, example: 'warm' });

/** Characters of an id. */
const MAX_ID_LENGTH = 60;

const finishedPicture = z
  .strictObject({
    finished: z.string().max(MAX_ID_LENGTH).meta({
      description: 'The finished picture: id of an upload, or of an enhancement for its result.',
      example: 'upl_01jh2p5w8k3v9x6m4c7r1t0q9z',
    }),
    original: z.string().max(MAX_ID_LENGTH).optional().meta({
      description: 'The picture before somebody finished it: id of an upload. Known faults replace an absent one.',
      example: 'upl_01jh2p5w8k3v9x6m4c7r1t0q9y',
    }),
  })
  .meta({ id: 'FinishedPicture', description: 'A picture that the account calls finished.' });

const { fewest, most, samples } = LOOK_LIMITS;
const pictures = z
  .array(finishedPicture)
  .min(fewest, `expected ${fewest} to ${most} pictures`)
  .max(most, `expected ${fewest} to ${most} pictures`)
  .meta({
    description: `${fewest} to ${most} different photographs of one taste. Drawings and PDFs are refused. Originals make the look better.`,
  });

export const saveLookBody = z.strictObject({ pictures }).meta({ id: 'SaveLook' });
export const tryLookBody = z
  .strictObject({
    pictures,
    samples: z
      .array(recordId('upl'))
      .max(samples)
      .optional()
      .meta({ description: `Up to ${samples} uploads that the answer shows with the look.` }),
  })
  .meta({ id: 'TryLook' });
export type LookOrder = z.output<typeof tryLookBody>;

const figure = (description: string) => z.number().meta({ description });
const lookProofSchema = z
  .object({
    pictures: z.int().meta({ description: 'Number of finished pictures.' }),
    pairs: z.int().meta({ description: 'Number of those with an original.' }),
    untouched: figure('Mean difference from the finished pictures without a correction, CIE ΔE.'),
    enhance: figure('The same with mode ENHANCE.'),
    look: figure('The same with the look.'),
    gain: figure('Mean ΔE by which the look is nearer than ENHANCE.'),
    error: figure('Standard error of the gain.'),
    worst: figure('Gain of the worst picture; below 0, it is farther away.'),
  })
  .meta({ id: 'LookProof', description: 'How near a look comes to finished pictures, each left out of it in turn.' });

const lookRefusal = describedEnum<LookRefusal>(
  'LookRefusal',
  'Reason why a look has not proved itself.',
  LOOK_REFUSAL_WORDS,
);

export const lookSchema = z
  .object({
    name: lookName,
    version: z.int().meta({
      description: `Number of the version, from 1 to at most ${SAVED_LOOK_LIMITS.versions} at a time. A version never changes.`,
      example: 3,
    }),
    proof: lookProofSchema,
    createdAt: timestamp.meta({ description: 'Time at which this version was built.' }),
  })
  .meta({ id: 'Look', description: "An account's own tone and colour, by name and version." });

const lookSampleSchema = z
  .object({
    uploadId: recordId('upl').meta({ description: 'The upload.' }),
    picture: z.string().meta({ description: 'The upload with the look, as a data URL of a WebP.' }),
  })
  .meta({ id: 'LookSample', description: 'An upload with a look.' });

export const lookTrialSchema = z
  .object({
    proof: lookProofSchema,
    refusal: lookRefusal.schema
      .nullable()
      .meta({ description: 'Why the look is refused. Null: it has proved itself.' }),
    samples: z.array(lookSampleSchema).meta({ description: 'The samples of the request.' }),
  })
  .meta({ id: 'LookTrial', description: 'A look that is not saved.' });

export const representLook = ({ name, version, proof, createdAt }: Look): z.infer<typeof lookSchema> => ({
  name,
  version,
  proof,
  createdAt,
});
