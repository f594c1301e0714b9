export class DamagedImage extends Error {}

/** Data in a coding, or a variant of one, that the engine does not decode exactly. */
export class UnknownCoding extends DamagedImage {}
