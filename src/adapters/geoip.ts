import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import type { CountryResponse, Reader, Response } from 'maxmind';
import { minute } from '../domain/durations.ts';
import type { GeoIp, Log } from '../services.ts';
import { fileFaults } from './file-faults.ts';

const countryFile = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb';
const retryMilliseconds = minute;

/** The two formats for a country: that of the default file, and MaxMind's own. */
type Entry = Response & Partial<CountryResponse> & { readonly country_code?: unknown };

function codeOf(entry: Entry | null): string | null {
  const code = entry?.country_code ?? entry?.country?.iso_code;
  return typeof code === 'string' && /^[A-Z]{2}$/.test(code) ? code : null;
}

interface Opened {
  readonly reader: Reader<Entry> | null;
  readonly reason: string | null;
}

/** The library is loaded with the first file: most processes never look an address up. */
async function openFile(file: string): Promise<Reader<Entry>> {
  const { open } = await import('maxmind');
  return open<Entry>(file);
}

/**
 * Countries of addresses, from a file in MaxMind's format; default: the one of an installed package. It is read at its
 * first use. An unreadable file gives no countries; it is tried again after a minute.
 */
export function createGeoIp(given: string | null, log: Log): GeoIp {
  const file = given ?? createRequire(import.meta.url).resolve(countryFile);
  let opened: Promise<Opened> | null = null;

  function load(): Promise<Opened> {
    opened ??= openFile(file).then(
      (reader) => ({ reader, reason: null }),
      (error: NodeJS.ErrnoException) => {
        const reason = fileFaults[error.code ?? ''] ?? error.message;
        log.warn('no location', { reason });
        setTimeout(() => {
          opened = null;
        }, retryMilliseconds).unref();
        return { reader: null, reason };
      },
    );
    return opened;
  }

  return {
    async countryOf(address) {
      // A socket for both families shows an IPv4 address in this form.
      const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
      if (isIP(plain) === 0) return null;
      return codeOf((await load()).reader?.get(plain) ?? null);
    },
    examine: async () => ({ file, reason: (await load()).reason }),
  };
}
