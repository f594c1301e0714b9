# syntax=docker/dockerfile:1.7

# The same for every stage: what is built runs on what it was built on.
FROM node:22.20.0-bookworm-slim AS node

# Everything, to build with.
FROM node AS build
RUN apt-get update \
  && apt-get install --yes --no-install-recommends python3 python3-pip \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
COPY models ./models
COPY deploy ./deploy
RUN node scripts/build.mjs
# The networks that a start would fetch otherwise, in every container anew.
RUN node deploy/fetch-models.mjs /models

# What runs needs no development packages, and of native code only what is for this machine.
FROM node AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY deploy/prune-packages.mjs ./deploy/
RUN npm ci --omit=dev --no-audit --no-fund && node deploy/prune-packages.mjs node_modules

FROM node AS burnish
RUN apt-get update \
  && apt-get install --yes --no-install-recommends libjemalloc2 \
  && rm -rf /var/lib/apt/lists/* \
  && ln -s /usr/lib/*-linux-gnu/libjemalloc.so.2 /usr/local/lib/libjemalloc.so.2 \
  && install --directory --owner=node --group=node /data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /models ./fetched-models
COPY package.json LICENSE ./
COPY models ./models
COPY deploy/healthcheck.mjs ./deploy/

ENV NODE_ENV=production \
  # The allocator of the C library keeps what picture work has freed; this one gives it back.
  LD_PRELOAD=/usr/local/lib/libjemalloc.so.2 \
  BURNISH_HOST=0.0.0.0 \
  BURNISH_PORT=3000 \
  BURNISH_DATA_DIR=/data \
  BURNISH_MODELS_DIR=/app/fetched-models
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "deploy/healthcheck.mjs"]
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["gateway"]
