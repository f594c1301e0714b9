/** Milliseconds between the two comparisons after which an older workflow is replaced. */
export const PATIENCE_MS = 30_000;
/** Maximum number of reported uploads. Another report is dropped: the next sweep compares all uploads. */
const MAX_REPORTED = 100;

/** The workflow of an upload was older than some of its records. */
export interface Finding {
  /** Id of the first run of the workflow, which its later runs continue */
  firstRunId: string;
  /** Ids of the upload and of enhancements */
  ids: ReadonlySet<string>;
  /** Milliseconds since the epoch */
  atMs: number;
}

export type Suspects = ReturnType<typeof createSuspects>;

/**
 * Uploads whose workflow may be missing, or older than their records: commands report them, and comparisons find them.
 * The process remembers them, and its reconciler compares them again.
 */
export function createSuspects() {
  const reported = new Set<string>();
  /** Uploads and the milliseconds since the epoch from which their comparison decides */
  const young = new Map<string, number>();
  const findings = new Map<string, Finding>();
  return {
    /** Asks for a comparison at the next tick of the reconciler. */
    report(uploadId: string): void {
      if (reported.size < MAX_REPORTED) reported.add(uploadId);
    },

    /** Asks for a comparison at the first tick of the reconciler after a time: the upload's start may be under way. */
    postpone(uploadId: string, dueAtMs: number): void {
      young.set(uploadId, dueAtMs);
    },

    /**
     * Remembers a comparison in which the workflow was older.
     * @returns whether a comparison at least `PATIENCE_MS` earlier found the same in the same workflow
     */
    confirm(uploadId: string, found: Finding): boolean {
      const earlier = findings.get(uploadId);
      const same = earlier?.firstRunId === found.firstRunId ? [...found.ids].filter((id) => earlier.ids.has(id)) : [];
      if (earlier === undefined || same.length === 0) {
        findings.set(uploadId, found);
        return false;
      }
      findings.set(uploadId, { ...earlier, ids: new Set(same) });
      return found.atMs - earlier.atMs >= PATIENCE_MS;
    },

    /** The workflow is not older. */
    clear(uploadId: string): void {
      findings.delete(uploadId);
    },

    /** Takes the reported and postponed uploads, and lists those that a comparison found at least `PATIENCE_MS` ago. */
    takeDue(nowMs: number): string[] {
      const found = [...findings].filter(([, { atMs }]) => nowMs - atMs >= PATIENCE_MS).map(([id]) => id);
      const grown = [...young].filter(([, dueAtMs]) => dueAtMs <= nowMs).map(([id]) => id);
      const due = new Set([...reported, ...grown, ...found]);
      reported.clear();
      for (const id of grown) young.delete(id);
      return [...due];
    },
  };
}
