import { expect, test } from '@jest/globals';
import {
  IMAGE_PARAMETERS,
  leavesImageAsItIs,
  PARAMETERS,
  resolveImageParameters,
  type NumberField,
  type ParameterField,
  PRICES,
  priceOfImage,
} from '@burnish/contract';
import { enhancementParametersSchema } from '@burnish/contract/schemas';
import { IMAGE_CONTROLS } from '../../packages/dashboard/src/enhance/image-controls.ts';

const FIELDS = Object.entries<ParameterField>(PARAMETERS);
const accepts = (name: string, value: unknown): boolean =>
  enhancementParametersSchema.safeParse({ [name]: value }).success;

test.each(FIELDS)('the schema accepts the default, the neutral value and the switch of parameter %s', (name, field) => {
  const values = [
    'default' in field ? field.default : undefined,
    field.neutral ?? undefined,
    field.flag !== undefined && field.flag.argument === undefined ? (field.flag.sets ?? true) : undefined,
  ];
  for (const value of values.filter((each) => each !== undefined))
    expect([value, accepts(name, value)]).toEqual([value, true]);
});

const NUMBERS = FIELDS.filter((entry): entry is [string, NumberField] => entry[1].type === 'number');

test.each(NUMBERS)('the schema enforces the bounds of parameter %s', (name, { min, max, integer }) => {
  expect(accepts(name, min)).toBe(true);
  expect(accepts(name, min - 1)).toBe(false);
  expect(accepts(name, min + 0.5)).toBe(integer !== true);
  if (max !== undefined) expect([accepts(name, max), accepts(name, max + 1)]).toEqual([true, false]);
});

test.each(FIELDS)('the schema refuses a value of another type for parameter %s', (name) => {
  expect(accepts(name, 'no such value')).toBe(false);
});

const NOTHING = { mode: 'OFF' } as const;

test.each(Object.entries<ParameterField>(IMAGE_PARAMETERS).filter(([, { neutral }]) => neutral !== undefined))(
  'every value of parameter %s other than the neutral one changes an image, at the price of its feature',
  (name, field) => {
    expect(leavesImageAsItIs(resolveImageParameters(NOTHING))).toBe(true);
    const others =
      field.type === 'choice'
        ? Object.keys(field.values).filter((value) => value !== field.neutral)
        : [field.type === 'number' ? (field.max ?? field.min) : !field.neutral];
    for (const value of others) {
      const parameters = resolveImageParameters({ ...NOTHING, [name]: value });
      expect(leavesImageAsItIs(parameters)).toBe(false);
      expect(priceOfImage(parameters)).toBe(field.feature === undefined ? 0 : PRICES[field.feature]);
    }
  },
);

test('the dashboard offers each parameter of images, and every value of each choice', () => {
  expect(Object.keys(IMAGE_CONTROLS).sort()).toEqual(Object.keys(IMAGE_PARAMETERS).sort());
  for (const [name, control] of Object.entries(IMAGE_CONTROLS)) {
    if (control.kind !== 'choice') continue;
    const field: ParameterField = IMAGE_PARAMETERS[name as keyof typeof IMAGE_PARAMETERS];
    const values = control.options.map(({ value }) => value as string);
    expect(values).toEqual(field.type === 'choice' ? Object.keys(field.values) : []);
  }
});
