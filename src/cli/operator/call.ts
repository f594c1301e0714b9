import { request } from 'node:http';
import type { AllOperatorCommands } from '../../api/operator/all-operator-commands.ts';
import { StartupError } from '../../domain/startup-error.ts';
import { isServed, operatorSocketPath } from '../../runtime/operator-socket.ts';

/** The commands of the instance that runs on a data folder, which throw StartupError; undefined when none runs. */
export async function callOperator(dataDir: string): Promise<AllOperatorCommands | undefined> {
  const path = operatorSocketPath(dataDir);
  if (path === undefined || !(await isServed(path))) return undefined;
  const call =
    (name: keyof AllOperatorCommands) =>
    async (...args: unknown[]): Promise<never> => {
      return (await post(path, name, args)) as never;
    };
  return {
    topUp: call('topUp'),
    credits: call('credits'),
    ledger: call('ledger'),
    listKeys: call('listKeys'),
    createKey: call('createKey'),
    deleteKey: call('deleteKey'),
    signInLink: call('signInLink'),
    rotateSigningKey: call('rotateSigningKey'),
    auditLog: call('auditLog'),
    operatorKey: call('operatorKey'),
    createAccount: call('createAccount'),
    listAccounts: call('listAccounts'),
    showAccount: call('showAccount'),
    changeAccount: call('changeAccount'),
    grantCredits: call('grantCredits'),
    suspendAccount: call('suspendAccount'),
    resumeAccount: call('resumeAccount'),
    deleteAccount: call('deleteAccount'),
    createBucket: call('createBucket'),
    listBuckets: call('listBuckets'),
    deleteBucket: call('deleteBucket'),
    createEndpoint: call('createEndpoint'),
    rotateEndpointToken: call('rotateEndpointToken'),
    listEndpoints: call('listEndpoints'),
    deleteEndpoint: call('deleteEndpoint'),
    checkStorage: call('checkStorage'),
    workers: call('workers'),
    promoteBuild: call('promoteBuild'),
    buildWork: call('buildWork'),
    listPlans: call('listPlans'),
    putPlan: call('putPlan'),
    usage: call('usage'),
  };
}

function post(path: string, name: string, args: unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath: path, path: `/${name}`, method: 'POST' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const body = JSON.parse(text) as unknown;
        if (response.statusCode === 200) resolve(body);
        else reject(new StartupError((body as { message: string }).message));
      });
      response.on('error', reject);
    });
    outgoing.on('error', (cause) =>
      reject(new StartupError('The instance has stopped. Repeat the command.', { cause })),
    );
    outgoing.end(JSON.stringify(args));
  });
}
