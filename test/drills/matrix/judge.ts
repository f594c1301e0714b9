import { setTimeout as delay } from 'node:timers/promises';
import type { Heard } from './caller.ts';
import type { Life, Scene, Stage } from './lives.ts';
import type { Row } from './place.ts';

/** Outcomes of the lifecycles at one stage during a fault. */
export interface Cell {
  /** Accepted lifecycles that failed, or lost their record or their original */
  lost: number;
  /** Lifecycles charged, stored or reported twice */
  doubled: number;
  /** Files, credits or records that remain without an accepted or running lifecycle */
  orphaned: number;
  /** Seconds from the end of the fault to the end of the last lifecycle; undefined when one exceeded the limit */
  stalledSeconds: number | undefined;
  /** Lifecycles with a response or a state that misreports the fault */
  toldWrongly: number;
  /** One line per problem above, for readers of the run */
  notes: string[];
}

/**
 * Waits until all lifecycles are done or the limit has passed, and reports their outcomes.
 * @param endedAt end of the fault
 */
export async function judge(
  scene: Scene,
  lives: readonly Life[],
  endedAt: number,
  limitMs: number,
): Promise<Record<Stage, Cell>> {
  const cells = Object.fromEntries(
    scene.stages.map((stage) => [stage, { ...EMPTY, stalledSeconds: 0, notes: [] as string[] }]),
  ) as unknown as Record<Stage, Cell>;
  const { place, row: prefix } = scene;
  const heard = new Map<Life, Heard>();
  for (const life of lives) void life.heard.then((each) => heard.set(life, each));
  const open = new Set(lives);
  const readRows = (): Promise<Row[]> =>
    place.rows(
      `${prefix}-`,
      [...heard.values()].flatMap(({ body }) => body?.id ?? []),
    );
  let rows: Row[] = [];
  while (open.size > 0 && performance.now() < endedAt + limitMs) {
    rows = await readRows();
    const files = await place.files();
    for (const life of open) {
      const said = heard.get(life);
      if (said === undefined || !isDone(scene, life, said, rows, files)) continue;
      open.delete(life);
      const cell = cells[life.stage];
      cell.stalledSeconds = Math.max(cell.stalledSeconds ?? 0, (performance.now() - endedAt) / 1000);
    }
    await delay(200);
  }
  // Steps after the last state, such as the deletion of files, may end later.
  await delay(1_500);
  rows = await readRows();
  const files = await place.files();
  for (const life of lives) weigh(scene, life, heard.get(life), rows, files, cells[life.stage], open.has(life));
  return cells;
}

const EMPTY = { lost: 0, doubled: 0, orphaned: 0, stalledSeconds: 0, toldWrongly: 0 };
const ENDED = ['FINISHED', 'ERROR', 'CANCELLED'];

function isDone(scene: Scene, life: Life, said: Heard, rows: readonly Row[], files: readonly string[]): boolean {
  const [row] = recordsIn(rows, life, said);
  // Burnish promised nothing: it refused the request, or never answered it.
  if (row === undefined) return !accepted(said);
  if (life.stage === 'deletion') return row.status === 'UPLOAD_DELETED' && !files.some((path) => path.includes(row.id));
  if (['UPLOAD_PENDING', 'UPLOAD_PROCESSING'].includes(row.status) || row.sub_status === 'METADATA_ANALYZING')
    return false;
  if (row.enhancement_status !== null && !ENDED.includes(row.enhancement_status)) return false;
  return life.stage !== 'delivery' || toldTimes(scene, row).length > 0;
}

/** Adds the outcome of one lifecycle to its cell. */
function weigh(
  scene: Scene,
  life: Life,
  said: Heard | undefined,
  rows: readonly Row[],
  files: readonly string[],
  cell: Cell,
  isOpen: boolean,
): void {
  const note = (kind: 'lost' | 'doubled' | 'orphaned' | 'toldWrongly', words: string): void => {
    cell[kind] += 1;
    cell.notes.push(`${kind}: ${life.name}: ${words}`);
  };
  const own = recordsIn(rows, life, said);
  const [row] = own;
  const wrong = said?.wrong ?? [];
  if (wrong.length > 0) note('toldWrongly', `${wrong.length} answers such as ${wrong[0]}`);
  if (isOpen) {
    cell.stalledSeconds = undefined;
    cell.notes.push(`stalled: ${life.name}: ${JSON.stringify(row ?? 'no record')}, heard ${said?.status ?? 'nothing'}`);
  }
  if (row === undefined) {
    if (accepted(said)) note('lost', 'accepted, and there is no record');
    return;
  }
  if (new Set(own.map(({ id }) => id)).size > 1) note('doubled', 'one order made two uploads');
  if (own.some(({ captures }) => captures > 1)) note('doubled', 'charged twice');
  if (life.stage === 'upload' && !accepted(said)) note('orphaned', `heard ${said?.status ?? 'nothing'}, and it exists`);
  if (row.error_code !== null) note('lost', `${row.status} ${row.error_code}`);
  // A deletion cancels unfinished work.
  const failures = life.stage === 'deletion' ? ['ERROR'] : ['ERROR', 'CANCELLED'];
  if (failures.includes(row.enhancement_status ?? '')) {
    note('lost', `enhancement ${row.enhancement_status} ${row.enhancement_error}`);
    note('toldWrongly', 'the file is blamed');
  }
  const kept = files.filter((path) => path.includes(row.id));
  if (row.status === 'UPLOAD_DELETED') {
    if (life.stage !== 'deletion') note('lost', 'deleted, and nobody asked for it');
    if (!isOpen) kept.forEach((path) => note('orphaned', path));
  } else if (!kept.some((path) => /original/.test(path)) && !isOpen) note('lost', 'its original is gone');
  const result = kept.find((path) => path.includes(row.enhancement ?? '') && !path.includes('/work/'));
  if (row.enhancement_status === 'FINISHED' && row.status !== 'UPLOAD_DELETED' && result === undefined)
    note('lost', 'its result is gone');
  const ended = row.enhancement_status === null || ENDED.includes(row.enhancement_status);
  if (ended && row.reserved > 0) note('orphaned', 'credits stay reserved');
  if (ended && kept.some((path) => path.includes('/work/'))) note('orphaned', 'results of single images stay');
  if (life.stage === 'delivery') weighDelivery(scene, row, note);
}

function weighDelivery(scene: Scene, row: Row, note: (kind: 'doubled', words: string) => void): void {
  const ids = new Set(toldTimes(scene, row).map(({ event }) => event.id));
  if (ids.size > 1) note('doubled', 'one change was reported as two events');
}

/** Deliveries that reported the end of the enhancement. */
function toldTimes({ receiver }: Scene, { enhancement }: Row) {
  return receiver.deliveries.filter(
    ({ event, status }) => status < 300 && event.data['id'] === enhancement && event.data['status'] === 'FINISHED',
  );
}

/** By the name of its file, and by the answered id, since a deletion erases the name. */
const recordsIn = (rows: readonly Row[], life: Life, said: Heard | undefined): Row[] =>
  rows.filter(({ id, name }) => name === life.name || id === said?.body?.id);

const accepted = (said: Heard | undefined): boolean => said?.status !== undefined && said.status < 300;
