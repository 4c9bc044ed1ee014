import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The one address of another host that the bundle would ask for: the small logo beside the line that names Redoc. */
const foreignLogo = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

/** Where the bundle, and the worker in it, name the files beside it that hold their licences. */
const licencePointer = /\/\*! For license information please see (\S+) \*\//g;

/**
 * The bundle of the npm package `redoc`, of which nothing else is used: package.json keeps out what that asks for
 * (`overrides`). It is made to ask no other host for anything (Redoc leaves a logo out that is empty), and begins with
 * the licences of what is in it.
 */
export function redocScript(): string {
  const bundle = readPart('bundles/redoc.standalone.js');
  const files = [...bundle.matchAll(licencePointer)].map(([, file]) => readPart(`bundles/${file}`));
  const code = bundle
    .replaceAll(licencePointer, '')
    .replaceAll(foreignLogo, 'data:,')
    .replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
  return [`/*!\n${readPart('LICENSE').trim()}\n*/\n`, ...files, code.trimStart()].join('\n');
}

function readPart(file: string): string {
  return readFileSync(fileURLToPath(import.meta.resolve(`redoc/${file}`)), 'utf8');
}
