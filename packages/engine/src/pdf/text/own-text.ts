import { contentOperators } from '../pages/content-operators.ts';
import { decodeContent } from '../pages/decode-content.ts';
import { hasString, SHOWS_TEXT } from '../pages/painted-objects.ts';
import { contentsOfPage } from '../pages/page-draws.ts';
import {
  isDict,
  isName,
  isStream,
  SyntaxFault,
  type Page,
  type PdfDict,
  type PdfDocument,
  type PdfValue,
} from '@burnish/pdf';

const MAX_DEPTH = 16;
/** Forms of one page that are searched, and bytes of their content. A page with more counts as one with text. */
const MAX_FORMS = 1_000;
const MAX_BYTES = 20_000_000;

/**
 * Returns whether the content of a page, or a form in it, shows text, also invisible text (ISO 32000-1 section 9.4.3). Content
 * that cannot be read to its end counts as text, since nothing is known about its rest.
 */
export function showsText(pdf: PdfDocument, page: Page): boolean {
  const seen = new Set<number>();
  let bytes = 0;

  function search(content: Buffer, resources: PdfDict, depth: number): boolean {
    bytes += content.length;
    if (bytes > MAX_BYTES) return true;
    for (const { name, operands } of contentOperators(content)) {
      if (SHOWS_TEXT.has(name) && hasString(operands.at(-1) ?? null)) return true;
      if (name === 'Do' && searchForm(operands.at(-1), resources, depth)) return true;
    }
    return false;
  }

  function searchForm(key: PdfValue | undefined, resources: PdfDict, depth: number): boolean {
    const objects = pdf.resolve(resources.get('XObject'));
    const form = isName(key) && isDict(objects) ? pdf.resolve(objects.get(key.value)) : null;
    if (!isStream(form)) return false;
    const subtype = pdf.resolve(form.dict.get('Subtype'));
    if (!isName(subtype) || subtype.value !== 'Form' || seen.has(form.number)) return false;
    seen.add(form.number);
    if (depth >= MAX_DEPTH || seen.size > MAX_FORMS) return true;
    const own = pdf.resolve(form.dict.get('Resources'));
    return search(decodeContent(pdf, [form]), isDict(own) ? own : resources, depth + 1);
  }

  try {
    return search(decodeContent(pdf, contentsOfPage(pdf, page)), page.resources, 0);
  } catch (error) {
    if (error instanceof SyntaxFault) return true;
    throw error;
  }
}
