import type { BuiltLook } from '@burnish/contract';

/** Builds a look in a jail. Paths are local. */
export type BuildLook = (
  account: string,
  input: { pictures: readonly { finished: string; original?: string }[]; samples: readonly string[] },
) => Promise<{ look: BuiltLook | null; unfit: number[]; samples: Uint8Array[] }>;
