# docker build -t gatehouse .
# docker run --read-only --tmpfs /tmp -v gatehouse:/data -p 3000:3000 \
#   -e SERVICE_DOMAIN=id.example.com -e TRUST_PROXY=172.17.0.1 gatehouse

FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The packages that carry Node serve machines with an older one; this image has the same version itself.
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-* node_modules/.bin

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    PUBLIC_SCHEME=https \
    DATABASE_URL=sqlite:/data/gatehouse.db \
    MASTER_KEY_FILE=/data/master.key
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY LICENSE package.json ./
COPY openapi openapi
COPY generated generated
COPY src src
COPY bin bin
RUN install --directory --owner=node --group=node --mode=700 /data
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Other commands run as `docker run … gatehouse account create demo`.
ENTRYPOINT ["node", "--max-semi-space-size=24", "bin/gatehouse.js"]
CMD ["serve"]
