/** The packages that traces need and a usual installation does not have, with the versions that were tested. */
export const tracingPackages = {
  '@opentelemetry/core': '3.1.0',
  '@opentelemetry/exporter-trace-otlp-http': '0.301.0',
  '@opentelemetry/resources': '3.1.0',
  '@opentelemetry/sdk-trace': '3.1.0',
} as const;

export const installTracing = `npm install --no-save --omit=dev ${Object.entries(tracingPackages)
  .map(([name, version]) => `${name}@${version}`)
  .join(' ')}`;
