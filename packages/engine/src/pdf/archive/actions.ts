import { isDict, type PdfDict, type PdfValue } from '@burnish/pdf';
import { dictOf, dropKeys, nameOf, type ArchivePass } from './archive-pass.ts';

/** Actions that PDF/A allows (ISO 19005-2 section 6.5.1). */
const ALLOWED = new Set(['GoTo', 'GoToR', 'GoToE', 'Thread', 'URI', 'Named', 'SubmitForm']);
const NAMED = new Set(['NextPage', 'PrevPage', 'FirstPage', 'LastPage']);
const MAX_NEXT = 100;

/** Removes an action that runs a script or a program, or that changes what shows. A destination stays. */
export function dropAction(pass: ArchivePass, dict: PdfDict, key: 'A' | 'OpenAction'): void {
  const action = pass.objects.resolve(dict.get(key));
  if (isDict(action) && !isAllowed(pass, action, 0)) dropKeys(pass, dict, [key]);
}

function isAllowed(pass: ArchivePass, action: PdfDict, depth: number): boolean {
  const kind = nameOf(pass, action.get('S')) ?? '';
  if (!ALLOWED.has(kind) || depth > MAX_NEXT) return false;
  if (kind === 'Named' && !NAMED.has(nameOf(pass, action.get('N')) ?? '')) return false;
  const next = pass.objects.resolve(action.get('Next'));
  const following: PdfValue[] = Array.isArray(next) ? next : [action.get('Next') ?? null];
  return following.every((each) => {
    const one = dictOf(pass, each);
    return one === undefined || isAllowed(pass, one, depth + 1);
  });
}
