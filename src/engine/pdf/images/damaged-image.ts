/** An image whose data cannot be decoded as it stands. */
export class DamagedImage extends Error {}

/** Data in a coding, or a variant of one, that is not decoded exactly. */
export class UnknownCoding extends DamagedImage {}
