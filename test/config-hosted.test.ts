import { describe, expect, test } from '@jest/globals';
import { readConfig } from '../src/runtime/config.ts';

const SERVICE = { BURNISH_HOSTED_URL: 'https://service.example.com/', BURNISH_HOSTED_API_KEY: 'key_0123456789' };

test('a setting that is not a number is refused in plain words', () => {
  expect(() => readConfig({ BURNISH_PORT: 'abc' })).toThrow('BURNISH_PORT: expected a number');
});

describe('the settings of the hosted service', () => {
  test('are absent by default', () => {
    expect(readConfig({})).toMatchObject({ provider: 'local', hosted: null });
  });

  test('require address and key, and have defaults for the rest', () => {
    expect(readConfig({ ...SERVICE, BURNISH_PROVIDER: 'hosted' })).toMatchObject({
      provider: 'hosted',
      hosted: {
        url: 'https://service.example.com',
        apiKey: 'key_0123456789',
        privateHosts: '',
        webhookToken: null,
        webhookSecret: null,
        signatureHeader: 'x-viesus-cloud-signature',
        parallel: 8,
        callsPerSecond: 10,
        policy: { lostAnswer: 'hold', fallback: 'none', fallbackAfterMs: 600_000 },
      },
    });
    const withPath = { ...SERVICE, BURNISH_HOSTED_URL: 'https://service.example.com/api/graphql/' };
    expect(readConfig(withPath).hosted?.url).toBe('https://service.example.com/api');
    // There for requests that ask for it.
    expect(readConfig(SERVICE)).toMatchObject({ provider: 'local', hosted: { parallel: 8 } });
  });

  test.each([
    ['90s', 90_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
  ])('accept %s as a time', (text, ms) => {
    const config = readConfig({ ...SERVICE, BURNISH_HOSTED_FALLBACK_AFTER: text });
    expect(config.hosted?.policy.fallbackAfterMs).toBe(ms);
  });

  test.each([
    [{ BURNISH_PROVIDER: 'hosted' }, ['BURNISH_HOSTED_URL', 'BURNISH_HOSTED_API_KEY']],
    [{ BURNISH_HOSTED_URL: 'https://service.example.com' }, ['BURNISH_HOSTED_API_KEY']],
    [{ BURNISH_HOSTED_API_KEY: 'key' }, ['BURNISH_HOSTED_URL']],
    [{ ...SERVICE, BURNISH_HOSTED_URL: 'ftp://service.example.com' }, ['BURNISH_HOSTED_URL']],
    [{ ...SERVICE, BURNISH_HOSTED_WEBHOOK_TOKEN: 'short' }, ['BURNISH_HOSTED_WEBHOOK_TOKEN']],
    [{ ...SERVICE, BURNISH_HOSTED_FALLBACK_AFTER: 'soon' }, ['BURNISH_HOSTED_FALLBACK_AFTER']],
    [{ ...SERVICE, BURNISH_HOSTED_PARALLEL: '0' }, ['BURNISH_HOSTED_PARALLEL']],
    [{ ...SERVICE, BURNISH_HOSTED_RATE: 'fast' }, ['BURNISH_HOSTED_RATE']],
    [{ ...SERVICE, BURNISH_HOSTED_LOST_ANSWER: 'guess' }, ['BURNISH_HOSTED_LOST_ANSWER']],
  ])('are refused by name if they are wrong: %j', (environment, names) => {
    for (const name of names) expect(() => readConfig(environment)).toThrow(name);
  });

  test('never show the key in an error', () => {
    const environment = { ...SERVICE, BURNISH_HOSTED_API_KEY: 'a key with blanks', BURNISH_PORT: '0' };
    expect(() => readConfig(environment)).toThrow(/^(?=[^]*BURNISH_HOSTED_API_KEY)(?![^]*with blanks)/);
  });
});
