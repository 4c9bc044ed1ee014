/** Contracts for tools that read OpenAPI 3.0 only. */

import { Converter } from '@apiture/openapi-down-convert';
import { type Document, isObject } from '../contract/document.ts';

/**
 * The same operations in OpenAPI 3.0.3. What a reference has beside it is kept, by an `allOf` with the reference; the
 * license gets an address, since 3.0 has no identifiers of licenses.
 */
export function toOpenApi30(contract: Document): object {
  const { info, ...others } = new Converter(contract, { allOfTransform: true }).convert() as Document;
  const { license } = contract['info'] as { license?: { name: string; identifier?: string } };
  const url = license?.identifier === undefined ? undefined : `https://spdx.org/licenses/${license.identifier}.html`;
  const described = isObject(info) && license && url ? { ...info, license: { name: license.name, url } } : info;
  const { openapi, ...rest } = others;
  return { openapi, info: described, ...rest };
}
