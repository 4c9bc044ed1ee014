import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { guides, readGuide } from '../../../src/pages/docs/guides.ts';
import { searchEntries, searchLibrary } from '../../../src/pages/docs/search-page.ts';
import { describeSurface } from '../../../src/pages/docs/surface-view.ts';
import { readBlocks } from '../../guides/blocks.ts';
import { contracts } from '../../support/conforms.ts';

const link = (path: string) => path;
const surfaces = [...contracts].map(([name, { contract }]) => describeSurface({ name, contract }, link));

interface Found {
  readonly pageHref: string;
}

/** The search as the browser runs it. */
function openSearch(): (question: string) => readonly Found[] {
  const context = createContext({ entries: JSON.stringify(searchEntries(surfaces, link)) });
  const script = new URL('../../../src/pages/docs/assets/search.js', import.meta.url);
  runInContext(`${searchLibrary()};\n${readFileSync(script, 'utf8')}`, context);
  runInContext('index = documentationSearch.create(); index.addAll(JSON.parse(entries))', context);
  return (question) => {
    context['question'] = question;
    return JSON.parse(runInContext('JSON.stringify(documentationSearch.search(index, question))', context));
  };
}

/** Questions of people who do not know the names of the pages, and the page that answers each. */
const questions: readonly (readonly [string, string])[] = [
  ['how do I start', '/docs/start'],
  ['install and sign in the first time', '/docs/start'],
  ['register a client', '/docs/register-a-client'],
  ['mobile app without a secret', '/docs/register-a-client'],
  ['give a user access to an app', '/docs/give-access'],
  ['assign app to role', '/docs/give-access'],
  ['user cannot sign in', '/docs/find-a-refusal'],
  ['why was the sign-in refused', '/docs/find-a-refusal'],
  ['refresh token', '/docs/refresh-tokens'],
  ['lost answer of a refresh', '/docs/refresh-tokens'],
  ['check JWT access token in my API', '/docs/protect-an-api'],
  ['protect an API with scopes', '/docs/protect-an-api'],
  ['write a hook', '/docs/write-a-hook'],
  ['block countries', '/docs/write-a-hook'],
  ['SMTP mail server', '/docs/mail-and-passwords'],
  ['reset a forgotten password', '/docs/mail-and-passwords'],
  ['nginx', '/docs/go-to-production'],
  ['systemd unit', '/docs/go-to-production'],
  ['go to production behind a TLS proxy', '/docs/go-to-production'],
  ['backup', '/docs/backup-and-restore'],
  ['restore the database', '/docs/backup-and-restore'],
  ['upgrade to a new release', '/docs/upgrading'],
  ['roll back', '/docs/upgrading'],
  ['invalid_grant', '/docs/errors'],
  ['error codes', '/docs/errors'],
  ['Express', '/docs/quick-start-express'],
  ['Python FastAPI', '/docs/quick-start-fastapi'],
  ['Spring Boot', '/docs/quick-start-others'],
  ['compare with Keycloak', '/docs/comparison'],
  ['report a vulnerability', '/docs/reporting'],
  ['rotate signing keys', '/docs/operations'],
  ['TRUST_PROXY setting', '/docs/readme'],
];

describe('the guides', () => {
  const search = openSearch();
  for (const [question, page] of questions) {
    test(`the search answers "${question}" among its first three pages`, () => {
      const first = search(question)
        .slice(0, 3)
        .map(({ pageHref }) => pageHref);
      assert.ok(first.includes(page), first.join(' '));
    });
  }

  test('the search finds an operation by what it does, and nothing for what is not there', () => {
    const found = search('Assign an app to users').map(({ pageHref }) => pageHref);
    assert.ok(
      found.slice(0, 3).some((href) => /^\/docs\/api-2#.*operation\/addAppUsers$/.test(href)),
      found.join(' '),
    );
    assert.deepEqual(search('zzzzqqqq'), []);
  });

  test('words behind a fence are known ones', () => {
    for (const guide of guides) assert.doesNotThrow(() => readBlocks(readGuide(guide)), guide.file);
    assert.throws(() => readBlocks('text\n```sh brower\ntrue\n```\n'), /line 2: unknown words behind the fence/);
  });
});

describe('the page of errors', () => {
  const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  /** The words in the first column of the table below a heading. */
  const listed = (heading: string) => {
    const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
    return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, word]) => word ?? '').toSorted();
  };
  /** All values of a member in contracts. */
  const valuesOf = (member: string, names: readonly string[]) => {
    const found = new Set<string>();
    const walk = (value: unknown, name: string) => {
      if (typeof value !== 'object' || value === null) return;
      const { enum: values, const: only } = value as { enum?: unknown; const?: unknown };
      if (name === member) for (const one of [values, only].flat()) if (typeof one === 'string') found.add(one);
      for (const [key, inner] of Object.entries(value)) walk(inner, key);
    };
    for (const name of names) walk(contracts.get(name)?.contract, '');
    return [...found].toSorted();
  };

  test('lists every error code of OAuth in the contracts, and no other', () => {
    assert.deepEqual(listed('Error codes of OAuth'), valuesOf('error', ['oauth2', 'oidc-2']));
  });

  test('lists every name of the management API, and no other', () => {
    assert.deepEqual(listed('Names of the management API'), valuesOf('name', ['api-1', 'api-2']));
  });

  test('lists every failure code of the log, and no other', () => {
    const source = readFileSync(new URL('../../../src/domain/failure.ts', import.meta.url), 'utf8');
    const kinds = source.slice(source.indexOf('const kinds'), source.indexOf('as const satisfies'));
    const codes = [...kinds.matchAll(/^ {2}(\w+): '/gm)].map(([, code]) => code ?? '').toSorted();
    assert.ok(codes.length > 40, 'the list of codes was not found');
    assert.deepEqual(listed('Failure codes in the log'), codes);
  });
});
