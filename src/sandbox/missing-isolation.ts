import type { MissingPart } from '@burnish/jail';

/** The fault of a machine without the strongest jail, and its remedy. */
const SENTENCES: Record<MissingPart, string> = {
  linux: 'Decoders can be isolated on Linux only: process only files that you trust, or use Linux.',
  architecture: 'Decoders can be isolated on x86-64 and arm64 only: process only files that you trust.',
  bubblewrap:
    'Decoders are not isolated: install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap), and start Burnish again.',
  setpriv: 'Decoders are not isolated: install setpriv of util-linux, or start Burnish as an ordinary user.',
  'user-namespaces':
    'Decoders are not isolated, because bubblewrap does not work here: allow user namespaces, and start Burnish as an ordinary user (docs/deployment.md).',
  policy: 'Decoders are not isolated: set BURNISH_SANDBOX=auto, or process only files that you trust.',
};

/** A sentence for people about the missing part of a stronger jail; null with the strongest. */
export function missingIsolation({ missing }: { missing: MissingPart | null }): string | null {
  return missing === null ? null : SENTENCES[missing];
}
