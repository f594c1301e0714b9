import type { FaceBox } from './face-boxes.ts';
import { detectFaces } from './face-detector.ts';
import { treatFaces } from './faces.ts';
import type { Picture } from '../picture.ts';

/** What looking for faces needs and keeps of a job. */
export interface FacesJob {
  picture: Picture;
  notes: string[];
  /** In pixels, where they have been looked for; absent too where networks do not run on this machine */
  faces?: readonly FaceBox[];
}

/** Looks for faces in front of the steps that change the light, which they decide. */
export async function findFaces(job: FacesJob): Promise<readonly FaceBox[]> {
  if (job.picture.space === 'cmyk') return [];
  const faces = await detectFaces(job.picture).catch(() => undefined);
  if (faces) job.faces = faces;
  return faces ?? [];
}

/** Treats the faces that there are; says in the notes how many. Where none were found in a dark picture, a lighter one may show them. */
export async function enhanceFaces(job: FacesJob): Promise<boolean> {
  const { picture, notes } = job;
  if (picture.space === 'cmyk') {
    notes.push('Faces were not looked for: the picture is in CMYK.');
    return false;
  }
  // A machine that cannot run networks continues without them.
  const faces = job.faces?.length ? job.faces : await detectFaces(picture).catch(() => undefined);
  if (faces === undefined) {
    notes.push('Faces could not be looked for: networks do not run on this machine.');
    return false;
  }
  const treated = treatFaces(picture, faces);
  const were = treated === 1 ? 'One face was' : `${treated} faces were`;
  notes.push(treated === 0 ? 'No faces were found.' : `${were} found and treated gently.`);
  return treated > 0;
}
