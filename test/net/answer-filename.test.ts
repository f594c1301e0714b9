import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { answerFilename } from '../../src/net/download.ts';

describe('the name of a downloaded file', () => {
  it('is safe, short and not empty: without paths, control characters and bidirectional marks', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('a', '.', '/', '\\', '\0', '\n', '"', '\u202e', '\ud800', 'é', ' ', '%', '😀', ':'),
      maxLength: 300,
    });
    fc.assert(
      fc.property(nasty, (given) => {
        const quoted = `attachment; filename="${given.replaceAll('"', '\\"')}"`;
        const url = new URL('http://example.com/');
        url.pathname = given;
        for (const name of [answerFilename(quoted, url), answerFilename(undefined, url), answerFilename(given, url)]) {
          expect(name).toMatch(/^[^/\\\p{Cc}\p{Cf}\p{Cs}<>:"|?*]+$/u);
          expect(name).not.toMatch(/^[.\s]|[.\s]$/);
          expect([...name].length).toBeLessThanOrEqual(200);
        }
      }),
      { numRuns: 500 },
    );
  });
});
