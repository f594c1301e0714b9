import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cleanEnvironment, freePorts, portSettings, runCommand, startInstance } from './instance.ts';

test('the links of the demo open its workflows once the same folder is started again', async () => {
  await using folder = await temporaryFolder();
  await using place = await temporaryFolder();
  const ports = await freePorts();
  const env = await cleanEnvironment({ ...portSettings(ports), BURNISH_DATA_DIR: folder.path });
  const demo = runCommand(['demo'], env, { cwd: place.path });
  expect(await demo.ended).toBe(0);
  const output = demo.output();
  expect(output).toContain('Run `npx burnish up` to open the dashboard.');
  const links = output.match(/http:\S+\/workflows\/\S+/g) ?? [];
  expect(links).toHaveLength(3);

  const apiKey = /API key +(\S+)/.exec(output)![1]!;
  await using instance = await startInstance({ dataDir: folder.path, ports, apiKey });
  const signIn = await fetch(`${instance.url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: instance.url },
    body: JSON.stringify({ apiKey }),
  });
  const session = signIn.headers.get('set-cookie')!.split(';')[0]!;
  const follow = async (url: string, cookie: string) => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie, accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    });
    return { response, to: new URL(response.headers.get('location') ?? url, url).href };
  };
  for (const link of links) {
    // Web UI → gateway → Web UI with a pass, which becomes a cookie of a page that leads on.
    const gateway = await follow(link, '');
    expect(new URL(gateway.to).origin).toBe(instance.url);
    const pass = await follow((await follow(gateway.to, session)).to, '');
    const { pathname } = new URL(link);
    expect(await pass.response.text()).toContain(`location.replace(${JSON.stringify(pathname)});`);
    const cookie = pass.response.headers.get('set-cookie')!.split(';')[0]!;
    const api = link.replace('/namespaces/', '/api/v1/namespaces/');
    const described = await fetch(api, { headers: { cookie } });
    const { workflowExecutionInfo } = (await described.json()) as {
      workflowExecutionInfo: { execution: { workflowId: string }; status: string };
    };
    expect(workflowExecutionInfo.execution.workflowId).toBe(decodeURIComponent(link.split('/').at(-1)!));
    expect(workflowExecutionInfo.status).toBe('WORKFLOW_EXECUTION_STATUS_RUNNING');
  }
}, 240_000);
