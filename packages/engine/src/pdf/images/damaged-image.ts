/** Data of an image that does not decode. */
export class DamagedImage extends Error {}
