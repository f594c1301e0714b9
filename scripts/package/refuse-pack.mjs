#!/usr/bin/env node
// `npm pack` packs the clone where it is: without the packages that the product runs with, and with dependencies of the clone.
console.error('npm pack does not make the package of this clone. Run npm run package.');
process.exitCode = 1;
