import { GraphQLError, Kind } from 'graphql';
import type { ImageChoices, PageChoices } from '@burnish/contract';
import { moment } from '../schemas/moment.ts';
import { builder } from './builder.ts';

const IN_A_VARIABLE = 'Send it in a variable, because a number is no name in GraphQL.';

/** Adds the scalars to the types of the schema. */
export function declareScalars(): void {
  builder.scalarType('Decimal', {
    description: 'Decimal number as a JSON number, such as `1.2` or `300`.',
    serialize: (value) => value,
    parseValue: (value) => decimal(value),
    parseLiteral(node) {
      if (node.kind !== Kind.INT && node.kind !== Kind.FLOAT) throw refusal(node.kind);
      return decimal(Number(node.value));
    },
  });

  builder.scalarType('DateTime', {
    description: 'Time as ISO 8601 in UTC with milliseconds, such as `2026-01-31T09:30:00.000Z`.',
    serialize: (value) => value,
    parseValue: (value) => time(value),
  });

  builder.scalarType('PdfImageChoices', {
    description: `Single images of a PDF by their number, as a JSON object such as \`{"12": {"color": false}}\`. ${IN_A_VARIABLE}`,
    serialize: (value) => value,
    // The schema of the order checks it, as in REST.
    parseValue: (value) => value as ImageChoices,
  });

  builder.scalarType('PdfPageChoices', {
    description: `Pages of a PDF that stay as they are, as a JSON object such as \`{"7": "ORIGINAL"}\`. ${IN_A_VARIABLE}`,
    serialize: (value) => value,
    parseValue: (value) => value as PageChoices,
  });
}

/** @throws GraphQLError for anything but ISO 8601 with a time zone */
function time(value: unknown): string {
  const { success, data } = moment.safeParse(value);
  if (success) return data;
  throw new GraphQLError('The value is no DateTime. Send ISO 8601 with a time zone, such as 2026-01-31T09:30:00.000Z.');
}

/** @throws GraphQLError for anything but a finite number */
function decimal(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw refusal(typeof value);
  return value;
}

function refusal(received: string): GraphQLError {
  return new GraphQLError(`The value is no Decimal, but ${received}. Send a finite number, without quotes.`);
}
