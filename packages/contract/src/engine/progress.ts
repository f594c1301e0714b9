/** Progress of running work, shown to users. */
export interface EnhancementProgress {
  /** Name of the running step, such as `upscale` */
  step: string;
  /** 0.0 to 1.0 over the whole enhancement */
  fraction: number;
  /** For a span of a PDF's images, the number of finished results; `fraction` then covers the span only */
  images?: number;
}
