import type { ArchiveRemoval } from '@burnish/contract/engine';
import { isDict, isName, type PdfDict, type PdfDocument, type PdfValue } from '@burnish/pdf';
import { createEditableObjects, type EditableObjects } from './editable-objects.ts';
import { createObstacleList, type ObstacleList } from './obstacles.ts';
import { createFontUses, type FontUses } from './font-uses.ts';

/** One pass over a file on its way to PDF/A: its objects, what they need, and what stands in the way. */
export interface ArchivePass {
  pdf: PdfDocument;
  objects: EditableObjects;
  obstacles: ObstacleList;
  fonts: FontUses;
  removed: Set<ArchiveRemoval>;
  /** Number of the page that is being checked, from 1 */
  page: number | undefined;
}

export function createArchivePass(pdf: PdfDocument): ArchivePass {
  return {
    pdf,
    objects: createEditableObjects(pdf),
    obstacles: createObstacleList(),
    fonts: createFontUses(),
    removed: new Set(),
    page: undefined,
  };
}

/** Returns the name that a value is or refers to. */
export function nameOf({ objects }: ArchivePass, value: PdfValue | undefined): string | undefined {
  const found = objects.resolve(value);
  return isName(found) ? found.value : undefined;
}

export function dictOf({ objects }: ArchivePass, value: PdfValue | undefined): PdfDict | undefined {
  const found = objects.resolve(value);
  return isDict(found) ? found : undefined;
}

export function arrayOf({ objects }: ArchivePass, value: PdfValue | undefined): PdfValue[] {
  const found = objects.resolve(value);
  return Array.isArray(found) ? found : [];
}

/** What the removal of a key takes from a document; other keys have no effect without them. */
const REMOVAL_OF: Record<string, ArchiveRemoval> = {
  A: 'actions',
  AA: 'actions',
  OpenAction: 'actions',
  JavaScript: 'actions',
  XFA: 'xfa',
  Metadata: 'metadata',
  HT: 'printing',
  HTP: 'printing',
  HTO: 'printing',
  OPI: 'printing',
  Alternates: 'printing',
};

/** Removes entries of a dictionary that PDF/A forbids and that no page shows. */
export function dropKeys({ objects, removed }: ArchivePass, dict: PdfDict, keys: readonly string[]): void {
  for (const key of keys.filter((each) => dict.has(each))) {
    objects.edit(dict).delete(key);
    const removal = REMOVAL_OF[key];
    if (removal !== undefined) removed.add(removal);
  }
}

export const addObstacle = ({ obstacles, page }: ArchivePass, obstacle: Parameters<ObstacleList['add']>[0]): void =>
  obstacles.add(obstacle, page);
