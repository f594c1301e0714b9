import { describe, expect, test } from '@jest/globals';
import { graphql, refusal } from '../graphql/support.ts';
import { useGateway } from '../support/gateway.ts';
import { jsonRequests } from '../support/requests.ts';

let program: { languages: string[] } | { missing: string } = { languages: ['deu', 'eng'] };
const gateway = useGateway({ textProgram: () => Promise.resolve(program) });
const send = jsonRequests(() => gateway);

const order = async (pdf: object) => {
  const body = { source: { url: 'https://example.com/a.pdf' }, enhancements: [{ pdf }] };
  const response = await send('POST', '/v1/uploads', { body });
  return {
    ...((await response.json()) as { code?: string; field?: string; remedy?: string }),
    status: response.status,
  };
};

describe('an order of text', () => {
  test.each(['eng', 'deu+eng'])('is accepted with languages that are there: %s', async (textLanguages) => {
    program = { languages: ['deu', 'eng'] };
    expect(await order({ text: true, textLanguages })).toMatchObject({ status: 202 });
  });

  test('is refused without Tesseract, with the remedy', async () => {
    program = { missing: 'The program tesseract is missing.' };
    const refused = await order({ text: true });
    expect(refused).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', field: 'enhancements[0].pdf.text' });
    expect(refused.remedy).toContain('ask the operator to install tesseract-ocr');
    expect(await order({ text: false, textLanguages: 'xyz' })).toMatchObject({ status: 202 });
    const mutation = 'mutation ($input: CreateUploadFromUrlInput!) { createUploadFromUrl(input: $input) { id } }';
    const input = { url: 'https://example.com/a.pdf', enhancements: [{ pdf: { text: true } }] };
    const answer = refusal(await graphql(gateway, mutation, { variables: { input } }));
    expect(answer).toEqual(['BAD_USER_INPUT', 'input.enhancements[0].pdf.text']);
  });

  test('is refused for a language that is not there, with those that are', async () => {
    program = { languages: ['deu', 'eng'] };
    const refused = await order({ text: true, textLanguages: 'eng+fra' });
    expect(refused).toMatchObject({ status: 400, code: 'BAD_USER_INPUT', field: 'enhancements[0].pdf.textLanguages' });
    expect(refused.remedy).toContain('Choose from deu, eng');
  });

  test.each([
    '../eng',
    'eng/deu',
    'eng deu',
    'eng+',
    '+eng',
    '-l',
    'eng\n',
    '',
    'a+b+c+d+e+f',
    'eng+deu+fra+ita+spa+por',
    'x'.repeat(200),
  ])('is refused for languages of another form: %j', async (textLanguages) => {
    const refused = await order({ text: true, textLanguages });
    expect(refused).toMatchObject({ status: 400, code: 'BAD_USER_INPUT' });
    expect(refused.field).toBe('enhancements[0].pdf.textLanguages');
  });

  test('is refused for the hosted service', async () => {
    const { assertImageOrderAgrees } = await import('@burnish/contract');
    expect(() => assertImageOrderAgrees({ text: true }, 'hosted')).toThrow('does not support pdf.text');
    expect(() => assertImageOrderAgrees({ split: true }, 'hosted')).toThrow('does not support pdf.split');
  });
});
