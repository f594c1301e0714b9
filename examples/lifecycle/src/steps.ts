/** What a shop orders. It travels in histories, so it has addresses and numbers only, never a file. */
export interface Order {
  /** A public address, or the path of a file that the worker can read */
  source: { url: string } | { path: string };
  /** The input of `createEnhancedImage`: `{ upscalingFactor: 'X2' }` for an image, `{ targetResolution: 300 }` for a PDF */
  enhancement: Record<string, unknown>;
  /** A higher price waits for a person */
  maxCredits: number;
  /** Where the worker writes the result. Derive it from the id where you do not trust the shop with your paths */
  resultPath: string;
}

/** An upload in the words of the contract. */
export interface Upload {
  id: string;
  /** The service still works on it, so another status follows */
  busy: boolean;
  status: string;
  /** State of the analysis of a PDF; null for an image */
  subStatus: string | null;
  /** The analysis as JSON text, with `totalCredits`; null for an image */
  metadata: string | null;
}

/** An enhancement in the words of the contract. */
export interface EnhancedImage {
  id: string;
  busy: boolean;
  status: string;
  errorCode: string | null;
}

/** What the shop hears at the end. */
export type Outcome = { status: 'DONE'; resultPath: string } | { status: 'FAILED'; reason: string };

/**
 * The activities, in the order of the workflow. `activities/contract.ts` lets a hosted service do the work, and
 * `activities/engine.ts` this worker; the workflow does not know which.
 */
export interface Steps {
  upload(order: Order): Promise<Upload>;
  /** Starts the analysis of a PDF again. */
  analyze(uploadId: string): Promise<Upload>;
  checkCredits(file: Upload, enhancement: Order['enhancement']): Promise<{ price: number; remaining: number }>;
  enhance(uploadId: string, enhancement: Order['enhancement']): Promise<EnhancedImage>;
  download(enhancementId: string, resultPath: string): Promise<void>;
  notify(outcome: Outcome): Promise<void>;

  readUpload(id: string): Promise<Upload>;
  readEnhancement(id: string): Promise<EnhancedImage>;
}
