import { deflateSync } from 'node:zlib';
import type { ImageWork, PdfPlan } from '../analyze/work.ts';
import { type Matrix, mapPoint } from '../pages/matrix.ts';
import {
  isDict,
  isRef,
  name,
  nextNumber,
  ref,
  walkPages,
  type AddedStream,
  type ObjectChanges,
  type PdfDict,
  type PdfDocument,
  type PdfRef,
  type PdfValue,
} from '@burnish/pdf';
import { changeReachable } from '../pages/change-reachable.ts';
import type { StoredResult } from '../enhance/result-file.ts';
import { yieldToEvents, type Run } from '../run.ts';
import { findScanOfPage } from './scan-of-page.ts';
import { turnAnnotation, type AddStream, moveRectangle } from './turned-annotation.ts';
import { matrixOfTurn, turnContent } from './turned-content.ts';
import { readDestination, type Destination } from '../pages/destinations.ts';
import { mapValue } from '../pages/map-value.ts';
import { onSettled } from '../pages/settled.ts';

/**
 * Returns the changes that move text, links, marks and destinations with the ink of turned scans.
 * @throws Error when a page cannot be turned although its scan was
 */
export async function turnPages(
  pdf: PdfDocument,
  { work }: PdfPlan,
  results: readonly StoredResult[],
  run: Run,
): Promise<ObjectChanges> {
  const turns = new Map(results.map(({ number, turn }) => [number, turn]));
  const scans = new Map(
    work.flatMap((each) => {
      const turn = turns.get(each.number);
      return turn === undefined ? [] : [[each.turns!, { work: each, turn }] as const];
    }),
  );
  return onSettled(pdf, () => changesFor(pdf, scans, run));
}

async function changesFor(
  pdf: PdfDocument,
  scans: ReadonlyMap<number, { work: ImageWork; turn: number }>,
  run: Run,
): Promise<ObjectChanges> {
  if (scans.size === 0) return {};
  const values = new Map<number, PdfValue>();
  const added: AddedStream[] = [];
  const first = nextNumber(pdf);
  const addLater = (dict: PdfDict, data: () => Buffer): PdfRef => {
    const number = first + added.length;
    added.push({ number, dict, data });
    return ref(number);
  };
  const add: AddStream = (dict, data) => addLater(dict, () => data);
  const turns = new Map<number, Matrix>();
  let number = 0;
  for (const page of walkPages(pdf)) {
    number += 1;
    const given = scans.get(number);
    if (given === undefined) continue;
    await yieldToEvents(run);
    const scan = findScanOfPage(pdf, page, given.work);
    if (scan === undefined) throw new Error(`Page ${number} cannot be turned with its scan.`);
    const turn = matrixOfTurn(scan, given.turn);
    turns.set(page.number, turn);
    const content = addLater(new Map([['Filter', name('FlateDecode')]]), () =>
      deflateSync(turnContent(scan, turn), { level: 9 }),
    );
    const dict: PdfDict = new Map(page.dict).set('Contents', content);
    const annotations = pdf.resolve(dict.get('Annots'));
    if (Array.isArray(annotations))
      dict.set(
        'Annots',
        annotations.map((item) => {
          const annotation = pdf.resolve(item);
          if (!isDict(annotation)) return item;
          const turned = turnAnnotation(pdf, annotation, turn, add);
          if (!isRef(item)) return turned;
          values.set(item.number, turned);
          return item;
        }),
      );
    values.set(page.number, dict);
  }
  await changeReachable(pdf, values, (value) => turnDestinations(value, turns), run);
  return { values, added };
}

/**
 * Returns a value with its destinations on turned pages moved, or the value itself without any. Destinations without a
 * point stay.
 * @param turns by the object number of the page
 */
const turnDestinations = (value: PdfValue, turns: ReadonlyMap<number, Matrix>): PdfValue =>
  mapValue(value, (part) => {
    const destination = readDestination(part);
    const turn = destination && turns.get(destination.page.number);
    const place = turn && movePlace(destination, turn);
    return place && [destination.page, name(destination.fit), ...place];
  });

/** @returns undefined for a destination without a point */
function movePlace({ fit, place }: Destination, turn: Matrix): readonly PdfValue[] | undefined {
  const known = place.filter((item) => typeof item === 'number');
  if (fit === 'FitR' && known.length === 4) return moveRectangle(known, turn);
  const [left, top, zoom] = place;
  if (fit !== 'XYZ' || typeof left !== 'number' || typeof top !== 'number') return undefined;
  return [...mapPoint(turn, left, top), ...(zoom === undefined ? [] : [zoom])];
}
