import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { views } from '../../src/cli/views/views.ts';
import { SEARCH_ATTRIBUTES } from '../../src/domain/temporal/search-attributes.ts';
import { readConfig } from '../../src/runtime/config.ts';
import type { ViewsOptions } from '../../src/cli/views/views-command.ts';

const print = (options: ViewsOptions, environment: NodeJS.ProcessEnv = {}): string[] =>
  views(options, { config: readConfig(environment), environment });
const links = (options: ViewsOptions = {}, environment: NodeJS.ProcessEnv = {}) =>
  JSON.parse(print({ ...options, json: true }, environment)[0]!) as { id: string; name: string; url: string }[];
const queryOf = (url: string): string => new URL(url).searchParams.get('query')!;

test('the links lead into the embedded Web UI, or into that of the settings', () => {
  expect(links()[0]!.url).toMatch(/^http:\/\/127\.0\.0\.1:8233\/namespaces\/default\/workflows\?query=/);
  const own = { TEMPORAL_ADDRESS: 'temporal.internal:7233', TEMPORAL_NAMESPACE: 'pictures' };
  const url = 'https://ui.example.com/temporal/';
  expect(links({}, { ...own, BURNISH_TEMPORAL_UI_URL: url })[0]!.url).toMatch(
    /^https:\/\/ui\.example\.com\/temporal\/namespaces\/pictures\/workflows\?query=/,
  );
  expect(() => print({}, own)).toThrow('Set BURNISH_TEMPORAL_UI_URL to its URL.');
});

test('each query names registered attributes only, and with --account its account', () => {
  for (const { url } of links({ account: 'acc_1' })) {
    expect(queryOf(url)).toMatch(/^BurnishAccountId = "acc_1" AND /);
    const named = queryOf(url).match(/Burnish\w+/g)!;
    expect(named.filter((name) => !Object.hasOwn(SEARCH_ATTRIBUTES, name))).toEqual([]);
  }
});

test('the script saves the views beside those of a person, and once', () => {
  const kept = { 'saved-workflow-queries': '{"default":[{"id":"mine"}],"other":[]}' };
  const localStorage = {
    getItem: (key: keyof typeof kept) => kept[key],
    setItem: (key: keyof typeof kept, value: string) => void (kept[key] = value),
  };
  const [script] = print({ script: true });
  for (let times = 0; times < 2; times += 1)
    runInNewContext(script!, { localStorage, location: { reload: () => undefined } });
  const saved = JSON.parse(kept['saved-workflow-queries']) as Record<string, { id: string }[]>;
  expect(saved['default']!.map(({ id }) => id)).toEqual(['mine', ...links().map(({ id }) => id)]);
  expect(saved['other']).toEqual([]);
});
