#!/usr/bin/env node
// `npm pack` packs a folder of the clone as it is: without its build, its licence, and the packages that the product runs with.
const { npm_package_name: name = '' } = process.env;
const words = name.startsWith('@') ? ` -- --workspace ${name}` : '';
console.error(`npm pack does not make the package of this clone. Run npm run package${words}.`);
process.exitCode = 1;
