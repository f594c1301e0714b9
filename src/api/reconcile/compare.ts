import { isTerminal, type Enhancement, type Upload } from '@burnish/contract';

/** The records of an upload; undefined without one. */
export interface UploadRecords {
  upload: Upload;
  enhancements: readonly Enhancement[];
}

export interface WorkflowState {
  upload: Upload;
  open: readonly Enhancement[];
  /** Enhancements that the workflow has accepted, the newest ones */
  listed: readonly string[];
}

/** Differences between records and workflow, as ids of the upload and of its enhancements. */
export interface Differences {
  /** The record is newer */
  behind: ReadonlySet<string>;
  /** The workflow is newer, or the record is missing */
  ahead: ReadonlySet<string>;
  /** The record is open, and the workflow does not run it */
  missing: ReadonlySet<string>;
  /** The workflow has accepted it and no longer runs it, and the record is missing */
  unrecorded: ReadonlySet<string>;
}

/**
 * Compares records with their workflow. Both are read one after the other, so that work in progress causes differences
 * that disappear at the next comparison.
 */
export function compare(records: UploadRecords | undefined, { upload, open, listed }: WorkflowState): Differences {
  const behind = new Set<string>();
  const ahead = new Set<string>();
  const recorded = new Map(records?.enhancements.map((each) => [each.id, each]));
  const running = new Set(open.map(({ id }) => id));

  function judge(id: string, record: Upload | Enhancement | undefined, state: Upload | Enhancement): void {
    if (record === undefined || record.revision < state.revision) ahead.add(id);
    else if (record.revision > state.revision || record.status !== state.status) behind.add(id);
  }

  judge(upload.id, records?.upload, upload);
  for (const each of open) {
    const record = recorded.get(each.id);
    if (record === undefined || !isTerminal(record.status)) judge(each.id, record, each);
    // An end is final, so the workflow must not repeat the work.
    else if (!isTerminal(each.status)) behind.add(each.id);
  }
  const missing = [...recorded.values()].filter(({ id, status }) => !isTerminal(status) && !running.has(id));
  return {
    behind,
    ahead,
    missing: new Set(missing.map(({ id }) => id)),
    unrecorded: new Set(listed.filter((id) => !recorded.has(id) && !running.has(id))),
  };
}

/** The differences that two comparisons share. */
export function lasting(first: Differences, second: Differences): Differences {
  const both = (kind: keyof Differences): Set<string> => new Set([...first[kind]].filter((id) => second[kind].has(id)));
  return { behind: both('behind'), ahead: both('ahead'), missing: both('missing'), unrecorded: both('unrecorded') };
}

export function areEqual({ behind, ahead, missing, unrecorded }: Differences): boolean {
  return behind.size + ahead.size + missing.size + unrecorded.size === 0;
}
