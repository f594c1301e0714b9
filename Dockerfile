# syntax=docker/dockerfile:1.7

# The same for every stage: what is built runs on what it was built on.
FROM node:22.20.0-bookworm-slim AS node

# Everything, to build with.
FROM node AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
COPY models ./models
COPY deploy ./deploy
COPY LICENSE THIRD-PARTY.md ./
RUN node scripts/build.mjs
# Who runs it is not who built it, whatever rights the files had here or in the clone.
RUN chmod -R a+rX dist models deploy package.json LICENSE THIRD-PARTY.md

# What runs needs no development packages, and of native code only what is for this machine.
FROM node AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY deploy/prune-packages.mjs ./deploy/
RUN npm ci --omit=dev --no-audit --no-fund && node deploy/prune-packages.mjs node_modules

FROM node AS burnish
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bubblewrap libjemalloc2 \
  && rm -rf /var/lib/apt/lists/* \
  && ln -s /usr/lib/*-linux-gnu/libjemalloc.so.2 /usr/local/lib/libjemalloc.so.2 \
  && install --directory --owner=node --group=node /data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/models ./models
COPY --from=build /app/package.json /app/LICENSE /app/THIRD-PARTY.md ./
COPY --from=build /app/deploy/healthcheck.mjs ./deploy/

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
# As whoever runs it: all code loads, and every network can be read.
RUN node dist/cli.js --version && cat models/*/*.onnx >/dev/null
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "deploy/healthcheck.mjs"]
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["gateway"]
