# Built as in a clone; the second stage holds what runs, and nothing that npm kept for later.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN node scripts/setup.mjs

FROM node:24-bookworm-slim
ENV HOST=0.0.0.0 DATA_DIR=/data NODE_COMPILE_CACHE=/tmp/node-compile-cache PATH=/app/node_modules/.bin:$PATH
WORKDIR /app
COPY --from=build /app .
# PostgreSQL refuses to run as root, and Bellhop has no need to.
RUN install -d -o node -g node -m 0700 /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The heap stays small: docs/decisions/0049.
ENTRYPOINT ["node", "--max-semi-space-size=8", "--heap-growing-percent=40", "src/main.ts"]
CMD ["start"]
