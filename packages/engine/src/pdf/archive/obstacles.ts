import { counted } from '@burnish/contract/engine';

/** What keeps a file from being PDF/A-2b (ISO 19005-2), as words after "has", with the clause. */
export const OBSTACLES = {
  encryption: 'encryption', // 6.1.3
  signature: 'a signature, which a change would break', // 6.4.3
  structure: 'pages that its page tree does not contain', // 6.1.2
  'embedded-file': 'an embedded file', // 6.8
  'dynamic-form': 'a dynamic XFA form', // 6.4.2
  'external-stream': 'data outside of the file', // 6.1.7
  'unknown-filter': 'data in an unknown encoding', // 6.1.7.2
  'inline-image': 'an inline image in an encoding that PDF/A forbids', // 6.1.10
  limits: 'a value beyond the limits of PDF/A', // 6.1.13
  content: 'content that PDF/A does not define', // 6.2.2
  resources: 'content whose resources are missing or ambiguous', // 6.2.2
  profile: 'a colour profile that PDF/A does not allow', // 6.2.4.2
  'colour-space': 'a colour space that PDF/A does not allow', // 6.2.4
  'spot-colour': 'a spot colour without a definition, or with several', // 6.2.4.4
  overprint: 'overprinting of CMYK', // 6.2.4.2
  'graphics-state': 'a graphics state that PDF/A does not allow', // 6.2.5, 6.2.10
  intent: 'an unknown rendering intent', // 6.2.6
  image: 'an image that PDF/A does not allow', // 6.2.8
  xobject: 'PostScript or content of another file', // 6.2.9
  'font-not-embedded': 'a font that is not embedded', // 6.2.11.4
  'font-unproved': 'a font whose program is not proved to fit PDF/A', // 6.2.11
  annotation: 'an annotation of a type that PDF/A does not allow', // 6.3.1
  'hidden-annotation': 'a hidden annotation', // 6.3.2
  appearance: 'an annotation or a form field without a fixed appearance', // 6.3.3
  'layer-order': 'layers without a readable configuration', // 6.9
} as const;

export type Obstacle = keyof typeof OBSTACLES;

/** Maximum number of pages that a sentence lists. */
const LISTED_PAGES = 10;

/** Collects obstacles by page; those without a page belong to the document. */
export interface ObstacleList {
  add(obstacle: Obstacle, page?: number): void;
  /** Returns one sentence for each obstacle, such as "Page 3 has a font that is not embedded." */
  sentences(): string[];
}

export function createObstacleList(): ObstacleList {
  const pages = new Map<Obstacle, Set<number>>();
  return {
    add(obstacle, page) {
      const known = pages.get(obstacle) ?? new Set<number>();
      pages.set(obstacle, known);
      if (page !== undefined) known.add(page);
    },
    sentences: () =>
      [...pages].map(
        ([obstacle, numbers]) => `${subjectOf([...numbers].toSorted((a, b) => a - b))} ${OBSTACLES[obstacle]}.`,
      ),
  };
}

function subjectOf(numbers: readonly number[]): string {
  if (numbers.length === 0) return 'The document has';
  if (numbers.length === 1) return `Page ${numbers[0]} has`;
  const listed = numbers.slice(0, LISTED_PAGES);
  const more = numbers.length - listed.length;
  return more > 0
    ? `Pages ${listed.join(', ')} and ${counted(more, 'other')} have`
    : `Pages ${listed.slice(0, -1).join(', ')} and ${listed.at(-1)} have`;
}
