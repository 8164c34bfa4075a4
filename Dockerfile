# One image for every role: the command chooses (see docker-compose.yml).
FROM node:20.20.2-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY scripts scripts
COPY src src
COPY simulators simulators
COPY local-stack local-stack
COPY tsconfig.json tsconfig.build.json ./
RUN npm run build && npm prune --omit=dev \
  # The Temporal SDK ships every platform's library; keep this one's.
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m | sed s/arm64/aarch64/)-unknown-linux-gnu" -exec rm -r {} +

FROM node:20.20.2-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
RUN mkdir /data && chown node:node /data
USER node
CMD ["node", "dist/src/api/server.js"]
