import { detectFaces } from './face-detector.ts';
import { treatFaces } from './faces.ts';
import type { Picture } from './picture.ts';

/** Looks for faces and treats them; says in the notes how many there were. */
export async function enhanceFaces({ picture, notes }: { picture: Picture; notes: string[] }): Promise<boolean> {
  if (picture.space === 'cmyk') {
    notes.push('Faces were not looked for: the picture is in CMYK.');
    return false;
  }
  // A machine that cannot run networks goes on without.
  const faces = await detectFaces(picture).catch(() => undefined);
  if (faces === undefined) {
    notes.push('Faces could not be looked for: networks do not run on this machine.');
    return false;
  }
  const treated = treatFaces(picture, faces);
  const were = treated === 1 ? 'One face was' : `${treated} faces were`;
  notes.push(treated === 0 ? 'No faces were found.' : `${were} found and treated gently.`);
  return treated > 0;
}
