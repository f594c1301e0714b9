import type { FaceBox } from './face-boxes.ts';
import { detectFaces } from './face-detector.ts';
import { treatFaces } from './faces.ts';
import type { Picture } from '../picture.ts';

/** State of a job for the detection and enhancement of faces. */
export interface FacesJob {
  picture: Picture;
  notes: string[];
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
    notes.push('Faces were not detected: the picture is in CMYK.');
    return false;
  }
  // A machine that cannot run networks continues without them.
  const faces = job.faces?.length ? job.faces : await detectFaces(picture).catch(() => undefined);
  if (faces === undefined) {
    notes.push('Faces could not be detected: networks do not run on this machine.');
    return false;
  }
  const treated = treatFaces(picture, faces);
  const were = treated === 1 ? 'One face was' : `${treated} faces were`;
  notes.push(treated === 0 ? 'No faces were found.' : `${were} found and treated gently.`);
  return treated > 0;
}
