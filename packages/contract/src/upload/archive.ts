/** Files of one archive. Their ids fit into an address of less than 8 kB, which every proxy passes. */
export const MAX_ARCHIVED_FILES = 200;

/** Bytes of the files of one archive together. */
export const MAX_ARCHIVED_BYTES = 10_000_000_000;
