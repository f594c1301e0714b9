import { isDict, type PdfValue } from '@burnish/pdf';

/**
 * Returns a value with parts of it changed, or the value itself without a change.
 * @param change returns undefined for a part that is searched further
 */
export function mapValue(value: PdfValue, change: (part: PdfValue) => PdfValue | undefined): PdfValue {
  const changed = change(value);
  if (changed !== undefined) return changed;
  if (Array.isArray(value)) {
    const items = value.map((item) => mapValue(item, change));
    return items.some((item, k) => item !== value[k]) ? items : value;
  }
  if (!isDict(value)) return value;
  let isSame = true;
  const entries = [...value].map(([key, item]) => {
    const mapped = mapValue(item, change);
    isSame &&= mapped === item;
    return [key, mapped] as const;
  });
  return isSame ? value : new Map(entries);
}
