import { createGeoIp } from '../adapters/geoip.ts';
import type { Config } from '../config.ts';
import { type Finding, failed, ok } from './finding.ts';

const layer = 'countries of addresses';
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Whether the file by which hooks learn countries can be opened. A service does not start without one that is named. */
export async function examineGeoIp({ geoipDatabase }: Pick<Config, 'geoipDatabase'>): Promise<Finding> {
  const { file, reason } = await createGeoIp(geoipDatabase, silent).examine();
  if (reason === null) return ok(layer, geoipDatabase ?? 'the included file');
  if (geoipDatabase === null) return failed(layer, `${file} cannot be opened: ${reason}`, 'npm ci');
  return failed(layer, `GEOIP_DATABASE names ${file}, which cannot be opened: ${reason}`, 'correct GEOIP_DATABASE');
}
