import type { PixelArea } from '../image/cut-out.ts';
import type { Area } from '../image/steps/part-of-picture.ts';

/** The centre of an area, in parts of the sides of its picture, 0 to 1. */
export interface Centre {
  x: number;
  y: number;
}

/** Returns the area around a centre that lies within a picture. @param side longest side, pixels */
export function areaAround({ x, y }: Centre, picture: { width: number; height: number }, side: number): PixelArea {
  const [width, height] = [Math.min(side, picture.width), Math.min(side, picture.height)];
  const start = (centre: number, length: number, whole: number): number =>
    Math.min(whole - length, Math.max(0, Math.round(centre * whole - length / 2)));
  return { left: start(x, width, picture.width), top: start(y, height, picture.height), width, height };
}

/** Returns an area with a margin on each side that lies within the picture. */
export function withMargin(area: PixelArea, picture: { width: number; height: number }, margin: number): PixelArea {
  const [left, top] = [Math.max(0, area.left - margin), Math.max(0, area.top - margin)];
  return {
    left,
    top,
    width: Math.min(picture.width, area.left + area.width + margin) - left,
    height: Math.min(picture.height, area.top + area.height + margin) - top,
  };
}

export function inParts({ left, top, width, height }: PixelArea, whole: { width: number; height: number }): Area {
  return {
    left: left / whole.width,
    top: top / whole.height,
    width: width / whole.width,
    height: height / whole.height,
  };
}
