import { parseArgs } from 'node:util';

const HELP = `npm run bench:lifecycle -- [options]

Without options: what durability costs, each figure beside its floor. About four minutes.

--settings        what the sandbox and the encryption of payloads cost: two instances of each setting, side by side and in
                  mirrored order. About five minutes.
--files <number>  files of each setting, one by one, with --settings. Default: 120
--burst <number>  files of each setting that 20 clients send, with --settings. Default: 200; 0 leaves the burst out
--help            this text
`;

const { values } = parseArgs({
  options: {
    settings: { type: 'boolean', default: false },
    files: { type: 'string', default: '120' },
    burst: { type: 'string', default: '200' },
    help: { type: 'boolean', default: false },
  },
});

function wholeNumber(name: 'files' | 'burst', least: number): number {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number >= least) return number;
  throw new Error(`--${name} is not valid: expected a whole number from ${least} on.`);
}

if (values.help) {
  console.log(HELP);
} else if (values.settings) {
  const { compareSettings } = await import('./lifecycle/compare-settings.ts');
  await compareSettings({ files: wholeNumber('files', 1), burst: wholeNumber('burst', 0) });
} else {
  await import('./lifecycle/figures.ts');
}
