import type { Express } from 'express';
import { expect, test } from '@jest/globals';
import { FAILURES } from '@burnish/contract';
import { createApp } from '../../../src/api/app.ts';
import type { GatewayDeps } from '../../../src/api/deps.ts';
import { openApiDocument } from '../../../src/api/openapi/document.ts';
import { createMetrics } from '../../../src/runtime/metrics.ts';
import { testGateway, useGateway } from '../support/gateway.ts';

const gateway = useGateway();

/** Every method and path that the application routes, as OpenAPI writes them. */
function routesOf(app: Express): string[] {
  interface Layer {
    route?: { path: string; methods: Record<string, boolean> };
    handle: { stack?: Layer[] };
    matchers?: ((path: string) => { path: string } | false)[];
  }
  const prefixes = [
    ...[
      'uploads',
      'enhancements',
      'credits',
      'webhooks',
      'webhook-deliveries',
      'api-keys',
      'settings',
      'audit',
      'version',
    ].map((name) => `/v1/${name}`),
    '',
  ];
  const walk = (layers: Layer[], prefix: string): string[] =>
    layers.flatMap((layer) => {
      if (layer.route !== undefined) {
        const path = (prefix + (layer.route.path === '/' ? '' : layer.route.path)).replace(/:(\w+)/g, '{$1}');
        return Object.keys(layer.route.methods).map((method) => `${method} ${path}`);
      }
      const mounted = prefixes.find(
        (each) =>
          each === '' ||
          layer.matchers?.some((match) => match(each) !== false && (match(each) as { path: string }).path === each),
      );
      return layer.handle.stack === undefined ? [] : walk(layer.handle.stack, mounted ?? '');
    });
  return walk((app.router as unknown as { stack: Layer[] }).stack, '');
}

test('the OpenAPI description names every route and no other', () => {
  const deps = {
    stores: {},
    publicUrl: 'http://x',
    version: '1',
    dashboardFolder: '/nowhere',
    guideFolder: '/nowhere',
    operatorKey: 'any-key',
    closing: new AbortController().signal,
    limits: {},
    metrics: { ...createMetrics(), readers: 'none' as const },
    previewEngine: { children: 1 },
    trialEngine: { children: 1 },
  } as unknown as GatewayDeps;
  const { paths } = openApiDocument(deps);
  const described = Object.entries(paths!).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  const errorPages = ['', ...Object.keys(FAILURES).map((code) => `/${code}`)].map((path) => `get /docs/errors${path}`);
  const session = ['get /session', 'post /session', 'delete /session'];
  // Temporal's remote codec protocol, and the entrance to its Web UI.
  const temporal = ['get /temporal-ui,/temporal-ui/*path', 'post /temporal-codec/decode'];
  const files = [
    'start.js',
    'reference.css',
    'swagger-ui-bundle.js',
    'swagger-ui-bundle.js.LICENSE.txt',
    'swagger-ui.css',
    'style.css',
  ].map((name) => `get /docs/${name}`);
  const pages = ['get /openapi.json', 'get /guide', 'get /docs', 'get /docs', ...files];
  const undescribed = [...pages, ...session, ...temporal, ...errorPages];
  // GraphQL describes itself.
  const routes = routesOf(createApp(deps)).filter((route) => !/ \/graph(ql|iql)(\/|$)/.test(route));
  expect([...described, ...undescribed].sort()).toEqual(routes.sort());
});

test('the OpenAPI description begins with sending a file and links to every code, and has for each operation its refusals, an id and valid examples', async () => {
  const document = await (await gateway.fetch('/openapi.json', { key: null })).json();
  expect(document.openapi).toBe('3.1.0');
  expect(document.info.description).toContain('(/docs/errors)');
  expect(document.info.description.indexOf('## Send a file')).toBeLessThan(150);
  expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER));
  const errors = await (await gateway.fetch('/docs/errors', { key: null })).text();
  for (const code of Object.keys(FAILURES)) expect(errors).toContain(`/docs/errors/${code}`);
  const operations = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods as Record<string, { operationId: string; responses: object; security?: unknown[] }>),
  );
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const { responses, security } of operations) {
    if (security === undefined)
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '429', '500', '503']));
  }
});

test('the OpenAPI description marks no field read-only, since generated clients do not send such a field', async () => {
  const text = await (await gateway.fetch('/openapi.json', { key: null })).text();
  expect(text).toContain('"colorKinds"');
  expect(text).not.toContain('"readOnly"');
});

test('every reference in the OpenAPI description resolves', async () => {
  const text = await (await gateway.fetch('/openapi.json', { key: null })).text();
  const { components } = JSON.parse(text);
  const references = [...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, path]) => path!.split('/'));
  expect(references.length).toBeGreaterThan(10);
  for (const path of references) expect(components).toHaveProperty(path);
});

test.each(Object.entries(FAILURES))(
  'the type of the problem %s leads to a page with its remedy',
  async (code, facts) => {
    const response = await gateway.fetch(`/docs/errors/${code}`, { key: null });
    expect(response.status).toBe(200);
    const text = (await response.text()).replaceAll('&#39;', "'");
    for (const part of [code, facts.sentence, facts.remedy, String(facts.httpStatus)]) expect(text).toContain(part);
    expect(await (await gateway.fetch('/docs/errors', { key: null })).text()).toContain(`/docs/errors/${code}`);
  },
);

test('the type of a problem is the address of the page on its code', async () => {
  const { type } = await (await gateway.fetch('/v1/uploads/upl_0', {})).json();
  expect(type).toBe('/docs/errors/NOT_FOUND');
  expect((await gateway.fetch(type, { key: null })).status).toBe(200);
  // Here the status says more than the code.
  const wrongMethod = await gateway.fetch('/v1/credits', { method: 'PUT' });
  expect([wrongMethod.status, (await wrongMethod.json()).type]).toEqual([405, 'about:blank']);
  const unknownPath = await (await gateway.fetch('/v1/nothing', {})).json();
  expect(unknownPath).toMatchObject({ type: 'about:blank', title: 'Not Found', code: 'NOT_FOUND' });
});

test('health needs no key, and readiness names the missing part', async () => {
  expect(await (await gateway.fetch('/healthz', { key: null })).json()).toEqual({ status: 'ok' });
  expect((await gateway.fetch('/readyz', { key: null })).status).toBe(200);
  await using waiting = await testGateway({ ready: async () => ({ ready: false, problems: ['No worker polls.'] }) });
  const response = await waiting.fetch('/readyz', { key: null });
  expect([response.status, await response.json()]).toEqual([503, { ready: false, problems: ['No worker polls.'] }]);
});
