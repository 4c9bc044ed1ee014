import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The one address of another host that the bundle would ask for: the small logo beside the line that names Redoc. */
const foreignLogo = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

/** The bundle of the npm package `redoc`, made to ask no other host for anything. Redoc leaves a logo out that is empty. */
export function redocScript(): string {
  const bundle = readFileSync(fileURLToPath(import.meta.resolve('redoc/bundles/redoc.standalone.js')), 'utf8');
  return bundle.replaceAll(foreignLogo, 'data:,').replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
}
