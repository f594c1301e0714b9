import type { ObjectStore } from './pdf-document.ts';
import { isDict, isName, isRef, type PdfDict, type PdfValue } from '../syntax/objects.ts';

/** The layers of a document (optional content, ISO 32000-1 section 8.11) as they are when it is opened. */
export interface Layers {
  /** Whether what belongs to this group, or to this set of groups, is off. */
  isOff(membership: PdfValue | undefined): boolean;
}

/** Expressions of groups inside one another; what is deeper counts as shown. */
const MAX_NESTING = 16;

export function createLayers(store: ObjectStore): Layers {
  const off = groupsThatAreOff(store);
  if (off === undefined) return { isOff: () => false };

  const isGroupOff = (group: PdfValue | undefined): boolean => isRef(group) && off(group.number);

  function isOff(membership: PdfValue | undefined): boolean {
    const dict = store.resolve(membership);
    if (!isDict(dict)) return false;
    if (typeOf(store, dict) !== 'OCMD') return isGroupOff(membership);
    const expression = store.resolve(dict.get('VE'));
    if (Array.isArray(expression)) return !isOn(expression, 0);
    const given = store.resolve(dict.get('OCGs'));
    const groups = Array.isArray(given) ? given : [dict.get('OCGs') ?? null];
    const known = groups.filter((group) => isRef(group) && isDict(store.resolve(group)));
    if (known.length === 0) return false;
    const policy = store.resolve(dict.get('P'));
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

  /** A visibility expression (section 8.11.2.2): an operator and its operands, or a group. */
  function isOn(expression: PdfValue, depth: number): boolean {
    const found = store.resolve(expression);
    if (!Array.isArray(found) || depth > MAX_NESTING) return !isGroupOff(expression);
    const operator = store.resolve(found[0]);
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

/** By the default configuration; undefined where no layer is off. */
function groupsThatAreOff(store: ObjectStore): ((number: number) => boolean) | undefined {
  const root = store.resolve(store.xref().trailer.get('Root'));
  const properties = isDict(root) ? store.resolve(root.get('OCProperties')) : null;
  const configuration = isDict(properties) ? store.resolve(properties.get('D')) : null;
  if (!isDict(configuration)) return undefined;
  const numbers = (key: string): Set<number> => {
    const groups = store.resolve(configuration.get(key));
    return new Set(Array.isArray(groups) ? groups.filter(isRef).map(({ number }) => number) : []);
  };
  const base = store.resolve(configuration.get('BaseState'));
  const [on, off] = [numbers('ON'), numbers('OFF')];
  if (isName(base) && base.value === 'OFF') return (number) => !on.has(number);
  return off.size === 0 ? undefined : (number) => off.has(number);
}

function typeOf(store: ObjectStore, dict: PdfDict): string | undefined {
  const type = store.resolve(dict.get('Type'));
  return isName(type) ? type.value : undefined;
}
