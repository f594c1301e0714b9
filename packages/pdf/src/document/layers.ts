import type { PdfDocument } from './pdf-document.ts';
import { isDict, isName, isRef, type PdfDict, type PdfValue } from '../syntax/objects.ts';

/** The layers of a document (optional content, ISO 32000-1 section 8.11) in their initial state. */
export interface Layers {
  isOff(membership: PdfValue | undefined): boolean;
}

/** Maximum nesting of visibility expressions; deeper ones count as visible. */
const MAX_NESTING = 16;

export function createLayers(pdf: PdfDocument): Layers {
  const off = groupsThatAreOff(pdf);
  if (off === undefined) return { isOff: () => false };

  const isGroupOff = (group: PdfValue | undefined): boolean => isRef(group) && off(group.number);

  function isOff(membership: PdfValue | undefined): boolean {
    const dict = pdf.resolve(membership);
    if (!isDict(dict)) return false;
    if (readType(pdf, dict) !== 'OCMD') return isGroupOff(membership);
    const expression = pdf.resolve(dict.get('VE'));
    if (Array.isArray(expression)) return !isOn(expression, 0);
    const given = pdf.resolve(dict.get('OCGs'));
    const groups = Array.isArray(given) ? given : [dict.get('OCGs') ?? null];
    const known = groups.filter((group) => isRef(group) && isDict(pdf.resolve(group)));
    if (known.length === 0) return false;
    const policy = pdf.resolve(dict.get('P'));
    switch (isName(policy) ? policy.value : 'AnyOn') {
      case 'AllOn':
        return known.some(isGroupOff);
      case 'AnyOff':
        return !known.some(isGroupOff);
      case 'AllOff':
        return !known.every(isGroupOff);
      default:
        return known.every(isGroupOff);
    }
  }

  /** Evaluates a visibility expression (section 8.11.2.2): an operator with operands, or a group. */
  function isOn(expression: PdfValue, depth: number): boolean {
    const found = pdf.resolve(expression);
    if (!Array.isArray(found) || depth > MAX_NESTING) return !isGroupOff(expression);
    const operator = pdf.resolve(found[0]);
    const operands = found.slice(1);
    switch (isName(operator) ? operator.value : '') {
      case 'And':
        return operands.every((operand) => isOn(operand, depth + 1));
      case 'Or':
        return operands.some((operand) => isOn(operand, depth + 1));
      case 'Not':
        return operands.length !== 1 || !isOn(operands[0]!, depth + 1);
      default:
        return true;
    }
  }

  return { isOff };
}

/** Reads the default configuration; undefined when no layer is off. */
function groupsThatAreOff(pdf: PdfDocument): ((number: number) => boolean) | undefined {
  const root = pdf.resolve(pdf.xref().trailer.get('Root'));
  const properties = isDict(root) ? pdf.resolve(root.get('OCProperties')) : null;
  const configuration = isDict(properties) ? pdf.resolve(properties.get('D')) : null;
  if (!isDict(configuration)) return undefined;
  const numbers = (key: string): Set<number> => {
    const groups = pdf.resolve(configuration.get(key));
    return new Set(Array.isArray(groups) ? groups.filter(isRef).map(({ number }) => number) : []);
  };
  const base = pdf.resolve(configuration.get('BaseState'));
  const [on, off] = [numbers('ON'), numbers('OFF')];
  if (isName(base) && base.value === 'OFF') return (number) => !on.has(number);
  return off.size === 0 ? undefined : (number) => off.has(number);
}

function readType(pdf: PdfDocument, dict: PdfDict): string | undefined {
  const type = pdf.resolve(dict.get('Type'));
  return isName(type) ? type.value : undefined;
}
