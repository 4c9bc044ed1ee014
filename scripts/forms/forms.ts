/** The contracts in the forms that some tools need. The service serves them beside the contracts. */

import type { Document } from '../contract/document.ts';
import { combine } from './combine.ts';
import { toOpenApi30 } from './openapi-3.0.ts';
import { toPostman } from './postman.ts';

/** The files of `generated`, name to content. */
export async function writeForms(contracts: ReadonlyMap<string, Document>): Promise<[string, string][]> {
  const all = combine(contracts);
  const forms: [string, object][] = [...contracts].map(([surface, contract]) => [
    `${surface}-3.0`,
    toOpenApi30(contract),
  ]);
  forms.push(['gatehouse', all], ['postman', await toPostman(all)]);
  return forms.map(([name, content]) => [`forms/${name}.json`, `${JSON.stringify(content, null, 2)}\n`]);
}
