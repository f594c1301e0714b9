# Needs openapi.json of your instance and photo.jpg in this folder, and the variables BURNISH and KEY.
set -eu
npm init --yes
npm pkg set type=module
npm install --silent openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3 @types/node@22
npx openapi-typescript openapi.json --output burnish.d.ts
npx tsc --strict --module nodenext main.ts
node main.js
