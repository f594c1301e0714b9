# syntax=docker/dockerfile:1.7

# The same for every stage: what is built runs on what it was built on.
FROM node:24.21.0-bookworm-slim AS node

# The package, as every clone makes it.
FROM node AS package
WORKDIR /clone
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json ./packages/client/
COPY packages/contract/package.json ./packages/contract/
COPY packages/dashboard/package.json ./packages/dashboard/
COPY packages/engine/package.json ./packages/engine/
COPY packages/guide/package.json ./packages/guide/
COPY packages/jail/package.json ./packages/jail/
COPY packages/pdf/package.json ./packages/pdf/
COPY scripts ./scripts
RUN node --eval "import('./scripts/setup.mjs').then(({ setupPackages }) => setupPackages())"
COPY tsconfig.json ./
COPY packages ./packages
COPY src ./src
COPY samples ./samples
COPY deploy ./deploy
COPY docs ./docs
COPY examples ./examples
COPY LICENSE README.md CHANGELOG.md SECURITY.md THIRD-PARTY.md ./
# The commit of the sources: docker build --build-arg BURNISH_COMMIT="$(git rev-parse HEAD)". The image has no repository.
ARG BURNISH_COMMIT
RUN npm run package

# The package as npm installs it everywhere, without the native code of other platforms.
FROM node AS installed
WORKDIR /app
COPY --from=package /clone/burnish-*.tgz ./burnish.tgz
RUN npm install --no-audit --no-fund ./burnish.tgz && rm burnish.tgz
WORKDIR /app/node_modules/burnish/dist/node_modules
RUN find onnxruntime-node/bin/napi-v6 -mindepth 2 -maxdepth 2 ! -path "*/linux/$(node --print process.arch)" -exec rm -r {} + \
  && find @temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +

FROM node AS burnish
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap libjemalloc2 \
  && rm -rf /var/lib/apt/lists/* \
  && ln -s /usr/lib/*-linux-gnu/libjemalloc.so.2 /usr/local/lib/libjemalloc.so.2 \
  && install --directory --owner=node --group=node /data
COPY --from=installed /app /app
# It also has the licences of all packages (dist/licences.txt), their list (dist/sbom.cdx.json) and THIRD-PARTY.md.
WORKDIR /app/node_modules/burnish

ENV NODE_ENV=production \
  # Gives back memory that the C library's allocator keeps. The children that work on pictures get an environment of their
  # own and stay with the C library's, with which they need a third less processor time.
  LD_PRELOAD=/usr/local/lib/libjemalloc.so.2 \
  BURNISH_HOST=0.0.0.0 \
  BURNISH_PORT=3000 \
  BURNISH_DATA_DIR=/data \
  # In every container a port of its own; where the network is the host's, each process needs another.
  BURNISH_METRICS_PORT=9464
USER node
# As the user who runs it: all code loads, and every network can be read.
RUN node scripts/burnish.cjs --version && cat dist/node_modules/@burnish/engine/models/*/*.onnx >/dev/null
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "deploy/healthcheck.mjs"]
ENTRYPOINT ["node", "scripts/burnish.cjs"]
CMD ["gateway"]
