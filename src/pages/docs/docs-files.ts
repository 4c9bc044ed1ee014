/** All files of the documentation: pages, their parts, the contracts and the workflows. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Document, visit } from 'yaml';
import type { DocsFile, DocsFiles } from '../../http/docs.ts';
import { once } from '../once.ts';
import { contractPage, contractPagePolicy } from './contract-page.ts';
import { guidePage, guidePagePolicy } from './guide-page.ts';
import { guides } from './guides.ts';
import { indexPage } from './index-page.ts';
import { listPictures, readPicture } from './pictures.ts';
import { redocScript } from './redoc-script.ts';
import { escapeHtml } from './render.ts';
import { searchLibrary, searchPage, searchPagePolicy } from './search-page.ts';
import { servedContract } from './served-contract.ts';
import { type DocumentedSurface, describeSurface } from './surface-view.ts';
import { baseUrlPlaceholder, describeWorkflowFile, listWorkflowFiles, readWorkflowFile } from './workflow-view.ts';

/** Returns the address by which a page links to the file at `path`; `digest` is that of the file's content. */
type AddressOf = (path: string, digest: () => string) => string;

/** The addresses under which the service serves the files: those with a digest are cached for ever. */
const servedAddress: AddressOf = (path, digest) =>
  /^\/docs\/.+\.(css|js|svg|png)$/.test(path) ? `${path}?v=${digest()}` : path;

const json = 'application/json; charset=utf-8';
const html = 'text/html; charset=utf-8';

/** The parts that all pages share, by path. Those of a file are joined in this order. */
const parts: Readonly<Record<string, { readonly type: string; readonly sources: readonly string[] }>> = {
  '/docs/docs.css': {
    type: 'text/css; charset=utf-8',
    sources: [
      '../assets/styles/base.css',
      'assets/frame.css',
      'assets/index.css',
      'assets/guide.css',
      'assets/contract.css',
    ],
  },
  '/docs/start-redoc.js': { type: 'text/javascript; charset=utf-8', sources: ['assets/start-redoc.js'] },
  '/docs/search.js': { type: 'text/javascript; charset=utf-8', sources: ['assets/search.js'] },
  '/docs/icon.svg': { type: 'image/svg+xml', sources: ['../assets/icon.svg'] },
};

/**
 * Every file by its path, made at its first request. The workflows are listed at once, so that no name from a request
 * reaches the file system.
 */
export function docsFiles(surfaces: readonly DocumentedSurface[], addressOf: AddressOf = servedAddress): DocsFiles {
  const files = new Map<string, (baseUrl: string) => DocsFile>();
  const add = (path: string, type: string, make: () => string | Buffer, policy?: string) => {
    files.set(
      path,
      once(() => fileOf(type, make(), policy)),
    );
  };
  const link = (path: string) => addressOf(path, () => files.get(path)?.(baseUrlPlaceholder).digest ?? '');

  const sorted = surfaces.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const workflows = listWorkflowFiles().map((name) => ({ name, read: once(() => readWorkflowFile(name)) }));
  for (const [path, { type, sources }] of Object.entries(parts))
    add(path, type, () => sources.map(readText).join('\n'));
  add('/docs/redoc.standalone.js', 'text/javascript; charset=utf-8', redocScript);
  add('/docs/minisearch.js', 'text/javascript; charset=utf-8', searchLibrary);
  for (const name of listPictures()) add(`/docs/pictures/${name}`, 'image/png', () => readPicture(name));
  for (const guide of guides) add(`/docs/${guide.name}`, html, () => guidePage(guide, link), guidePagePolicy);
  const views = once(() => sorted.map((surface) => describeSurface(surface, link)));
  add('/docs/search', html, () => searchPage(views(), link), searchPagePolicy);
  for (const surface of sorted) {
    const { name, contract } = surface;
    const page = (shown: object) => contractPage(describeSurface(surface, link), shown, link);
    files.set(
      `/docs/${name}`,
      servedContract(() => contract, html, page, contractPagePolicy),
    );
    files.set(
      `/openapi/${name}.json`,
      servedContract(() => contract, json, jsonOf),
    );
    files.set(
      `/openapi/${name}.yaml`,
      servedContract(() => contract, 'application/yaml; charset=utf-8', yamlOf),
    );
  }
  for (const form of [...sorted.map(({ name }) => `${name}-3.0`), 'gatehouse'])
    files.set(
      `/openapi/${form}.json`,
      servedContract(() => JSON.parse(readForm(form)), json, jsonOf),
    );
  add('/openapi/postman.json', json, () => readForm('postman'));
  for (const { name, read } of workflows)
    add(`/openapi/workflows/${name}.yaml`, 'application/yaml; charset=utf-8', () => read().text);
  const index = once(() => {
    const walks = workflows.map(({ read }) => describeWorkflowFile(read(), views()));
    return indexPage(views(), walks, link);
  });
  files.set('/docs', (baseUrl) => {
    const text = index().replaceAll(baseUrlPlaceholder, () => escapeHtml(baseUrl));
    return fileOf(html, text, guidePagePolicy);
  });
  return files;
}

function fileOf(type: string, content: string | Buffer, policy: string | undefined): DocsFile {
  const body = Buffer.isBuffer(content) ? content : Buffer.from(content);
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return { type, body, digest, ...(policy !== undefined && { policy }) };
}

function readText(source: string): string {
  return readFileSync(new URL(source, import.meta.url), 'utf8');
}

function jsonOf(contract: object): string {
  return `${JSON.stringify(contract, null, 2)}\n`;
}

/** What `npm run generate` made of the contracts, for tools that need another form. */
function readForm(name: string): string {
  return readText(`../../../generated/forms/${name}.json`);
}

/**
 * Without aliases, for readers that know JSON. Texts are quoted where a parser of YAML 1.1 would read something else (a
 * time, `yes`), and where they contain a tab, which many parsers refuse in a plain scalar.
 */
function yamlOf(contract: object): string {
  const document = new Document(contract, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar(_key, scalar) {
      if (typeof scalar.value === 'string' && scalar.value.includes('\t')) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 120 });
}
