/* Generated from the schemas of answers by `npx tsx scripts/api-documents.ts`. */
import type { BatchEnhancementRepresentation, ParametersRepresentation } from './parameters.ts';

export interface components {
  schemas: {
    AccountReceipt: {
      orderedAt: string;
      /** Null while files are being deleted. */
      finishedAt: string | null;
      uploads: number;
      /** Results of enhancements. */
      results: number;
      /** Bytes of originals and results. */
      bytes: number;
      apiKeys: number;
      webhookEndpoints: number;
    };
    /** Added items. */
    AddedBatchItems: {
      /** Inputs that became items. */
      added: number;
      /** Inputs with the key of an equal earlier item, which changed nothing. */
      repeated: number;
    };
    /** An API key of the account. Burnish stores only a hash of the key itself. */
    ApiKey: {
      /** Id of the API key. */
      id: string;
      /** Purpose of the key. */
      name: string;
      /** First characters of the key, which identify it. */
      prefix: string;
      /** Time of creation. */
      createdAt: string;
      /** Last use of the key, to the minute. Null before the first use. */
      lastUsedAt: string | null;
      /** IP address of the last use. Null before the first use. */
      lastUsedAddress: string | null;
      /** Scopes of the key. */
      scopes: components['schemas']['ApiKeyScope'][];
      /** Expiry of the key. Null: never. */
      expiresAt: string | null;
      /** True for a key that Burnish created for itself: for sign-in links, or for commands on its machine. */
      internal: boolean;
      /** True for a test key. */
      test: boolean;
    };
    /**
     * Operations that an API key permits. No scope includes another.
     *
     *     - `read`: Read uploads, enhancements, previews, credits, settings and versions
     *     - `uploads`: Upload and enhance files, approve estimates, cancel and delete work
     *     - `destinations`: Write results of orders to a bucket or to a URL, besides the scope uploads
     *     - `webhooks`: Read and change webhook endpoints, and send events again
     *     - `keys`: Read, create and delete API keys with at most its own scopes
     *     - `admin`: Change settings and read the audit log
     */
    ApiKeyScope: 'read' | 'uploads' | 'destinations' | 'webhooks' | 'keys' | 'admin';
    /** A new API key. */
    ApiKeyWithSecret: {
      /** Id of the API key. */
      id: string;
      /** Purpose of the key. */
      name: string;
      /** First characters of the key, which identify it. */
      prefix: string;
      /** Time of creation. */
      createdAt: string;
      /** Last use of the key, to the minute. Null before the first use. */
      lastUsedAt: string | null;
      /** IP address of the last use. Null before the first use. */
      lastUsedAddress: string | null;
      /** Scopes of the key. */
      scopes: components['schemas']['ApiKeyScope'][];
      /** Expiry of the key. Null: never. */
      expiresAt: string | null;
      /** True for a key that Burnish created for itself: for sign-in links, or for commands on its machine. */
      internal: boolean;
      /** True for a test key. */
      test: boolean;
      /** The key itself, shown once. Null in the response to a repeated request with the same `Idempotency-Key`. */
      key: string | null;
    };
    AuditEntry: {
      /** Sequence number, which increases with each entry. */
      seq: number;
      at: string;
      /** `key`: a request with an API key. `session`: the dashboard. `workflow`: a caller of a Nexus endpoint. `operator`: the terminal or the operator's key. `burnish`: the instance itself. */
      actor: 'key' | 'session' | 'workflow' | 'operator' | 'burnish';
      /** Id of the API key of the request or session. */
      keyId: string | null;
      /** Name of that key. Null after its deletion. */
      keyName: string | null;
      /** IP address of the request. */
      address: string | null;
      action:
        | 'api_key.create'
        | 'api_key.delete'
        | 'session.open'
        | 'session.close'
        | 'sign_in_link.create'
        | 'signing_key.rotate'
        | 'webhook.create'
        | 'webhook.change'
        | 'webhook.disable'
        | 'webhook.delete'
        | 'webhook.rotate_secret'
        | 'webhook.test'
        | 'webhook.redeliver'
        | 'webhook.redeliver_failed'
        | 'preset.save'
        | 'preset.delete'
        | 'look.save'
        | 'look.delete'
        | 'settings.change'
        | 'plan.change'
        | 'plan.define'
        | 'endpoint.create'
        | 'endpoint.rotate_token'
        | 'endpoint.delete'
        | 'bucket.create'
        | 'bucket.delete'
        | 'account.create'
        | 'account.change'
        | 'account.suspend'
        | 'account.resume'
        | 'account.delete'
        | 'account.deleted'
        | 'credits.top_up'
        | 'upload.delete'
        | 'upload.original_missing'
        | 'upload.original_damaged'
        | 'enhancement.approve'
        | 'enhancement.reject'
        | 'enhancement.cancel'
        | 'batch.approve'
        | 'batch.cancel';
      /** Subject of the action: an id, or the reference of a top-up. */
      subjectId: string | null;
      /** Details of the action, without secrets: texts, numbers, lists of texts, true, false, null. */
      details: {
        [key: string]: unknown;
      };
    };
    /** Many files with the same parameters, under one approval. */
    Batch: {
      /** Id of the batch. */
      id: string;
      status: components['schemas']['BatchStatus'];
      /** Reason of the pause. Null unless PAUSED. */
      pauseReason: components['schemas']['BatchPauseReason'] | null;
      /** Your own id, as given at creation. */
      reference: string | null;
      /** The enhancement of each file, with the parameters of its preset, and the version of the preset. */
      enhancements: components['schemas']['BatchEnhancement'][];
      /** Items that run before the approval. 0: the batch needs no approval. */
      samples: number;
      counts: components['schemas']['BatchCounts'];
      /** Credits charged for ended items. */
      chargedCredits: number;
      /** Credits of all items together. Null: no limit. */
      maxCredits: number | null;
      /** Prediction from the samples. Null before their end, and without samples. */
      prediction: components['schemas']['BatchPrediction'] | null;
      /** Why it waits or failed, and what to do. Null otherwise. */
      explanation: components['schemas']['Explanation'] | null;
      /** Seconds until the end, from the prediction and, more and more, from the pace of the last items. Null unless the batch is RUNNING and closed. */
      remainingSeconds: number | null;
      /** Time of creation. */
      createdAt: string;
      /** Time from which the batch accepts no items. Null before. */
      closedAt: string | null;
      /** Time of the approval. Null before, and without samples. */
      approvedAt: string | null;
      /** Time at which every item had ended. Null before. */
      finishedAt: string | null;
    };
    /** Numbers of items by state. */
    BatchCounts: {
      /** All items. */
      items: number;
      /** Items that have not started. */
      pending: number;
      /** Items that run. */
      running: number;
      /** Items with a result. */
      finished: number;
      /** Items that failed. */
      failed: number;
      /** Items that were cancelled. */
      cancelled: number;
    };
    BatchEnhancement: BatchEnhancementRepresentation;
    /** One input of a batch with its result, price or error code. */
    BatchItem: {
      /** Key of the item, unique in the batch. For a bucket: `bucket/key`. */
      key: string;
      /** Given URL of the file, without its query. Null without one. */
      url: string | null;
      /** Registered bucket of the file. Null without one. */
      bucket: string | null;
      /** Your own id, as given at creation. */
      reference: string | null;
      state: components['schemas']['BatchItemState'];
      /** Whether the item is a sample. */
      sample: boolean;
      /** Upload of the item. Null before its start. */
      uploadId: string | null;
      /** Enhancement of the item. Null before its start. */
      enhancementId: string | null;
      /** Charged credits. Null before the end of the item. */
      credits: number | null;
      /** Reason of the failure. Null unless FAILED. */
      errorCode: components['schemas']['ErrorCode'] | null;
      /** Why it waits or failed, and what to do. Null otherwise. */
      explanation: components['schemas']['Explanation'] | null;
      /** Signed URL of the result, valid for 23 to 24 hours. Null unless FINISHED, and after a deletion. */
      resultUrl: string | null;
    };
    /**
     * State of an item.
     *
     *     - `PENDING`: The item has not started.
     *     - `RUNNING`: The upload of the item exists, or is about to start.
     *     - `FINISHED`: The result exists.
     *     - `FAILED`: The item failed; `errorCode` gives the reason. Nothing is charged.
     *     - `CANCELLED`: The item was cancelled. Nothing is charged.
     */
    BatchItemState: 'PENDING' | 'RUNNING' | 'FINISHED' | 'FAILED' | 'CANCELLED';
    /**
     * Reason of a pause.
     *
     *     - `request`: Request of the account.
     *     - `budget`: `maxCredits` does not cover a further item. Resume the batch with a higher number.
     *     - `credits`: The account has too few credits. Resume the batch after a top-up.
     */
    BatchPauseReason: 'request' | 'budget' | 'credits';
    /** Prediction from the samples. Each sample stands for an equal number of items. */
    BatchPrediction: {
      /** Credits of the whole batch, with those of the samples. */
      credits: number;
      /** Seconds from the approval to the end. */
      seconds: number;
      /** Items of the whole batch that fail. */
      failures: number;
    };
    /**
     * Batch status. FINISHED and CANCELLED are final.
     *
     *     - `COLLECTING`: The batch accepts items. Its samples start when it is closed.
     *     - `SAMPLING`: The samples run.
     *     - `APPROVAL_NEEDED`: The samples have ended. `prediction` is set, and the rest waits for approval.
     *     - `RUNNING`: Items run, as many at a time as the batch allows.
     *     - `PAUSED`: No further items start; `pauseReason` gives the reason. Running items end.
     *     - `CANCELLING`: Pending items are cancelled, and running items end.
     *     - `CANCELLED`: Cancelled on request. Finished items keep their results.
     *     - `FINISHED`: Every item has ended. Failed items can be tried again.
     */
    BatchStatus:
      'COLLECTING' | 'SAMPLING' | 'APPROVAL_NEEDED' | 'RUNNING' | 'PAUSED' | 'CANCELLING' | 'CANCELLED' | 'FINISHED';
    /** A registered bucket of an account. */
    Bucket: {
      /** Name by which orders of the account refer to the bucket. */
      name: string;
      /** Bucket and prefix. Keys of orders lie below the prefix. */
      url: string;
      /** Address of the S3 service. Default: AWS in the region. Private hosts need the permission of the instance. */
      endpoint: unknown;
      /** Region of the bucket, for signatures. */
      region: string;
      createdAt: string;
    };
    /** Credits of the account in the current period, a calendar month in UTC. */
    Credits: {
      /** Remaining credits of the current period, without reserved credits. */
      remainingCreditsThisPeriod: number;
      /** Charged credits of the current period. */
      usedCreditsThisPeriod: number;
      /** Credits reserved for accepted enhancements that have not ended. */
      reservedCreditsThisPeriod: number;
      /** Start of the current period. */
      periodStart: string;
      /** End of the current period, exclusive. */
      periodEnd: string;
    };
    /** One attempt of a delivery. */
    DeliveryAttempt: {
      /** Number of the attempt, from 1 to at most 10. */
      number: number;
      /** Time of the attempt. */
      at: string;
      /** HTTP status of the response. Null without a response. */
      httpStatus: number | null;
      /** Milliseconds until the response or the timeout. */
      latencyMs: number;
      /** First 1,000 bytes of the response, or the reason for its absence. */
      answer: string;
      outcome: components['schemas']['WebhookAttemptOutcome'];
    };
    /** Destination of the result, with its outcome. */
    Destination: {
      /** Scheme and host of the URL. Null for a bucket. */
      url: string | null;
      /** Name of the registered bucket. Null for a URL. */
      bucket: string | null;
      /** Key in the bucket, with `{name}` until the result is written. Null for a URL. */
      key: string | null;
      status: components['schemas']['DestinationStatus'];
      /** Reason of the failure. Null unless `status` is FAILED. */
      errorCode: components['schemas']['ErrorCode'] | null;
      /** Explanation of `errorCode`. */
      errorDetail: string | null;
      /** Time of the write. Null unless `status` is DELIVERED. */
      deliveredAt: string | null;
    };
    /**
     * Status of a destination.
     *
     *     - `PENDING`: The result is not written yet. Attempts continue for a day after the enhancement has finished.
     *     - `DELIVERED`: The destination has the result.
     *     - `FAILED`: `errorCode` gives the reason. The result can be downloaded.
     */
    DestinationStatus: 'PENDING' | 'DELIVERED' | 'FAILED';
    /** Report of the engine about a result. */
    EngineReport: {
      /** Version of the engine. */
      version: string;
      /** Version of Burnish that made the result, with its commit. Null for the hosted service. */
      build: string | null;
      /** Steps that changed the picture, in order, such as `tone` and `upscale`. */
      steps: string[];
      /** Neural networks that changed the picture, in order. */
      models: string[];
      /** Decisions of the engine, as sentences. */
      notes: string[];
      /** No step changed a picture, so nothing was charged. */
      unchanged: boolean;
      /** Measured difference between the original and the reduced result. Null unless `fidelity` is STRICT. */
      fidelity: components['schemas']['Fidelity'] | null;
      /** Cleaned pages of a PDF to look at, at most 1,000: the engine evened only their light, left them skewed, or turned them upright. */
      uncertainPages: number[];
      /** Pages of a PDF that are two pages of the result each, with `pdf.split`, in order, at most 2,000. All page numbers of the API are those of the original: page 7 is page 7 of the result plus the number of split pages before it, less the number of dropped ones. */
      splitPages: number[];
      /** Pages of a PDF that the result lacks, by `pdf.pages`, in order, at most 1,000. */
      droppedPages: number[];
    };
    /** One enhancement of an image or of a PDF. */
    Enhancement: {
      /** Id of the enhancement. */
      id: string;
      /** Id of the upload. */
      uploadId: string;
      status: components['schemas']['EnhancementStatus'];
      /** Reason why an upload or an enhancement waits. Null while it runs and after its end. */
      waitingFor: components['schemas']['WaitingFor'] | null;
      /** Signed URL of the result. It stays the same for an hour, is valid for 23 to 24 hours, and supports range requests. Null unless `status` is FINISHED, and after `deletedAt`. */
      fullUrl: string | null;
      /** File name of the result. Null unless `status` is FINISHED, and after `deletedAt`. */
      filename: string | null;
      /** Media type of the result. Null unless `status` is FINISHED, and after `deletedAt`. */
      mimetype:
        | (
            | 'image/jpeg'
            | 'image/png'
            | 'image/tiff'
            | 'image/heic'
            | 'image/webp'
            | 'image/avif'
            | 'image/gif'
            | 'image/bmp'
            | 'application/pdf'
          )
        | null;
      /** Size of the result in bytes. Null unless `status` is FINISHED, and after `deletedAt`. */
      filesize: number | null;
      /** Size of the result divided by the size of the original. Null unless `status` is FINISHED, and after `deletedAt`. */
      growth: number | null;
      /** Width of the result in pixels; 0 for PDFs. Null unless `status` is FINISHED, and after `deletedAt`. */
      width: number | null;
      /** Height of the result in pixels; 0 for PDFs. Null unless `status` is FINISHED, and after `deletedAt`. */
      height: number | null;
      /** Engine time in milliseconds. Null until the engine ends. */
      engineDuration: number | null;
      /** Reason of the failure. Null unless `status` is ERROR. */
      errorCode: components['schemas']['ErrorCode'] | null;
      /** Explanation of `errorCode`. */
      errorDetail: string | null;
      /** Why it waits or failed, and what to do. Null otherwise. */
      explanation: components['schemas']['Explanation'] | null;
      parameters: components['schemas']['EnhancementParameters'];
      /** Preset of the order with its version, such as `web@3`. Null without a preset. */
      preset: string | null;
      /** Credits. An estimate above this number needs approval. Null: no limit. */
      maxCredits: number | null;
      /** Maximum wait for credits in seconds; 0 fails at once. */
      creditWait: number;
      /** Maximum price in credits, which is reserved. Null until it is known. */
      estimatedCredits: number | null;
      /** Charged credits, at most the estimate; 0 for a reused result, for paid pages, and where nothing was changed. Null until the enhancement ends. */
      chargedCredits: number | null;
      /** Id of the earlier enhancement whose result was reused at no charge. Null for a new result. */
      reusedFrom: string | null;
      /** Id of an earlier enhancement of the same file whose parameters differ in `pdf.pages` alone. Pages that it has paid cost nothing again. Null without one. */
      basedOn: string | null;
      /** Destination of the result, with its outcome. Null without one. */
      destination: components['schemas']['Destination'] | null;
      /** Provider of the work. HOSTED becomes LOCAL when the engine of this instance takes over. */
      provider: 'LOCAL' | 'HOSTED' | 'TEST';
      /** Report of the engine about the result. Null until the engine ends. */
      engine: components['schemas']['EngineReport'] | null;
      /** Your own id, as given at creation. */
      reference: string | null;
      /** Your own data, as given at creation. */
      customMetadata: {
        [key: string]: unknown;
      } | null;
      /** Time of creation. */
      createdAt: string;
      /** Time at which the engine started. Null before. */
      startedAt: string | null;
      /** Time at which the enhancement became FINISHED, ERROR or CANCELLED. Null before. */
      finishedAt: string | null;
      /** Time at which the result was deleted with its upload; `status` stays. Null before. */
      deletedAt: string | null;
      /** Progress of the engine, up to a second old. Null unless `status` is PROCESSING and the enhancement is read by its id, and while it is unknown. */
      progress: components['schemas']['EnhancementProgress'] | null;
    };
    EnhancementParameters: ParametersRepresentation;
    /** Progress of a running enhancement. */
    EnhancementProgress: {
      /** Running step, such as `upscale`. */
      step: string;
      /** From 0.0 to 1.0 over the whole enhancement. */
      fraction: number;
    };
    /**
     * Enhancement status. FINISHED, ERROR and CANCELLED are final.
     *
     *     - `QUEUED`: Accepted and queued.
     *     - `AWAITING_APPROVAL`: The estimate exceeds `maxCredits`, or the order drops pages. It can be approved or rejected within 7 days.
     *     - `AWAITING_CREDITS`: The account has too few credits. The enhancement continues when credits are added in time.
     *     - `PROCESSING`: Processing.
     *     - `FINISHED`: Finished; `fullUrl` is set.
     *     - `ERROR`: Failed; `errorCode` gives the reason. Nothing is charged.
     *     - `CANCELLED`: Cancelled on request or with its upload. Nothing is charged.
     */
    EnhancementStatus:
      'QUEUED' | 'AWAITING_APPROVAL' | 'AWAITING_CREDITS' | 'PROCESSING' | 'FINISHED' | 'ERROR' | 'CANCELLED';
    /** What one enhancement would do. */
    EnhancementTrial: {
      /** What the enhancement makes of it. WebP in sRGB, as base64. */
      picture: string;
      /** Whether the enhancement changes the picture or page. */
      changed: boolean;
      /** Sentences about what was done and left out. */
      notes: string[];
    };
    /** Error code. REST, GraphQL and events share one list of codes. */
    ErrorCode:
      | 'UNAUTHENTICATED'
      | 'FORBIDDEN'
      | 'ACCOUNT_SUSPENDED'
      | 'NOT_FOUND'
      | 'BAD_USER_INPUT'
      | 'CONFLICT'
      | 'REQUEST_TIMEOUT'
      | 'IDEMPOTENCY_KEY_REUSED'
      | 'IDEMPOTENCY_KEY_IN_FLIGHT'
      | 'FILE_TOO_SMALL'
      | 'FILE_TOO_LARGE'
      | 'UNSUPPORTED_MEDIA_TYPE'
      | 'UPLOAD_MISMATCH'
      | 'SIGNED_URL_EXPIRED'
      | 'SIGNED_URL_USED'
      | 'UPLOAD_EXPIRED'
      | 'URL_NOT_ALLOWED'
      | 'URL_FETCH_FAILED'
      | 'SOURCE_MISSING'
      | 'BUCKET_REFUSED'
      | 'DESTINATION_REFUSED'
      | 'DESTINATION_UNAVAILABLE'
      | 'DESTINATION_CANCELLED'
      | 'CORRUPT_FILE'
      | 'ENCRYPTED_PDF'
      | 'WRONG_PASSWORD'
      | 'SIGNED_PDF'
      | 'NOT_ARCHIVABLE'
      | 'RESULT_TOO_LARGE'
      | 'TOO_MANY_PIXELS'
      | 'PROCESSING_LIMIT'
      | 'PDF_NOT_ANALYZED'
      | 'TARGET_RESOLUTION_EXCEEDS_PLAN'
      | 'INSUFFICIENT_CREDITS'
      | 'APPROVAL_REJECTED'
      | 'RATE_LIMITED'
      | 'STORAGE_LIMIT'
      | 'PROVIDER_UNAVAILABLE'
      | 'PROVIDER_REJECTED'
      | 'ORIGINAL_MISSING'
      | 'ORIGINAL_DAMAGED'
      | 'RESULT_DAMAGED'
      | 'UNAVAILABLE'
      | 'INTERNAL';
    /** Price of an enhancement and size of its result, before it is ordered. */
    Estimate: {
      /** Maximum price in credits. It is reserved with the order. */
      credits: number;
      /** Price in credits if light, colour and damage need no change. Equal to `credits` where the price is certain. */
      minCredits: number;
      /** Expected size of the result in bytes; the actual size can differ. Null for images and for the hosted service. */
      filesize: number | null;
      /** Lower end of the range that has the size of 90 % of results, in bytes. Null as `filesize`. */
      minFilesize: number | null;
      /** Upper end of that range, in bytes. Null as `filesize`. */
      maxFilesize: number | null;
      /** Width of the result in pixels. Null for PDFs. */
      width: number | null;
      /** Height of the result in pixels. Null for PDFs. */
      height: number | null;
      /** Sentences about losses, such as transparency that becomes white in a JPEG, and about pages that an earlier enhancement has paid. */
      notes: string[];
      /** Images of a PDF whose mask alone is enlarged, for smooth edges. Masks below 128 pixels cost nothing. */
      masksOnly: number;
      /** Numbers of images of a PDF that the order changes, by the expected step that keeps the file within `pdf.maxGrowth`. Strips of a picture count once. Null for images and for the hosted service. */
      expectedImages: components['schemas']['ExpectedImages'] | null;
    };
    /** Numbers of images of a PDF by their expected change, before the order. */
    ExpectedImages: {
      /** Images that are enhanced as asked. */
      full: number;
      /** Images with a lower JPEG quality or a smaller enlargement. */
      reduced: number;
      /** Images that stay as they are, at no charge. */
      unchanged: number;
    };
    /** Why a record waits or failed, and what to do. */
    Explanation: {
      /** What it waits for, or what was wrong. */
      detail: string;
      /** What to do. */
      remedy: string;
    };
    /** Difference between the original and the file of its enlarged result, reduced again by the mean of each block of pixels. */
    Fidelity: {
      /** PSNR in dB over all colours. Null for equal pictures. */
      psnr: number | null;
      /** Largest difference in levels of 255. */
      maxDifference: number;
    };
    /** An entry of the credit ledger. */
    LedgerEntry: {
      /** Sequence number, which increases with each entry. */
      seq: number;
      /** `grant` and `top_up` add credits. `reserve` reserves credits for an enhancement, `capture` charges them, and `release` returns them. */
      kind: 'grant' | 'top_up' | 'reserve' | 'release' | 'capture';
      /** Number of credits. */
      credits: number;
      /** Signed effect on the remaining credits; 0 for a capture, whose credits were reserved before. */
      change: number;
      /** Time of the entry. */
      at: string;
    };
    /** A line of the credit ledger: a grant, a top-up, or one enhancement. */
    LedgerLine: {
      /** Sequence number of its first entry. */
      seq: number;
      /** Calendar month of the line. */
      period: string;
      /** A grant, a top-up, or one enhancement. */
      kind: 'grant' | 'top_up' | 'enhancement';
      /** Signed effect of its entries on the remaining credits: -5 for an enhancement that reserved 8 and cost 5. */
      change: number;
      /** Credits of the period after this line and all earlier ones. */
      remaining: number;
      /** Id of the enhancement. Null for a grant or a top-up. */
      enhancementId: string | null;
      /** Id of its upload. Null for a grant or a top-up. */
      uploadId: string | null;
      /** File name of its upload. Null for a grant or a top-up. */
      originalFilename: string | null;
      /** The enhancement changed no picture, so it was not charged. */
      unchanged: boolean;
      /** Id of the earlier enhancement whose paid pages this one did not pay again. Null without one. */
      basedOn: string | null;
      /** Reference of a grant or a top-up. */
      reference: string | null;
      /** Time of its first entry. */
      at: string;
      /** Its entries, oldest first. */
      entries: components['schemas']['LedgerEntry'][];
    };
    /** An account's own tone and colour, by name and version. */
    Look: {
      /** Name of the look: use 1 to 60 lower-case letters, digits, dots, hyphens and underscores, and begin with a letter or a digit. */
      name: string;
      /** Number of the version, from 1 to at most 100 at a time. A version never changes. */
      version: number;
      proof: components['schemas']['LookProof'];
      /** Time at which this version was built. */
      createdAt: string;
    };
    /** How near a look comes to finished pictures, each left out of it in turn. */
    LookProof: {
      /** Number of finished pictures. */
      pictures: number;
      /** Number of those with an original. */
      pairs: number;
      /** Mean difference from the finished pictures without a correction, CIE ΔE. */
      untouched: number;
      /** The same with mode ENHANCE. */
      enhance: number;
      /** The same with the look. */
      look: number;
      /** Mean ΔE by which the look is nearer than ENHANCE. */
      gain: number;
      /** Standard error of the gain. */
      error: number;
      /** Gain of the worst picture; below 0, it is farther away. */
      worst: number;
    };
    /**
     * Reason why a look has not proved itself.
     *
     *     - `NO_GAIN`: It is hardly nearer to the finished pictures than ENHANCE is.
     *     - `UNCERTAIN`: Its gain differs too much from picture to picture.
     *     - `WORST_CASE`: It spoils a picture.
     *     - `WORSE_THAN_NOTHING`: The pictures are nearer to their finish without any correction.
     */
    LookRefusal: 'NO_GAIN' | 'UNCERTAIN' | 'WORST_CASE' | 'WORSE_THAN_NOTHING';
    /** An upload with a look. */
    LookSample: {
      /** The upload. */
      uploadId: string;
      /** The upload with the look, as a data URL of a WebP. */
      picture: string;
    };
    /** A look that is not saved. */
    LookTrial: {
      proof: components['schemas']['LookProof'];
      /** Why the look is refused. Null: it has proved itself. */
      refusal: components['schemas']['LookRefusal'] | null;
      /** The samples of the request. */
      samples: components['schemas']['LookSample'][];
    };
    OperatorAccount: {
      /** Id of the account. */
      id: string;
      /** Display name of the account. */
      name: string;
      /** Id of the plan. */
      plan: string;
      status: 'ACTIVE' | 'SUSPENDED' | 'DELETED';
      /** Credits per calendar month. Null: the value of the plan. */
      creditsPerPeriod: number | null;
      /** Requests per minute at each gateway. Null: the value of the plan. */
      requestsPerMinute: number | null;
      /** Enhancements that may wait or run at the same time. Null: the value of the plan. */
      jobsAtOnce: number | null;
      /** Bytes of originals and results that may be stored. Null: the value of the plan. */
      maxStoredBytes: number | null;
      /** Shortest retention that the account may choose, days. */
      minRetentionDays: number;
      /** Longest retention that the account may choose, days. */
      maxRetentionDays: number;
      /** Permitted tiers. Null: all tiers. `AUTO` chooses the best of them, and never DETAIL. */
      allowedTiers: ('DETAIL' | 'FINE' | 'FAST' | 'PLAIN')[] | null;
      /** Effective limits: the values of the account, or of its plan. */
      effective: {
        creditsPerPeriod: number;
        requestsPerMinute: number;
        jobsAtOnce: number;
        maxStoredBytes: number;
      };
      /** Retention that the account has chosen for new uploads, days. */
      retentionDays: number;
      /** Enhancements that wait or run. */
      openEnhancements: number;
      /** Bytes of originals and results, and of files on their way. */
      storedBytes: number;
      /** Null for a deleted account. */
      remainingCreditsThisPeriod: number | null;
      createdAt: string;
      suspendedAt: string | null;
      deletedAt: string | null;
      /** Account that this is the test account of. Null for any other account. */
      testOf: string | null;
      /** Deleted items. Null for an account that is not deleted. */
      deletion: components['schemas']['AccountReceipt'] | null;
    };
    /** Prices of the enhancements of an order. */
    OrderEstimate: {
      /** Sum of `credits`, the maximum price of the order. */
      credits: number;
      /** Sum of `minCredits`. */
      minCredits: number;
      /** One estimate for each enhancement, in the order of the request. */
      enhancements: components['schemas']['Estimate'][];
    };
    /** Result of the analysis of a PDF. */
    PdfAnalysis: {
      /** Credits for all enhancements for which the PDF is eligible. */
      totalCredits: number;
      statistics: {
        pages: number;
        images: number;
        colorEligible: number;
        resizeEligible: number;
        /** Number of images by kind, among those that can be enhanced. Only photographs get a new tone and colour. */
        kinds?:
          | {
              [key: string]: number;
            }
          | undefined;
        /** Pages that show blank paper, in order, at most 1,000. Burnish drops none by itself: order `pdf.pages` with DROP. Absent: there are none. */
        blankPages?: number[] | undefined;
        /** The PDF has a digital signature. Its enhancement needs `pdf.allowBreakingSignatures`. Absent: it has none. */
        signed?: boolean | undefined;
        /** With some parameters, the images have more pixels than the limit, and the order is refused with TOO_MANY_PIXELS. Absent: with none. */
        mayExceedPixels?: boolean | undefined;
        /** Number of images that cannot reach 300 DPI, because an image is enlarged at most 4 times. Absent: all images reach it. */
        belowTarget?: number | undefined;
        /** Lowest resolution of these images after enhancement, DPI. */
        lowestReached?: number | undefined;
        credits: {
          color: number;
          resize: number;
          colorAndResize: number;
        };
      };
    };
    /** A saved set of parameters, by name and version. */
    Preset: {
      /** Name of the preset: use 1 to 60 lower-case letters, digits, dots, hyphens and underscores, and begin with a letter or a digit. */
      name: string;
      /** Number of the version, from 1 to at most 100 at a time. A version never changes. */
      version: number;
      /** The parameters of one enhancement. */
      enhancements: components['schemas']['EnhancementParameters'][];
      /** Time at which this version was saved. */
      createdAt: string;
    };
    /** Settings of the account. */
    Settings: {
      /** Days that new uploads are kept, 1 to 365. Existing uploads keep their retention. */
      uploadRetentionDays: number;
    };
    /** An upload whose file is sent by PUT to a signed URL. */
    SignedUpload: {
      /** Id of the upload. */
      id: string;
      status: components['schemas']['UploadStatus'];
      /** Status of the analysis of a PDF. Null for images. */
      subStatus: components['schemas']['UploadSubStatus'] | null;
      /** Reason why an upload or an enhancement waits. Null while it runs and after its end. */
      waitingFor: components['schemas']['WaitingFor'] | null;
      /** Result of the analysis of a PDF. Null for images, and until `subStatus` is METADATA_ANALYZED_SUCCESSFULLY. */
      metadata: components['schemas']['PdfAnalysis'] | null;
      /** Size of the file in bytes. Null until the file arrives. */
      filesize: number | null;
      /** Media type, detected from the content. Null until the file arrives. */
      mimetype:
        | (
            | 'image/jpeg'
            | 'image/png'
            | 'image/tiff'
            | 'image/heic'
            | 'image/webp'
            | 'image/avif'
            | 'image/gif'
            | 'image/bmp'
            | 'application/pdf'
          )
        | null;
      /** File extension for the media type, without a dot. Null until the file arrives. */
      extension: string | null;
      /** File name as uploaded; `deleted` after the deletion. */
      originalFilename: string;
      /** File name in storage. Null until the file arrives. */
      filename: string | null;
      /** Width in pixels, after orientation; 0 for PDFs. */
      width: number;
      /** Height in pixels, after orientation; 0 for PDFs. */
      height: number;
      /** The image has an alpha channel; a WebP only with a transparent pixel. Null for PDFs, and until the file has been inspected. */
      hasAlpha: boolean | null;
      /** Signed URL of the original. It stays the same for an hour and is valid for 23 to 24 hours. Null without a file. */
      url: string | null;
      /** Reason of a failed upload or analysis. Null without a failure. */
      errorCode: components['schemas']['ErrorCode'] | null;
      /** Explanation of `errorCode`. */
      errorDetail: string | null;
      /** Why it waits or failed, and what to do. Null otherwise. */
      explanation: components['schemas']['Explanation'] | null;
      /** Days that the file is kept, as set when the upload was created. */
      retentionDays: number;
      /** Your own id, as given at creation. */
      reference: string | null;
      /** Your own data, as given at creation. */
      customMetadata: {
        [key: string]: unknown;
      } | null;
      /** Time of creation. */
      createdAt: string;
      /** Start of processing. Null while a signed upload waits for its file. */
      startedAt: string | null;
      /** Time at which the upload became UPLOAD_FINISHED or UPLOAD_FAILED. */
      finishedAt: string | null;
      /** Processing time of the upload in milliseconds. Null until it ends. */
      duration: number | null;
      /** Time of deletion. Null unless `status` is UPLOAD_DELETED. */
      deletedAt: string | null;
      /** Reason of a deletion. Null unless `status` is UPLOAD_DELETED. */
      deletionReason: components['schemas']['UploadDeletionReason'] | null;
      /** Provider of the work. HOSTED becomes LOCAL when the engine of this instance takes over. */
      provider: 'LOCAL' | 'HOSTED' | 'TEST';
      enhancements: components['schemas']['Enhancement'][];
      /** URL for one PUT of the file within 1 hour, without an API key. The Content-Type must be the declared media type. */
      uploadUrl: string;
      /** Expiry of the upload URL. */
      uploadUrlExpiresAt: string;
    };
    /** A change of an upload or of one of its enhancements. */
    TimelineEntry: {
      at: string;
      subject: 'upload' | 'enhancement';
      /** Id of the upload or of the enhancement */
      id: string;
      /** Status after the change */
      status:
        | 'UPLOAD_PENDING'
        | 'UPLOAD_PROCESSING'
        | 'UPLOAD_FINISHED'
        | 'UPLOAD_FAILED'
        | 'UPLOAD_DELETED'
        | 'QUEUED'
        | 'AWAITING_APPROVAL'
        | 'AWAITING_CREDITS'
        | 'PROCESSING'
        | 'FINISHED'
        | 'ERROR'
        | 'CANCELLED';
      /** Description of the change */
      sentence: string;
    };
    /** What enhancements would do, shown before an order. */
    Trial: {
      area: components['schemas']['TrialArea'];
      /** The original. WebP in sRGB, as base64. */
      original: string;
      /** One for each enhancement, in the order of the request. */
      enhancements: components['schemas']['EnhancementTrial'][];
    };
    /** What the pictures show of the whole picture or page. */
    TrialArea: {
      /** Left edge, in parts of the width. */
      left: number;
      /** Top edge, in parts of the height. */
      top: number;
      /** Width, in parts of the width. */
      width: number;
      /** Height, in parts of the height. */
      height: number;
    };
    /** An uploaded file, from its first byte to its deletion. */
    Upload: {
      /** Id of the upload. */
      id: string;
      status: components['schemas']['UploadStatus'];
      /** Status of the analysis of a PDF. Null for images. */
      subStatus: components['schemas']['UploadSubStatus'] | null;
      /** Reason why an upload or an enhancement waits. Null while it runs and after its end. */
      waitingFor: components['schemas']['WaitingFor'] | null;
      /** Result of the analysis of a PDF. Null for images, and until `subStatus` is METADATA_ANALYZED_SUCCESSFULLY. */
      metadata: components['schemas']['PdfAnalysis'] | null;
      /** Size of the file in bytes. Null until the file arrives. */
      filesize: number | null;
      /** Media type, detected from the content. Null until the file arrives. */
      mimetype:
        | (
            | 'image/jpeg'
            | 'image/png'
            | 'image/tiff'
            | 'image/heic'
            | 'image/webp'
            | 'image/avif'
            | 'image/gif'
            | 'image/bmp'
            | 'application/pdf'
          )
        | null;
      /** File extension for the media type, without a dot. Null until the file arrives. */
      extension: string | null;
      /** File name as uploaded; `deleted` after the deletion. */
      originalFilename: string;
      /** File name in storage. Null until the file arrives. */
      filename: string | null;
      /** Width in pixels, after orientation; 0 for PDFs. */
      width: number;
      /** Height in pixels, after orientation; 0 for PDFs. */
      height: number;
      /** The image has an alpha channel; a WebP only with a transparent pixel. Null for PDFs, and until the file has been inspected. */
      hasAlpha: boolean | null;
      /** Signed URL of the original. It stays the same for an hour and is valid for 23 to 24 hours. Null without a file. */
      url: string | null;
      /** Reason of a failed upload or analysis. Null without a failure. */
      errorCode: components['schemas']['ErrorCode'] | null;
      /** Explanation of `errorCode`. */
      errorDetail: string | null;
      /** Why it waits or failed, and what to do. Null otherwise. */
      explanation: components['schemas']['Explanation'] | null;
      /** Days that the file is kept, as set when the upload was created. */
      retentionDays: number;
      /** Your own id, as given at creation. */
      reference: string | null;
      /** Your own data, as given at creation. */
      customMetadata: {
        [key: string]: unknown;
      } | null;
      /** Time of creation. */
      createdAt: string;
      /** Start of processing. Null while a signed upload waits for its file. */
      startedAt: string | null;
      /** Time at which the upload became UPLOAD_FINISHED or UPLOAD_FAILED. */
      finishedAt: string | null;
      /** Processing time of the upload in milliseconds. Null until it ends. */
      duration: number | null;
      /** Time of deletion. Null unless `status` is UPLOAD_DELETED. */
      deletedAt: string | null;
      /** Reason of a deletion. Null unless `status` is UPLOAD_DELETED. */
      deletionReason: components['schemas']['UploadDeletionReason'] | null;
      /** Provider of the work. HOSTED becomes LOCAL when the engine of this instance takes over. */
      provider: 'LOCAL' | 'HOSTED' | 'TEST';
    };
    /**
     * Reason of a deletion.
     *
     *     - `user`: Request of the account.
     *     - `retention`: End of the retention.
     */
    UploadDeletionReason: 'user' | 'retention';
    /**
     * Upload status.
     *
     *     - `UPLOAD_PENDING`: Burnish waits for the file, by signed URL or by tus.
     *     - `UPLOAD_PROCESSING`: Burnish receives, downloads or verifies the file.
     *     - `UPLOAD_FINISHED`: The file is stored. The analysis of a PDF follows; see `subStatus`.
     *     - `UPLOAD_FAILED`: The upload failed; `errorCode` gives the reason. An unusable file is deleted at once. Any other file is kept until its retention ends.
     *     - `UPLOAD_DELETED`: The file was deleted on request or after its retention. The record remains.
     */
    UploadStatus: 'UPLOAD_PENDING' | 'UPLOAD_PROCESSING' | 'UPLOAD_FINISHED' | 'UPLOAD_FAILED' | 'UPLOAD_DELETED';
    /**
     * Status of the analysis of a PDF.
     *
     *     - `METADATA_ANALYZING`: The analysis waits or runs.
     *     - `METADATA_ANALYZED_SUCCESSFULLY`: The analysis has finished: `metadata` is set, and enhancements can be created.
     *     - `METADATA_ANALYZED_FAILED`: The analysis failed; `errorCode` gives the reason. A new analysis can be requested.
     */
    UploadSubStatus: 'METADATA_ANALYZING' | 'METADATA_ANALYZED_SUCCESSFULLY' | 'METADATA_ANALYZED_FAILED';
    /** An upload with its enhancements, oldest first. */
    UploadWithEnhancements: {
      /** Id of the upload. */
      id: string;
      status: components['schemas']['UploadStatus'];
      /** Status of the analysis of a PDF. Null for images. */
      subStatus: components['schemas']['UploadSubStatus'] | null;
      /** Reason why an upload or an enhancement waits. Null while it runs and after its end. */
      waitingFor: components['schemas']['WaitingFor'] | null;
      /** Result of the analysis of a PDF. Null for images, and until `subStatus` is METADATA_ANALYZED_SUCCESSFULLY. */
      metadata: components['schemas']['PdfAnalysis'] | null;
      /** Size of the file in bytes. Null until the file arrives. */
      filesize: number | null;
      /** Media type, detected from the content. Null until the file arrives. */
      mimetype:
        | (
            | 'image/jpeg'
            | 'image/png'
            | 'image/tiff'
            | 'image/heic'
            | 'image/webp'
            | 'image/avif'
            | 'image/gif'
            | 'image/bmp'
            | 'application/pdf'
          )
        | null;
      /** File extension for the media type, without a dot. Null until the file arrives. */
      extension: string | null;
      /** File name as uploaded; `deleted` after the deletion. */
      originalFilename: string;
      /** File name in storage. Null until the file arrives. */
      filename: string | null;
      /** Width in pixels, after orientation; 0 for PDFs. */
      width: number;
      /** Height in pixels, after orientation; 0 for PDFs. */
      height: number;
      /** The image has an alpha channel; a WebP only with a transparent pixel. Null for PDFs, and until the file has been inspected. */
      hasAlpha: boolean | null;
      /** Signed URL of the original. It stays the same for an hour and is valid for 23 to 24 hours. Null without a file. */
      url: string | null;
      /** Reason of a failed upload or analysis. Null without a failure. */
      errorCode: components['schemas']['ErrorCode'] | null;
      /** Explanation of `errorCode`. */
      errorDetail: string | null;
      /** Why it waits or failed, and what to do. Null otherwise. */
      explanation: components['schemas']['Explanation'] | null;
      /** Days that the file is kept, as set when the upload was created. */
      retentionDays: number;
      /** Your own id, as given at creation. */
      reference: string | null;
      /** Your own data, as given at creation. */
      customMetadata: {
        [key: string]: unknown;
      } | null;
      /** Time of creation. */
      createdAt: string;
      /** Start of processing. Null while a signed upload waits for its file. */
      startedAt: string | null;
      /** Time at which the upload became UPLOAD_FINISHED or UPLOAD_FAILED. */
      finishedAt: string | null;
      /** Processing time of the upload in milliseconds. Null until it ends. */
      duration: number | null;
      /** Time of deletion. Null unless `status` is UPLOAD_DELETED. */
      deletedAt: string | null;
      /** Reason of a deletion. Null unless `status` is UPLOAD_DELETED. */
      deletionReason: components['schemas']['UploadDeletionReason'] | null;
      /** Provider of the work. HOSTED becomes LOCAL when the engine of this instance takes over. */
      provider: 'LOCAL' | 'HOSTED' | 'TEST';
      enhancements: components['schemas']['Enhancement'][];
    };
    /** Enhancements of the account that ended on one day. */
    UsageDay: {
      /** Day in UTC. */
      day: string;
      /** Enhancements with a result. */
      finished: number;
      /** Enhancements that failed, at no charge. */
      failed: number;
      /** Enhancements that were cancelled, at no charge. */
      cancelled: number;
      /** Finished enhancements that reused an earlier result at no charge. */
      reused: number;
      /** Charged credits. */
      credits: number;
      /** The same by API key. A key without an enhancement is absent. */
      keys: components['schemas']['UsageOfKey'][];
    };
    /** Enhancements that ended on one day and were ordered with one API key. */
    UsageOfKey: {
      /** Id of the API key that ordered them. Null for orders of workflows, and before Burnish recorded keys. */
      keyId: string | null;
      /** Name of the key. Null for a deleted key and without a key. */
      keyName: string | null;
      /** Enhancements with a result. */
      finished: number;
      /** Enhancements that failed, at no charge. */
      failed: number;
      /** Enhancements that were cancelled, at no charge. */
      cancelled: number;
      /** Finished enhancements that reused an earlier result at no charge. */
      reused: number;
      /** Charged credits. */
      credits: number;
    };
    /**
     * Reason why an upload or an enhancement waits.
     *
     *     - `storage`: Storage does not respond.
     *     - `database`: The database does not respond.
     *     - `disk`: The disk is full.
     *     - `memory`: The machine lacks memory.
     *     - `worker`: No worker is available.
     *     - `bucket`: The bucket does not respond.
     *     - `hosted`: The hosted service is unavailable.
     *     - `credits`: The account has too few credits.
     *     - `approval`: The order needs approval.
     *     - `destination`: The destination of a finished result does not answer. Burnish tries for a day.
     */
    WaitingFor:
      | 'storage'
      | 'database'
      | 'disk'
      | 'memory'
      | 'worker'
      | 'bucket'
      | 'hosted'
      | 'credits'
      | 'approval'
      | 'destination';
    /** A registered endpoint that receives events of the account. */
    Webhook: {
      /** Id of the webhook endpoint. */
      id: string;
      /** URL of the receiver. */
      url: string;
      /** Kinds of events that the endpoint receives, or `*` for all. */
      events: (
        | '*'
        | 'upload.status_update'
        | 'upload.sub_status_update'
        | 'enhanced_image.status_update'
        | 'credits.low'
        | 'webhook.disabled'
        | 'upload.deleted'
        | 'batch.approval_needed'
        | 'batch.half_done'
        | 'batch.trouble'
        | 'batch.ended'
      )[];
      format: components['schemas']['WebhookFormat'];
      /** Time of creation. */
      createdAt: string;
      /** Time at which the endpoint was disabled. Null while the endpoint is enabled. */
      disabledAt: string | null;
      /** Reason why an endpoint is disabled. Null while the endpoint is enabled. */
      disabledReason: components['schemas']['WebhookDisabledReason'] | null;
      /** First failure since the last success. Null while deliveries succeed. */
      failingSince: string | null;
    };
    /**
     * Attempt result.
     *
     *     - `delivered`: The receiver answered 2xx.
     *     - `failed`: The receiver did not answer, or answered with a redirect or an error.
     *     - `gone`: The receiver answered 410, which disables the endpoint.
     */
    WebhookAttemptOutcome: 'delivered' | 'failed' | 'gone';
    /** Delivery of one event to one receiver, with all attempts. */
    WebhookDelivery: {
      /** Id of the delivery. */
      id: string;
      /** Id of the endpoint. Null for the `webhookUrl` of an upload. */
      webhookId: string | null;
      /** URL of the receiver. */
      url: string;
      /** Id of the event, equal in all its attempts and deliveries. */
      eventId: string;
      /** Kind of the event, such as `upload.deleted`. */
      event:
        | 'upload.status_update'
        | 'upload.sub_status_update'
        | 'enhanced_image.status_update'
        | 'credits.low'
        | 'webhook.disabled'
        | 'upload.deleted'
        | 'batch.approval_needed'
        | 'batch.half_done'
        | 'batch.trouble'
        | 'batch.ended'
        | 'webhook.test';
      /** Id of the upload, enhancement, batch or endpoint of the event. Null for an event about the account. */
      recordId: string | null;
      /** Id of the upload of the event. Null for an event about a batch or the account. */
      uploadId: string | null;
      /** Name of the file of the upload. Null without an upload. */
      filename: string | null;
      status: components['schemas']['WebhookDeliveryStatus'];
      /** Attempts, in order. */
      attempts: components['schemas']['DeliveryAttempt'][];
      /** Why it waits or failed, and what to do. Null otherwise. */
      explanation: components['schemas']['Explanation'] | null;
      /** Time of the next attempt. Null without a further attempt. */
      nextAttemptAt: string | null;
      /** Id of the delivery that this one repeats. Null for the first delivery. */
      redeliveryOf: string | null;
      /** Time of creation. */
      createdAt: string;
    };
    /**
     * Delivery status.
     *
     *     - `PENDING`: The first attempt or retries are pending.
     *     - `DELIVERED`: An attempt succeeded.
     *     - `FAILED`: The last attempt failed, or the endpoint is disabled or deleted.
     */
    WebhookDeliveryStatus: 'PENDING' | 'DELIVERED' | 'FAILED';
    /** A delivery with its attempts and its body. */
    WebhookDeliveryWithBody: {
      /** Id of the delivery. */
      id: string;
      /** Id of the endpoint. Null for the `webhookUrl` of an upload. */
      webhookId: string | null;
      /** URL of the receiver. */
      url: string;
      /** Id of the event, equal in all its attempts and deliveries. */
      eventId: string;
      /** Kind of the event, such as `upload.deleted`. */
      event:
        | 'upload.status_update'
        | 'upload.sub_status_update'
        | 'enhanced_image.status_update'
        | 'credits.low'
        | 'webhook.disabled'
        | 'upload.deleted'
        | 'batch.approval_needed'
        | 'batch.half_done'
        | 'batch.trouble'
        | 'batch.ended'
        | 'webhook.test';
      /** Id of the upload, enhancement, batch or endpoint of the event. Null for an event about the account. */
      recordId: string | null;
      /** Id of the upload of the event. Null for an event about a batch or the account. */
      uploadId: string | null;
      /** Name of the file of the upload. Null without an upload. */
      filename: string | null;
      status: components['schemas']['WebhookDeliveryStatus'];
      /** Attempts, in order. */
      attempts: components['schemas']['DeliveryAttempt'][];
      /** Why it waits or failed, and what to do. Null otherwise. */
      explanation: components['schemas']['Explanation'] | null;
      /** Time of the next attempt. Null without a further attempt. */
      nextAttemptAt: string | null;
      /** Id of the delivery that this one repeats. Null for the first delivery. */
      redeliveryOf: string | null;
      /** Time of creation. */
      createdAt: string;
      /** The JSON that the receiver gets, as it is signed. */
      body: string;
    };
    /**
     * Reason why an endpoint is disabled.
     *
     *     - `gone`: The receiver answered 410.
     *     - `failing`: All attempts failed for five days.
     *     - `request`: Request of the account.
     */
    WebhookDisabledReason: 'gone' | 'failing' | 'request';
    /**
     * Data of the events of an endpoint.
     *
     *     - `BURNISH`: The data that this description lists.
     *     - `PUBLIC`: For clients of the public service: `upload.status_update` and `upload.sub_status_update` have its 11 fields, and `x-viesus-cloud-signature` has the hex HMAC-SHA256 of the body.
     */
    WebhookFormat: 'BURNISH' | 'PUBLIC';
    /** An endpoint with its signing secret. */
    WebhookWithSecret: {
      /** Id of the webhook endpoint. */
      id: string;
      /** URL of the receiver. */
      url: string;
      /** Kinds of events that the endpoint receives, or `*` for all. */
      events: (
        | '*'
        | 'upload.status_update'
        | 'upload.sub_status_update'
        | 'enhanced_image.status_update'
        | 'credits.low'
        | 'webhook.disabled'
        | 'upload.deleted'
        | 'batch.approval_needed'
        | 'batch.half_done'
        | 'batch.trouble'
        | 'batch.ended'
      )[];
      format: components['schemas']['WebhookFormat'];
      /** Time of creation. */
      createdAt: string;
      /** Time at which the endpoint was disabled. Null while the endpoint is enabled. */
      disabledAt: string | null;
      /** Reason why an endpoint is disabled. Null while the endpoint is enabled. */
      disabledReason: components['schemas']['WebhookDisabledReason'] | null;
      /** First failure since the last success. Null while deliveries succeed. */
      failingSince: string | null;
      /** Secret of the Standard Webhooks signature, shown once. Null in the response to a repeated request with the same `Idempotency-Key`. */
      secret: string | null;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}

export type AddedBatchItemsRepresentation = components['schemas']['AddedBatchItems'];
export type ApiKeyRepresentation = components['schemas']['ApiKey'];
export type ApiKeyWithSecretRepresentation = components['schemas']['ApiKeyWithSecret'];
export type AuditEntryRepresentation = components['schemas']['AuditEntry'];
export type BatchRepresentation = components['schemas']['Batch'];
export type BatchItemRepresentation = components['schemas']['BatchItem'];
export type BucketRepresentation = components['schemas']['Bucket'];
export type CreditsRepresentation = components['schemas']['Credits'];
export type EnhancementRepresentation = components['schemas']['Enhancement'];
export type EstimateRepresentation = components['schemas']['Estimate'];
export type LedgerLineRepresentation = components['schemas']['LedgerLine'];
export type LookRepresentation = components['schemas']['Look'];
export type LookTrialRepresentation = components['schemas']['LookTrial'];
export type OperatorAccountRepresentation = components['schemas']['OperatorAccount'];
export type OrderEstimateRepresentation = components['schemas']['OrderEstimate'];
export type PresetRepresentation = components['schemas']['Preset'];
export type SettingsRepresentation = components['schemas']['Settings'];
export type SignedUploadRepresentation = components['schemas']['SignedUpload'];
export type TimelineEntryRepresentation = components['schemas']['TimelineEntry'];
export type TrialRepresentation = components['schemas']['Trial'];
export type UploadRepresentation = components['schemas']['Upload'];
export type UploadWithEnhancementsRepresentation = components['schemas']['UploadWithEnhancements'];
export type UsageDayRepresentation = components['schemas']['UsageDay'];
export type WebhookRepresentation = components['schemas']['Webhook'];
export type WebhookDeliveryRepresentation = components['schemas']['WebhookDelivery'];
export type WebhookDeliveryWithBodyRepresentation = components['schemas']['WebhookDeliveryWithBody'];
export type WebhookWithSecretRepresentation = components['schemas']['WebhookWithSecret'];
