import type { ImageNote } from '@burnish/contract/engine';
import type { FaceBox } from './face-boxes.ts';
import { detectFaces } from './face-detector.ts';
import { treatFaces } from './faces.ts';
import type { Picture } from '../picture.ts';

/** State of a job for the detection and enhancement of faces. */
export interface FacesJob {
  picture: Picture;
  notes: ImageNote[];
  /** Detected faces, in pixels; absent before the detection, and on a machine that cannot run networks */
  faces?: readonly FaceBox[];
}

/** Detects faces before the steps that change the exposure, since these depend on the faces. */
export async function findFaces(job: FacesJob): Promise<readonly FaceBox[]> {
  if (job.picture.space === 'cmyk') return [];
  const faces = await detectFaces(job.picture).catch(() => undefined);
  if (faces) job.faces = faces;
  return faces ?? [];
}

/**
 * Enhances the detected faces and notes their number. If none were detected in a dark picture, it searches the
 * brightened one.
 */
export async function enhanceFaces(job: FacesJob): Promise<boolean> {
  const { picture, notes } = job;
  if (picture.space === 'cmyk') {
    notes.push({ code: 'FACES_NOT_DETECTED', because: 'inks' });
    return false;
  }
  // A machine that cannot run networks continues without them.
  const faces = job.faces?.length ? job.faces : await detectFaces(picture).catch(() => undefined);
  if (faces === undefined) {
    notes.push({ code: 'FACES_NOT_DETECTED', because: 'no-network' });
    return false;
  }
  const treated = treatFaces(picture, faces);
  notes.push({ code: 'FACES_TREATED', faces: treated });
  return treated > 0;
}
