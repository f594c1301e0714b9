import { describe, expect, test } from '@jest/globals';
import { isReadable, parseDirection } from '../../../src/sandbox/text/scan-direction.ts';

const report = (rotate: string, confidence: string): string =>
  `Page number: 0\nOrientation in degrees: 90\nRotate: ${rotate}\nOrientation confidence: ${confidence}\nScript: Latin\n`;

describe('the report of Tesseract on a direction', () => {
  test.each([
    ['0', 0],
    ['90', 1],
    ['180', 2],
    ['270', 3],
  ])('gives its turn of %s degrees', (rotate, turns) => {
    expect(parseDirection(report(rotate, '21.40'))).toBe(turns);
  });

  test.each([
    ['without confidence', report('180', '9.99')],
    ['of another turn', report('45', '30.1')],
    ['that is cut', 'Rotate: 180\n'],
    ['that is empty', ''],
  ])('counts as none: one %s', (_what, text) => {
    expect(parseDirection(text)).toBeUndefined();
  });
});

describe('the words of a page', () => {
  const word = (text: string, confidence: string): string => `5\t1\t1\t1\t1\t1\t10\t20\t30\t40\t${confidence}\t${text}`;

  test('are readable by the mean of their letters', () => {
    expect(isReadable([word('considerable', '91.2'), word('x', '0.0')].join('\n'))).toBe(true);
    expect(isReadable([word('osodindaid', '26.8'), word('a', '95.0')].join('\n'))).toBe(false);
  });

  test('are readable where there are none, and rows of another form do not count', () => {
    expect(isReadable('4\t1\t1\t1\t1\t0\t1\t2\t300\t40\t-1\t\n')).toBe(true);
    expect(isReadable([word('odd', '101'), word('odd', 'nan'), word('sure', '88')].join('\n'))).toBe(true);
  });
});
