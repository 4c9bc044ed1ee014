# The image of Node is named by its digest, so that what is built is what was looked at; this finds the digest of the newest
# one (take the line `Digest:`), and the build refuses one that is not known to be sound (src/runtime/floor.ts):
#
# docker buildx imagetools inspect node:24-bookworm-slim
# docker build --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:… -t gatehouse .
# docker run --read-only --tmpfs /tmp -v gatehouse:/data -p 3000:3000 \
#   -e SERVICE_DOMAIN=id.example.com -e TRUST_PROXY=172.17.0.1 gatehouse

ARG NODE_IMAGE

FROM ${NODE_IMAGE} AS dependencies
ARG NODE_IMAGE
RUN case "$NODE_IMAGE" in *@sha256:????????????????????????????????????????????????????????????????) ;; \
    *) echo "NODE_IMAGE must name an image of Node by its digest (…@sha256:…), not: $NODE_IMAGE" >&2; exit 1;; esac
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY src/runtime/floor.ts src/runtime/slim.ts src/runtime/
RUN node --eval "const { state, version, reason } = require('./src/runtime/floor.ts').judgeNode(process.version); \
    if (state !== 'ok') { console.error('Node ' + version + ': ' + reason); process.exit(1); }"
# The packages that carry Node serve machines without one; this image has it.
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-* node_modules/.bin && \
    node --eval "require('./src/runtime/slim.ts').slim('node_modules')"

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    PUBLIC_SCHEME=https \
    DATABASE_URL=sqlite:/data/gatehouse.db \
    MASTER_KEY_FILE=/data/master.key
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY LICENSE package.json README.md SECURITY.md CHANGELOG.md ./
COPY docs docs
COPY openapi openapi
COPY generated generated
COPY src src
COPY bin bin
# The image is read-only afterwards.
RUN node bin/gatehouse.js prepare
RUN install --directory --owner=node --group=node --mode=700 /data
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Other commands run as `docker run … gatehouse account create demo`.
ENTRYPOINT ["node", "--max-semi-space-size=16", "bin/gatehouse.js"]
CMD ["serve"]
