import fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import { toHostedEnhancement, toHostedUpload } from '../../src/activities/hosted/states.ts';
import { graphqlErrors } from '../../src/hosted/answer-failure.ts';
import { parseAnalysis } from '../../src/hosted/metadata.ts';
import { enhancementSchema, lenientNumber, remoteId, hostedUrl, uploadSchema } from '../../src/hosted/schemas.ts';

const ANALYSIS = {
  totalCredits: 7,
  statistics: {
    pages: 2,
    images: 3,
    colorEligible: 3,
    resizeEligible: 1,
    credits: { color: 3, resize: 4, colorAndResize: 6 },
  },
};

describe('an upload at the hosted service', () => {
  const read = (answer: object) => toHostedUpload(uploadSchema.parse({ id: 'upl_1', ...answer }));

  test('is read as the contract describes it', () => {
    const answer = {
      status: 'UPLOAD_FINISHED',
      subStatus: 'METADATA_ANALYZED_SUCCESSFULLY',
      metadata: JSON.stringify(ANALYSIS),
      filesize: 30_000,
      mimetype: 'application/pdf',
    };
    const expected = { id: 'upl_1', file: 'ready', analysis: 'done', size: 30_000, pdf: ANALYSIS, errorCode: null };
    expect(read(answer)).toEqual(expected);
    expect(read({ ...answer, metadata: ANALYSIS, filesize: '30000', more: { fields: [1] } })).toEqual(expected);
  });

  test.each([
    ['UPLOAD_PENDING', 'pending'],
    ['UPLOAD_PROCESSING', 'pending'],
    ['UPLOAD_ON_ITS_WAY', 'pending'],
    ['', 'pending'],
    [undefined, 'pending'],
    [null, 'pending'],
    [7, 'pending'],
    ['UPLOAD_FINISHED', 'ready'],
    ['UPLOAD_FAILED', 'failed'],
    ['UPLOAD_DELETED', 'failed'],
    ['EXPIRED', 'failed'],
  ])('with status %j is %s', (status, file) => {
    expect(read({ status })).toMatchObject({ file, analysis: null });
  });

  test.each([
    ['METADATA_ANALYZING', 'running'],
    ['METADATA_BEING_LOOKED_AT', 'running'],
    ['METADATA_ANALYZED_FAILED', 'failed'],
  ])('with sub-status %s has an analysis that is %s', (subStatus, analysis) => {
    expect(read({ status: 'UPLOAD_FINISHED', subStatus })).toMatchObject({ file: 'ready', analysis });
  });

  test('that is a PDF without a started analysis is awaited', () => {
    expect(read({ status: 'UPLOAD_FINISHED', mimetype: 'application/pdf' })).toMatchObject({ analysis: 'running' });
  });
});

describe('an enhancement at the hosted service', () => {
  const read = (answer: object) => toHostedEnhancement(enhancementSchema.parse({ id: 'enh_1', ...answer }));

  test.each([
    ['QUEUED', 'running'],
    ['PROCESSING', 'running'],
    ['AWAITING_CREDITS', 'running'],
    ['SOMETHING_NEW', 'running'],
    [undefined, 'running'],
    ['FINISHED', 'finished'],
    ['ERROR', 'failed'],
    ['FAILED', 'failed'],
    ['CANCELLED', 'cancelled'],
    ['CANCELED', 'cancelled'],
  ])('with status %j is %s', (status, expected) => {
    expect(read({ status })).toMatchObject({ status: expected });
  });

  test('keeps only the valid characters of its error code', () => {
    expect(read({ status: 'ERROR', errorCode: `ENGINE_FAULT\u0000<script>${'x'.repeat(200)}` }).errorCode).toMatch(
      /^ENGINE_FAULTscriptx+$/,
    );
    expect(read({ errorCode: 'E'.repeat(5_000) }).errorCode).toHaveLength(100);
  });

  test('may have its duration as text', () => {
    expect(read({ engineDuration: ' 1200.5 ' }).durationMs).toBe(1200.5);
    expect(read({ engineDuration: 'soon' }).durationMs).toBeNull();
  });
});

describe('metadata of the hosted service', () => {
  test('may omit all fields except the credits', () => {
    expect(parseAnalysis('{"totalCredits":"12","statistics":{"imageCount":4,"pages":"3"}}')).toEqual({
      totalCredits: 12,
      statistics: {
        pages: 3,
        images: 0,
        colorEligible: 0,
        resizeEligible: 0,
        credits: { color: 0, resize: 0, colorAndResize: 0 },
      },
    });
    expect(parseAnalysis({ totalCredits: 0 })).toMatchObject({ totalCredits: 0, statistics: { images: 0 } });
  });

  test.each([[null], [undefined], ['{'], ['[]'], [{}], [{ totalCredits: -1 }], [{ totalCredits: 'many' }], [4]])(
    'that is %j is invalid',
    (metadata) => {
      expect(parseAnalysis(metadata)).toBeNull();
    },
  );

  test('of any form never throws, and never gives an unusable number', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.json(), fc.string()), (metadata) => {
        const found = parseAnalysis(metadata);
        const numbers = found === null ? [] : [found.totalCredits, ...Object.values(found.statistics).slice(0, 4)];
        for (const each of numbers) expect(each).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

test('hosted ids are printable and of limited length', () => {
  for (const id of ['upl_1', 'A-z~', '7'.repeat(200)]) expect(remoteId.parse(id)).toBe(id);
  expect(remoteId.parse(42)).toBe('42');
  for (const id of ['', ' ', 'a b', 'a\nb', 'é', '7'.repeat(201), null, {}, 1.5]) {
    expect(remoteId.safeParse(id).success).toBe(false);
  }
});

test('hosted addresses use http or https', () => {
  expect(hostedUrl.parse('https://files.example.com/a?token=b%20c')).toContain('files.example.com');
  for (const url of [
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://a b/',
    '//example.com',
    '',
    'x'.repeat(9000),
  ])
    expect(hostedUrl.safeParse(url).success).toBe(false);
});

test('hosted numbers are finite and not negative, in any notation', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.string(), fc.bigInt().map(String)), (value) => {
      const { data } = lenientNumber.safeParse(value);
      if (data === undefined) return;
      expect(Number.isFinite(data) && data >= 0).toBe(true);
      expect(data).toBe(Number(value));
    }),
  );
});

test('hosted errors of any form are parsed without an exception', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (errors, extensions) => {
      for (const body of [errors, { errors }, { errors: [errors] }, { errors: [{ message: errors, extensions }] }]) {
        for (const { message, code } of graphqlErrors(body)) {
          expect(message.length).toBeLessThanOrEqual(2_000);
          expect(code === null || code.length <= 100).toBe(true);
        }
      }
    }),
  );
});
