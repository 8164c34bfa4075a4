# One image for every role: the command chooses (see docker-compose.yml).
ARG NODE_IMAGE=node:24.11.1-bookworm-slim@sha256:48abc13a19400ca3985071e287bd405a1d99306770eb81d61202fb6b65cf0b57
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Nothing in the tree needs its install script.
RUN npm ci --ignore-scripts
COPY scripts scripts
COPY src src
COPY simulators simulators
COPY local-stack local-stack
COPY docs docs
COPY sdk/typescript/README.md sdk/typescript/README.md
COPY sdk/python/README.md sdk/python/README.md
COPY tsconfig.json tsconfig.build.json ./
RUN npm run build && npm run docs:build && npm prune --omit=dev \
  # The Temporal SDK ships every platform's library; keep this one's.
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m | sed s/arm64/aarch64/)-unknown-linux-gnu" -exec rm -r {} +

FROM ${NODE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/dist-site dist-site
COPY package.json ./
# Volumes begin as what they cover: the process writes there as its own user.
RUN for name in data secrets/postgres secrets/temporal secrets/owner secrets/api secrets/worker secrets/vault secrets/network \
    secrets/live-vault secrets/live-network; \
    do mkdir -p /$name && chown node:node /$name; done
USER node
# Of API and worker the private port, of the card frame its own; other processes have none.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=6 CMD ["node", "-e", "const { WORKER_PORT, PRIVATE_PORT, CARD_FRAME_PORT } = process.env; const port = WORKER_PORT ?? PRIVATE_PORT; const at = port ? port + '/readyz' : CARD_FRAME_PORT && CARD_FRAME_PORT + '/healthz'; if (at) fetch('http://127.0.0.1:' + at).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/src/api/server.js"]
