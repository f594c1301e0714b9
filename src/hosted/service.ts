import {
  COLOR_ADJUSTMENTS,
  IMAGE_PARAMETERS,
  PARAMETERS,
  PDF_OPTIONS,
  isPdfOption,
  type EnhancementParameters,
  type ParameterField,
  representParameters,
} from '@burnish/contract';
import { CallFailure } from './call-failure.ts';
import type { Call, CallOptions } from './client.ts';
import * as operations from './operations.ts';
import * as schemas from './schemas.ts';

export interface SignedUploadInput {
  filename: string;
  /** Bytes */
  filesize: number;
  mimetype: string;
}

type Options = Pick<CallOptions, 'signal'>;
type Keyed = Options & { idempotencyKey: string };

export type HostedApi = ReturnType<typeof createHostedApi>;

const NOTHING: schemas.SchemaFields = { upload: [], enhancedImage: [], parameters: [], pdfOptions: [] };
const COLOR = `customColorConfig { ${Object.keys(COLOR_ADJUSTMENTS).join(' ')} }`;
/** Names beside `pdf`. */
const PARAMETER_NAMES = Object.keys(PARAMETERS).filter((name) => !isPdfOption(name));

/** Parameters beyond the contract, sent only to a service that lists them. */
const OWN_PARAMETERS = Object.entries<ParameterField>(IMAGE_PARAMETERS)
  .flatMap(([name, { beyondContract }]) => (beyondContract === true ? [name] : []))
  .concat(Object.keys(PDF_OPTIONS));

/** Fields of an enhancement that a service may lack, or name differently. */
const OPTIONAL = ['engineDuration', 'viesusDuration', 'errorCode'] as const;
/** Fields that are requested from a service without introspection until it refuses them. */
const EXPECTED: readonly string[] = ['engineDuration', 'errorCode'];

/**
 * The operations of the contract, with parsed responses.
 * @throws CallFailure
 */
export function createHostedApi(call: Call) {
  const refused = new Set<string>();
  let known: Promise<schemas.SchemaFields> | undefined;

  /** Fields of the service beyond the contract. They are requested once; a service without introspection has none. */
  async function fieldsBeyondContract(): Promise<schemas.SchemaFields> {
    known ??= call(operations.SCHEMA_FIELDS, null, schemas.schemaFieldsSchema);
    try {
      return await known;
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      // A refusal is final, and is cached.
      known = error.answered && !error.retryable ? Promise.resolve(NOTHING) : undefined;
      return NOTHING;
    }
  }

  /** Removes parameters that the service lacks, because it would refuse the whole request. */
  async function toKnown(asked: EnhancementParameters): Promise<object> {
    const ours = OWN_PARAMETERS.filter((name) => name in asked);
    if (ours.length === 0) return asked;
    const { parameters, pdfOptions } = await fieldsBeyondContract();
    const isKnown = (name: string) => (isPdfOption(name) ? pdfOptions : parameters).includes(name);
    const known = Object.entries(asked).filter(([name]) => !ours.includes(name) || isKnown(name));
    return representParameters(Object.fromEntries(known));
  }

  return {
    createUploadFromUrl: (url: string, options: Keyed) =>
      call(operations.CREATE_UPLOAD_FROM_URL, 'createUploadFromUrl', schemas.uploadSchema, {
        ...options,
        variables: { input: { url } },
      }),

    createSignedUploadUrl: (input: SignedUploadInput, options: Keyed) =>
      call(operations.CREATE_SIGNED_UPLOAD_URL, 'createSignedUploadUrl', schemas.signedUploadSchema, {
        ...options,
        variables: { input },
      }),

    completeSignedUpload: (id: string, options: Options = {}) =>
      call(operations.COMPLETE_SIGNED_UPLOAD, 'completeSignedUpload', schemas.uploadSchema, {
        ...options,
        variables: { id },
      }),

    async upload(id: string, options: Options = {}): Promise<schemas.UploadAnswer> {
      const { upload } = await fieldsBeyondContract();
      const document = operations.uploadQuery(present(upload, ['errorCode']));
      return call(document, 'upload', schemas.uploadSchema, { ...options, variables: { id } });
    },

    async updateFileRetention(days: number): Promise<void> {
      await call(operations.UPDATE_FILE_RETENTION, 'updateFileRetention', schemas.anything, { variables: { days } });
    },

    async deleteUpload(id: string): Promise<void> {
      await call(operations.DELETE_UPLOADS, 'deleteUploads', schemas.anything, { variables: { ids: [id] } });
    },

    analyzePdf: (uploadId: string) =>
      call(operations.ANALYZE_PDF, 'analyzePdf', schemas.analyzeSchema, { variables: { uploadId } }),

    async createEnhancedImage(uploadId: string, asked: EnhancementParameters, options: Keyed) {
      const input = await toKnown(asked);
      return call(operations.CREATE_ENHANCED_IMAGE, 'createEnhancedImage', schemas.beganSchema, {
        ...options,
        variables: { uploadId, input },
      });
    },

    /** @param withUrl requests the signed URL of the result */
    async enhancedImage(id: string, withUrl = false): Promise<schemas.EnhancementAnswer> {
      const { enhancedImage } = await fieldsBeyondContract();
      const described = enhancedImage.length > 0;
      for (;;) {
        const optional = OPTIONAL.filter((name) => {
          if (described) return enhancedImage.includes(name);
          return !refused.has(name) && (EXPECTED.includes(name) || refused.has('engineDuration'));
        });
        const more = [...(withUrl ? ['fullUrl'] : []), ...optional, ...present(enhancedImage, ['uploadId'])];
        const document = operations.enhancedImageQuery(more);
        try {
          return await call(document, 'enhancedImage', schemas.enhancementSchema, { variables: { id } });
        } catch (error) {
          const unknown = optional.filter((name) => refusesField(error, name) && !refused.has(name));
          if (unknown.length === 0) throw error;
          for (const name of unknown) refused.add(name);
        }
      }
    },

    credits: () => call(operations.CREDITS, 'credits', schemas.creditsSchema),

    /** Lists the enhancements of an upload; null if the service has no such list. */
    async listEnhancements(uploadId: string): Promise<schemas.ListedEnhancement[] | null> {
      const { upload, enhancedImage, parameters, pdfOptions } = await fieldsBeyondContract();
      if (!upload.includes('enhancedImages')) return null;
      const options = present(pdfOptions, Object.keys(PDF_OPTIONS));
      const readable = present(parameters, PARAMETER_NAMES)
        .map((name) => (name === 'customColorConfig' ? COLOR : name))
        .concat(options.length === 0 ? [] : [`pdf { ${options.join(' ')} }`]);
      const more = [
        ...present(enhancedImage, ['createdAt']),
        ...(readable.length > 0 && enhancedImage.includes('parameters')
          ? [`parameters { ${readable.join(' ')} }`]
          : []),
      ];
      const document = operations.enhancementsOfUploadQuery(more);
      const { enhancedImages } = await call(document, 'upload', schemas.listedEnhancementsSchema, {
        variables: { id: uploadId },
      });
      return enhancedImages;
    },
  };
}

function present(names: readonly string[], wanted: readonly string[]): string[] {
  return wanted.filter((name) => names.includes(name));
}

/** Whether the service refused a field as unknown. GraphQL servers do so before execution. */
function refusesField(error: unknown, name: string): boolean {
  return error instanceof CallFailure && new RegExp(`[Cc]annot query field ['"\`]${name}['"\`]`).test(error.message);
}
