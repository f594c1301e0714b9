declare module '@cornerstonejs/codec-openjpeg/decodewasmjs' {
  export interface J2KDecoder {
    getEncodedBuffer(length: number): Uint8Array;
    decode(): void;
    decodeSubResolution(level: number, layer: number): void;
    getDecodedBuffer(): Uint8Array;
    getFrameInfo(): { width: number; height: number; bitsPerSample: number; componentCount: number; isSigned: boolean };
    getNumDecompositions(): number;
    calculateSizeAtDecompositionLevel(level: number): { width: number; height: number };
    delete(): void;
  }
  export interface OpenJpeg {
    J2KDecoder: new () => J2KDecoder;
  }
  const load: (options: { wasmBinary: Uint8Array; print: () => void; printErr: () => void }) => Promise<OpenJpeg>;
  export default load;
}
