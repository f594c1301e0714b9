import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { getVariableValues, type OperationDefinitionNode, parse, validate, type GraphQLSchema } from 'graphql';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { repositoryRoot } from '../../../test/support/repository.ts';
import { builtGuide } from './built-guide.ts';

let site: Awaited<ReturnType<typeof builtGuide>>;
/** HTML by file */
let pages: Map<string, string>;
beforeAll(async () => {
  site = await builtGuide();
  const names = readdirSync(site.path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  pages = new Map(names.map((name) => [name, readFileSync(join(site.path, name), 'utf8')]));
});
afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
});

const idsOf = (html: string): Set<string> => new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!));
const targetsOf = (html: string): string[] =>
  [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target]) => target!);

test('every link of the site leads to a file of it, and to a place if it names one', () => {
  const dead: string[] = [];
  let links = 0;
  for (const [page, html] of pages) {
    for (const target of targetsOf(html)) {
      // Those to the instance, whose paths tests/api describes, and to other sites.
      if (/^([a-z]+:|\/)/.test(target)) continue;
      links += 1;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : posix.join(posix.dirname(page), path);
      const isFile = existsSync(join(site.path, file)) && statSync(join(site.path, file)).isFile();
      const isPlace = anchor === undefined || idsOf(pages.get(file) ?? '').has(decodeURIComponent(anchor));
      if (!isFile || !isPlace) dead.push(`${page}: ${target}`);
    }
  }
  expect(links).toBeGreaterThan(3000);
  expect(dead).toEqual([]);
});

test('links to the instance name its pages and operations', () => {
  const { paths } = JSON.parse(readFileSync(join(repositoryRoot, 'docs', 'api', 'openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string; tags: string[] }>>;
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const known = operations.map(({ tags, operationId }) => `/docs#/${tags[0]}/${operationId}`);
  const named = [...pages.values()].flatMap(targetsOf).filter((target) => target.startsWith('/'));
  expect(new Set(named)).toEqual(new Set(['/', '/docs', '/graphiql', ...known]));
});

test('no page has a script, a style or a handler inside, which the policy forbids', () => {
  for (const [page, html] of pages) {
    const found = html.match(/<script(?![^>]* src=)[^>]*>|<style|<[^>]+ style=|<[^>]+ on\w+=/g);
    expect({ page, found }).toEqual({ page, found: null });
  }
});

test('an id stands once on its page', () => {
  for (const [page, html] of pages) {
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!);
    expect({ page, twice: ids.filter((id, at) => ids.indexOf(id) !== at) }).toEqual({ page, twice: [] });
  }
});

test('the menu has every page once, under a list of the home page', () => {
  const menu = /<nav class="menu"[^]*?<\/nav>/.exec(pages.get('index.html')!)![0];
  const listed = targetsOf(menu);
  const own = [...pages.keys()].filter((name) => !name.startsWith('files/') && name !== 'index.html');
  expect([...listed].sort()).toEqual(own.sort());
  expect(menu).not.toContain('>More<');
});

test('a page names an operation in code, and the operation links back', () => {
  const batches = pages.get('batches.html')!;
  expect(batches.includes('<a href="reference/batches.html#addBatchPrefix"><code>')).toBe(true);
  // Its programs call operations, too.
  expect(batches.includes('<a href="reference/batches.html#approveBatch">Approve')).toBe(true);
  expect(pages.get('graphql.html')!.includes('<a href="reference/uploads.html#createSignedUpload">')).toBe(true);
  for (const id of ['addBatchPrefix', 'approveBatch']) {
    const section = pages.get('reference/batches.html')!.split(` id="${id}"`)[1]!.split('</section>')[0];
    expect(section!.includes('<a href="../batches.html">')).toBe(true);
  }
});

test('each program of examples/clients stands on its page as it runs, under the name of its language', () => {
  const plain = (html: string): string =>
    [
      ['&quot;', '"'],
      ['&#x27;', "'"],
      ['&lt;', '<'],
      ['&gt;', '>'],
      ['&amp;', '&'],
    ].reduce((text, [entity, character]) => text.replaceAll(entity!, character!), html.replace(/<[^>]+>/g, ''));
  const panels = pages.get('generated-clients.html')!.split('<div data-tab="').slice(1).map(plain);
  const folder = join(repositoryRoot, 'examples', 'clients');
  const languages = readdirSync(folder);
  expect(panels).toHaveLength(languages.length);
  for (const language of languages) {
    const texts = readdirSync(join(folder, language)).map((name) => readFileSync(join(folder, language, name), 'utf8'));
    const own = panels.filter((panel) => texts.every((text) => panel.includes(text.trimEnd())));
    expect({ language, panels: own.length }).toEqual({ language, panels: 1 });
  }
});

test('each event has its body with an example, and a page that names it in code leads there', () => {
  const html = pages.get('reference/events.html')!;
  const { webhooks } = JSON.parse(readFileSync(join(repositoryRoot, 'docs', 'api', 'openapi.json'), 'utf8')) as {
    webhooks: Record<string, { post: { operationId: string } }>;
  };
  for (const [kind, { post }] of Object.entries(webhooks)) {
    const section = html.split(` id="${post.operationId}"`)[1]!.split('</section>')[0]!;
    const example = /<pre[^>]*>([^]*?)<\/pre>/
      .exec(section)![1]!
      .replace(/<[^>]+>/g, '')
      .replaceAll('&quot;', '"');
    const { event, data } = JSON.parse(example) as { event: string; data: object };
    const fields = [...section.matchAll(/<tr><td><code>(\w+)<\/code>/g)].map(([, name]) => name);
    expect({ event, fields }).toEqual({ event: kind, fields: Object.keys(data) });
  }
  expect(pages.get('contract.html')!).toContain('<a href="reference/events.html#receiveUploadDeleted"><code>');
});

interface Reference {
  operations: { id: string; method: string; path: string; hasKey: boolean }[];
  graphql: {
    schema: GraphQLSchema;
    fields: string[];
    fieldsOf(id: string): string[];
    request(field: string, example: object): { document: string; variables: Record<string, unknown> };
  };
  calls: Map<string, string>;
}
const load = async (name: string) => await import(join(repositoryRoot, 'packages', 'guide', 'src', name));
const { readReference, exampleOf } = (await load('reference.mjs')) as {
  readReference(root: string): Reference;
  exampleOf(operation: unknown): object;
};
const reference = readReference(repositoryRoot);

test('every field of GraphQL stands at one operation of REST', () => {
  const shown = reference.operations.flatMap(({ id }) => reference.graphql.fieldsOf(id));
  expect(shown.sort()).toEqual([...reference.graphql.fields].sort());
});

test('every document of GraphQL fits the schema, and so do its variables', () => {
  const { graphql, operations } = reference;
  for (const operation of operations) {
    for (const field of graphql.fieldsOf(operation.id)) {
      const { document, variables } = graphql.request(field, exampleOf(operation));
      const parsed = parse(document);
      expect({ field, errors: validate(graphql.schema, parsed) }).toEqual({ field, errors: [] });
      const { variableDefinitions = [] } = parsed.definitions[0] as OperationDefinitionNode;
      const { errors } = getVariableValues(graphql.schema, variableDefinitions, variables);
      expect({ field, errors }).toEqual({ field, errors: undefined });
    }
  }
});

test('each call of the client belongs to an operation, and each operation of an account has one', () => {
  const ids = reference.operations.map(({ id }) => id);
  expect([...reference.calls.keys()].filter((name) => !ids.includes(name))).toEqual([]);
  const uploads = pages.get('reference/uploads.html')!;
  expect(uploads).toContain('data-tab="curl"');
  for (const { id, method, path, hasKey } of reference.operations) {
    if (!hasKey || !/^(GET|POST|PUT|PATCH|DELETE)$/.test(method) || path.startsWith('/v1/tus/')) continue;
    const html = [...pages.entries()].find(
      ([name, text]) => name.startsWith('reference/') && text.includes(` id="${id}"`),
    );
    expect({
      id,
      shown: /data-tab="TypeScript"/.test(html![1].split(` id="${id}"`)[1]!.split('</section>')[0]!),
    }).toEqual({
      id,
      shown: true,
    });
  }
});
