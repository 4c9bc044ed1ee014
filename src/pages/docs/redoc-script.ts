import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The one address of another host that the bundle would ask for: the small logo beside the line that names Redoc. */
const foreignLogo = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

/**
 * Where Redoc lists the scopes of all alternatives of an operation: without saying that one of them is enough. The
 * first group is the name of the list in the bundle.
 */
const scopesTitle = /(\w+)(\.length\?\w+\.createElement\("div",null,\w+\.createElement\("b",null,)"Required scopes: "/;

/** The bundle and the worker in it each name the file beside them that holds the licences of their packages. */
const licencePointer = /\/\*! For license information please see (\S+) \*\//g;

/**
 * The bundle of the npm package `redoc`. Nothing else of the package is used, so package.json keeps its dependencies
 * out (`overrides`). The bundle is changed so that it asks no other host for anything (Redoc leaves out an empty logo)
 * and words required scopes as alternatives, and it starts with the licences of the packages in it.
 */
export function redocScript(): string {
  const bundle = readPart('bundles/redoc.standalone.js');
  const files = [...bundle.matchAll(licencePointer)].map(([, file]) => readPart(`bundles/${file}`));
  const code = bundle
    .replaceAll(licencePointer, '')
    .replaceAll(foreignLogo, 'data:,')
    .replace(scopesTitle, '$1$2$1.length>1?"Required scope, one of: ":"Required scope: "')
    .replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
  return [`/*!\n${readPart('LICENSE').trim()}\n*/\n`, ...files, code.trimStart()].join('\n');
}

function readPart(file: string): string {
  return readFileSync(fileURLToPath(import.meta.resolve(`redoc/${file}`)), 'utf8');
}
