import type { Config } from './config.ts';
import { isLoopback } from './config-values.ts';

/** Why the service would be reached without TLS although nobody said so; null where that is not so. */
export function findExposure({ host, addresses, trustProxy, insecureHttp }: Config): string | null {
  const behindTls = addresses.publicScheme === 'https' && trustProxy.length > 0;
  if (isLoopback(host) || behindTls || insecureHttp) return null;
  return (
    `HOST ${host} is not a loopback address: set PUBLIC_SCHEME=https and TRUST_PROXY to the proxy where TLS ends, ` +
    'or INSECURE_HTTP=1 to serve plain http'
  );
}
