/** A point or a distance, CSS pixels. */
export interface Point {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

/**
 * Limits the position of the upper left corner of a picture in its viewport: the edges of a larger picture stay outside, and a
 * smaller one is centred.
 */
export function boundPan({ x, y }: Point, picture: Size, window: Size): Point {
  return { x: boundAxis(x, picture.width, window.width), y: boundAxis(y, picture.height, window.height) };
}

function boundAxis(at: number, picture: number, window: number): number {
  if (picture <= window) return (window - picture) / 2;
  return Math.min(0, Math.max(window - picture, at));
}

/** The position of a picture at full size that keeps the point under `at` in place. */
export function panToward(at: Point, picture: Size, window: Size): Point {
  const x = at.x - (at.x / window.width) * picture.width;
  const y = at.y - (at.y / window.height) * picture.height;
  return boundPan({ x, y }, picture, window);
}

/** Where a key moves the divider, percent; undefined for a key that does not. */
export function movedByKey(key: string, shift: boolean, position: number): number | undefined {
  const step = shift ? 10 : 2;
  const moves: Record<string, number> = {
    ArrowLeft: position - step,
    ArrowDown: position - step,
    ArrowRight: position + step,
    ArrowUp: position + step,
    PageDown: position - 10,
    PageUp: position + 10,
    Home: 0,
    End: 100,
  };
  const moved = moves[key];
  return moved === undefined ? undefined : Math.min(100, Math.max(0, moved));
}
