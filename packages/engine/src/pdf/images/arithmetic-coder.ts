/** Probability of the unlikely bit, next state after the likely and the unlikely bit, and whether the likely one changes (table E.1). */
// prettier-ignore
const STATES = [
  [0x5601, 1, 1, 1], [0x3401, 2, 6, 0], [0x1801, 3, 9, 0], [0x0ac1, 4, 12, 0], [0x0521, 5, 29, 0], [0x0221, 38, 33, 0],
  [0x5601, 7, 6, 1], [0x5401, 8, 14, 0], [0x4801, 9, 14, 0], [0x3801, 10, 14, 0], [0x3001, 11, 17, 0], [0x2401, 12, 18, 0],
  [0x1c01, 13, 20, 0], [0x1601, 29, 21, 0], [0x5601, 15, 14, 1], [0x5401, 16, 14, 0], [0x5101, 17, 15, 0], [0x4801, 18, 16, 0],
  [0x3801, 19, 17, 0], [0x3401, 20, 18, 0], [0x3001, 21, 19, 0], [0x2801, 22, 19, 0], [0x2401, 23, 20, 0], [0x2201, 24, 21, 0],
  [0x1c01, 25, 22, 0], [0x1801, 26, 23, 0], [0x1601, 27, 24, 0], [0x1401, 28, 25, 0], [0x1201, 29, 26, 0], [0x1101, 30, 27, 0],
  [0x0ac1, 31, 28, 0], [0x09c1, 32, 29, 0], [0x08a1, 33, 30, 0], [0x0521, 34, 31, 0], [0x0441, 35, 32, 0], [0x02a1, 36, 33, 0],
  [0x0221, 37, 34, 0], [0x0141, 38, 35, 0], [0x0111, 39, 36, 0], [0x0085, 40, 37, 0], [0x0049, 41, 38, 0], [0x0025, 42, 39, 0],
  [0x0015, 43, 40, 0], [0x0009, 44, 41, 0], [0x0005, 45, 42, 0], [0x0001, 45, 43, 0], [0x5601, 46, 46, 0],
] as const;

const PROBABILITIES = Uint16Array.from(STATES, ([probability]) => probability);
const AFTER_LIKELY = Uint8Array.from(STATES, ([, likely]) => likely);
const AFTER_UNLIKELY = Uint8Array.from(STATES, ([, , unlikely]) => unlikely);
const SWITCHES = Uint8Array.from(STATES, ([, , , switches]) => switches);

/** The encoder of adaptive binary arithmetic codes, MQ, of JBIG2 (ITU-T T.88 annex E). */
export class ArithmeticCoder {
  readonly #states: Uint8Array;
  readonly #likely: Uint8Array;
  /** The byte before the first one takes its carry, and is not part of the code. */
  #bytes = new Uint8Array(4096);
  #last = 0;
  #interval = 0x8000;
  #code = 0;
  #left = 12;

  /** @param contexts number of contexts. Each learns its own probability */
  constructor(contexts: number) {
    this.#states = new Uint8Array(contexts);
    this.#likely = new Uint8Array(contexts);
  }

  /** Codes a bit, 0 or 1, in a context. */
  encode(context: number, bit: number): void {
    const state = this.#states[context]!;
    const probability = PROBABILITIES[state]!;
    const isLikely = bit === this.#likely[context];
    this.#interval -= probability;
    if (isLikely && (this.#interval & 0x8000) !== 0) {
      this.#code += probability;
      return;
    }
    if (isLikely === this.#interval < probability) this.#interval = probability;
    else this.#code += probability;
    if (!isLikely && SWITCHES[state] === 1) this.#likely[context] = bit;
    this.#states[context] = isLikely ? AFTER_LIKELY[state]! : AFTER_UNLIKELY[state]!;
    do {
      this.#interval <<= 1;
      this.#code <<= 1;
      this.#left -= 1;
      if (this.#left === 0) this.#writeByte();
    } while ((this.#interval & 0x8000) === 0);
  }

  /** Ends the code with its marker. No bit can follow. */
  end(): Buffer {
    const most = this.#code + this.#interval;
    this.#code |= 0xffff;
    if (this.#code >= most) this.#code -= 0x8000;
    for (let times = 0; times < 2; times += 1) {
      this.#code <<= this.#left;
      this.#writeByte();
    }
    const length = this.#bytes[this.#last] === 0xff ? this.#last : this.#last + 1;
    return Buffer.concat([this.#bytes.subarray(1, length), Buffer.from([0xff, 0xac])]);
  }

  #writeByte(): void {
    if (this.#bytes[this.#last] !== 0xff && this.#code >= 0x8000000) {
      this.#bytes[this.#last]! += 1;
      this.#code &= 0x7ffffff;
    }
    const isStuffed = this.#bytes[this.#last] === 0xff;
    this.#last += 1;
    if (this.#last === this.#bytes.length) {
      const longer = new Uint8Array(2 * this.#bytes.length);
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    this.#bytes[this.#last] = isStuffed ? this.#code >>> 20 : this.#code >>> 19;
    this.#code &= isStuffed ? 0xfffff : 0x7ffff;
    this.#left = isStuffed ? 7 : 8;
  }
}
