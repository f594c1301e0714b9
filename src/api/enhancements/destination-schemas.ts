import { z } from 'zod';
import {
  BUCKET_NAME,
  faultInTemplate,
  KEY_PLACEHOLDERS,
  MAX_KEY_TEMPLATE_LENGTH,
  type DestinationOrder,
  type DestinationStatus,
} from '@burnish/contract';
import { describedEnum } from '../schemas/enums.ts';
import { errorCode, httpUrl, timestamp } from '../schemas/fields.ts';

/** Name of a registered bucket in an order. */
export const bucketName = z
  .string()
  .regex(BUCKET_NAME, 'expected the name of a registered bucket')
  .meta({ description: 'Name of a bucket that the operator registered for the account.', example: 'results' });

const keyTemplate = z
  .string()
  .max(MAX_KEY_TEMPLATE_LENGTH)
  .superRefine((text, context) => {
    const message = faultInTemplate(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .meta({
    description: `Key of the result below the prefix of the bucket. Placeholders: ${KEY_PLACEHOLDERS.map((name) => `\`{${name}}\``).join(', ')}. An existing object is replaced.`,
    example: 'orders/{reference}/{name}',
  });

/** For `refine`: a place is given by a URL, or by a bucket and a key. */
export const URL_OR_BUCKET = [
  ({ url, bucket, key }: { url?: string | undefined; bucket?: string | undefined; key?: string | undefined }) =>
    url === undefined ? bucket !== undefined && key !== undefined : bucket === undefined && key === undefined,
  'expected either url, or bucket and key',
] as const;

export const destinationOrderSchema = z
  .strictObject({
    url: httpUrl.optional().meta({
      description:
        'Presigned http or https URL that accepts the result by PUT. URL_NOT_ALLOWED for a private address. It is stored encrypted; answers show its scheme and host.',
      example: 'https://bucket.s3.amazonaws.com/result.jpg?X-Amz-Signature=5f1c',
    }),
    bucket: bucketName.optional(),
    key: keyTemplate.optional(),
  })
  .refine(...URL_OR_BUCKET)
  .meta({
    id: 'DestinationOrder',
    description:
      'Where Burnish writes the result: to a presigned URL, or into a registered bucket. Needs the scope `destinations`.',
  });

/** A destination of many results: their keys need a placeholder to differ. */
export const batchDestinationSchema = z
  .strictObject({
    bucket: bucketName,
    key: keyTemplate.refine((text) => text.includes('{'), 'expected a placeholder, so that keys differ'),
  })
  .meta({
    id: 'BatchDestination',
    description: 'Registered bucket for all results, with the template of their keys. Needs the scope `destinations`.',
  });

export type DestinationBody = z.infer<typeof destinationOrderSchema>;

/** @param body with either a URL, or a bucket and a key */
export const toDestinationOrder = ({ url, bucket, key }: DestinationBody): DestinationOrder =>
  url === undefined ? { bucket: bucket!, key: key! } : { url };

export const destinationStatus = describedEnum<DestinationStatus>('DestinationStatus', 'Status of a destination.', {
  PENDING: 'The result is not written yet. Attempts continue for a day after the enhancement has finished.',
  DELIVERED: 'The destination has the result.',
  FAILED: '`errorCode` gives the reason. The result can be downloaded.',
});

export const destinationSchema = z
  .strictObject({
    url: z.string().nullable().meta({ description: 'Scheme and host of the URL. Null for a bucket.' }),
    bucket: z.string().nullable().meta({ description: 'Name of the registered bucket. Null for a URL.' }),
    key: z.string().nullable().meta({
      description: 'Key in the bucket, with `{name}` until the result is written. Null for a URL.',
    }),
    status: destinationStatus.schema,
    errorCode: errorCode.nullable().meta({ description: 'Reason of the failure. Null unless `status` is FAILED.' }),
    errorDetail: z.string().nullable().meta({ description: 'Explanation of `errorCode`.' }),
    deliveredAt: timestamp.nullable().meta({ description: 'Time of the write. Null unless `status` is DELIVERED.' }),
  })
  .meta({ id: 'Destination', description: 'Destination of the result, with its outcome.' });
