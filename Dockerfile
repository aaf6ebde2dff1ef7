# syntax=docker/dockerfile:1
# Debian with Node 24 and npm; the user `node` (uid 1000) is in it.
ARG BASE=node:24-trixie-slim

# Build: everything, compiled.
FROM ${BASE} AS build
WORKDIR /app
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json bundle.ts ./
COPY src ./src
RUN npm run build
# What stays behind: the npm package `node`, since the image brings Node itself; TypeScript, which npm keeps as the optional peer of a
# dependency; addons for other systems, and all of cmake-ts but the loader that finds zeromq's addon.
RUN npm prune --omit=dev \
  && rm -rf node_modules/node node_modules/node-bin-* node_modules/.bin/node node_modules/typescript node_modules/@typescript \
  && if [ -d node_modules/zeromq ]; then \
    find node_modules/zeromq/build -mindepth 1 -maxdepth 1 ! -name linux ! -name manifest.json -exec rm -rf {} + \
    && find node_modules/zeromq/build/linux -mindepth 1 -maxdepth 1 ! -name "$(node -p process.arch)" -exec rm -rf {} + \
    && find node_modules/cmake-ts -mindepth 1 -maxdepth 1 ! -name build ! -name package.json -exec rm -rf {} + \
    && find node_modules/cmake-ts/build -mindepth 1 -maxdepth 1 ! -name 'loader*' -exec rm -rf {} +; \
  fi

# Run: what the service needs and nothing else.
FROM ${BASE}
RUN apt-get update && apt-get install -y --no-install-recommends tini ca-certificates && rm -rf /var/lib/apt/lists/* \
  # Group 0, so that any user of that group (`--user 12345:0`, OpenShift) may write here as well.
  && install -d -o node -g 0 -m 0770 /data
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/package.json ./
# The guides, which the service shows at /docs.
COPY docs ./docs
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data PATH=/app/node_modules/.bin:$PATH
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "--max-semi-space-size=8", "dist/main.js"]
