/** Equal bytes in a row from which data looks like filler. */
const RUN = 64;
/** Bytes after the last block that some encoders leave */
const SLACK = 4;

/**
 * Whether a baseline JPEG of one scan has coded data left when its blocks are complete, which libjpeg does not report: other bytes stand
 * in place of its own, so its later blocks are those of another place. Only data with a run of equal bytes is decoded here (ITU-T T.81,
 * F.2.2), as filler has it and sound data almost never.
 */
export function hasLeftoverData(file: Uint8Array): boolean {
  const scan = readHeader(file);
  if (scan === undefined || !hasRun(file, scan.at)) return false;
  const end = decodeBlocks(file, scan);
  if (end === undefined) return false;
  const rest = file.subarray(end, endOfData(file, end));
  return rest.length > SLACK && rest.some((byte) => byte !== rest[0]);
}

interface Scan {
  /** First byte of the coded data */
  at: number;
  /** Units of blocks (MCU) in the picture */
  units: number;
  /** Tables of the blocks of a unit, in their order: entries have the length of a code times 256, and its symbol */
  blocks: { dc: Uint16Array; ac: Uint16Array }[];
}

/** @returns undefined for a coding whose leftovers libjpeg reports: progressive, several scans, or restart markers */
function readHeader(file: Uint8Array): Scan | undefined {
  const tables = new Map<number, Uint16Array>();
  let frame: Uint8Array | undefined;
  for (let at = 2; at + 4 <= file.length && file[at] === 0xff;) {
    const marker = file[at + 1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const next = at + 2 + ((file[at + 2]! << 8) | file[at + 3]!);
    const segment = file.subarray(at + 4, next);
    if (marker === 0xc4) readTables(segment, tables);
    else if (marker === 0xc0 || marker === 0xc1) frame = segment;
    else if (marker === 0xdd && (segment[0] || segment[1])) return undefined;
    else if (marker === 0xda) return frame && toScan(frame, segment, tables, next);
    at = next;
  }
  return undefined;
}

/** Fills a table with the symbol of each 16 bits that begin with a code. */
function readTables(segment: Uint8Array, tables: Map<number, Uint16Array>): void {
  for (let at = 0; at + 17 <= segment.length;) {
    const table = new Uint16Array(65_536);
    const counts = segment.subarray(at + 1, at + 17);
    let symbol = at + 17;
    let filled = 0;
    counts.forEach((count, i) => {
      for (let n = 0; n < count; n += 1, symbol += 1) {
        const size = 1 << (15 - i);
        table.fill(((i + 1) << 8) | segment[symbol]!, filled, filled + size);
        filled += size;
      }
    });
    tables.set(segment[at]!, table);
    at = symbol;
  }
}

function toScan(frame: Uint8Array, scan: Uint8Array, tables: Map<number, Uint16Array>, at: number): Scan | undefined {
  const [count, height, width] = [frame[5]!, (frame[1]! << 8) | frame[2]!, (frame[3]! << 8) | frame[4]!];
  if (scan[0] !== count) return undefined;
  const parts = Array.from({ length: count }, (_, i) => {
    const sampling = frame[7 + 3 * i]!;
    const used = scan[2 + 2 * i]!;
    // A scan of one component has a block a unit, whatever its sampling.
    const [across, down] = count === 1 ? [1, 1] : [sampling >> 4, sampling & 15];
    return { across, down, dc: tables.get(used >> 4), ac: tables.get(0x10 | (used & 15)) };
  });
  const blocks = parts.flatMap(({ across, down, dc, ac }) =>
    dc && ac ? Array.from({ length: across * down }, () => ({ dc, ac })) : [],
  );
  const [across, down] = [Math.max(...parts.map((each) => each.across)), Math.max(...parts.map((each) => each.down))];
  const units = Math.ceil(width / (8 * across)) * Math.ceil(height / (8 * down));
  return blocks.length === 0 ? undefined : { at, units, blocks };
}

/** @returns the byte after the last block; undefined where the data ends early or has no code, which libjpeg reports */
function decodeBlocks(file: Uint8Array, { at: start, units, blocks }: Scan): number | undefined {
  let at = start;
  let bits = 0;
  let held = 0;
  /** Holds at least 16 bits, of zeros after the end. */
  const fill = (): void => {
    while (held <= 16) {
      let byte = 0;
      if (file[at] !== 0xff) byte = file[at++] ?? 0;
      else if (file[at + 1] === 0) {
        byte = 0xff;
        at += 2;
      }
      bits = (bits << 8) | byte;
      held += 8;
    }
  };
  const decode = (table: Uint16Array): number => {
    fill();
    const entry = table[(bits >>> (held - 16)) & 0xffff]!;
    const symbol = entry & 255;
    held -= entry >> 8;
    fill();
    held -= symbol & 15;
    return entry === 0 ? -1 : symbol;
  };
  for (let unit = 0; unit < units; unit += 1) {
    for (const { dc, ac } of blocks) {
      if (decode(dc) < 0) return undefined;
      for (let k = 1; k < 64; k += 1) {
        const symbol = decode(ac);
        if (symbol < 0) return undefined;
        if ((symbol & 15) === 0 && symbol !== 0xf0) break;
        k += symbol >> 4;
      }
    }
    if (at >= file.length) return undefined;
  }
  // Whole bytes that are held belong to the rest.
  return at - (held >> 3);
}

function hasRun(file: Uint8Array, from: number): boolean {
  for (let at = from; at + RUN <= file.length; at += RUN / 2) {
    let length = 1;
    while (length < RUN / 2 && file[at + length] === file[at]) length += 1;
    if (length === RUN / 2) return true;
  }
  return false;
}

/** The first marker at or after a byte, besides restarts. */
function endOfData(file: Uint8Array, from: number): number {
  for (let at = from; at + 1 < file.length; at += 1) if (file[at] === 0xff && file[at + 1]! > 0xd7) return at;
  return file.length;
}
