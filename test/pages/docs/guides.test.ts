import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { Failure } from '../../../src/domain/failure.ts';
import { docsFiles } from '../../../src/pages/docs/docs-files.ts';
import { guidePage } from '../../../src/pages/docs/guide-page.ts';
import { guides, readGuide } from '../../../src/pages/docs/guides.ts';
import { searchEntries, searchLibrary } from '../../../src/pages/docs/search-page.ts';
import { describeSurface } from '../../../src/pages/docs/surface-view.ts';
import { failures as apiV1Failures } from '../../../src/surfaces/api-v1/failures.ts';
import { failures as apiV3Failures } from '../../../src/surfaces/api-v3/failures.ts';
import { failures as authFailures } from '../../../src/surfaces/auth-2/failures.ts';
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
  ['Spring Boot', '/docs/quick-start-spring'],
  ['Next.js', '/docs/quick-start-nextjs'],
  ['ASP.NET', '/docs/quick-start-others'],
  ['compare with Keycloak', '/docs/comparison'],
  ['import users with password hashes', '/docs/import-people'],
  ['move to PostgreSQL', '/docs/move-to-postgresql'],
  ['what does the reference on the error page mean', '/docs/find-a-refusal'],
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

  test('HTML in a page stays text, and a link leads to the web or a page that is served', () => {
    const name = 'hostile';
    const text = [
      '# <script>alert(1)</script>',
      '<script>alert(1)</script>\n',
      'a <img src=x onerror=alert(1)> ![x](https://other.example.com/x.png) `<b>`\n',
      '| <i>a</i> |\n|---|\n| <svg onload=alert(1)> |\n',
      '[a](javascript:alert(1)) [b](data:text/html,x) [c](/etc/passwd) [d](https://example.com/"onclick=x) [e](users.md#new-passwords)',
    ].join('\n');
    const html = guidePage({ name, file: 'docs/start.md', summary: '' }, link, text);
    const [, body = ''] = /<main[^>]*>(.*)<\/main>/s.exec(html) ?? [];
    const tags = new Set([...body.matchAll(/<(\w+)/g)].map(([, tag]) => tag));
    assert.deepEqual([...tags].toSorted(), [
      'a',
      'code',
      'div',
      'h1',
      'p',
      'table',
      'tbody',
      'td',
      'th',
      'thead',
      'tr',
    ]);
    const links = [...body.matchAll(/<a ([^>]*)>/g)].map(([, attributes]) => attributes);
    assert.deepEqual(links, ['href="https://example.com/&quot;onclick=x"', 'href="/docs/users#new-passwords"']);
  });

  test('a picture of the guides is shown and served; of another image the words remain', () => {
    const files = docsFiles([]);
    const shown = (file: string, image: string) =>
      /<main[^>]*>(.*)<\/main>/s.exec(guidePage({ name: 'x', file, summary: '' }, link, `# x\n${image}`))?.[1] ?? '';
    const address = '/docs/pictures/console-explain.png';
    for (const [file, target] of [
      ['docs/console.md', 'pictures/console-explain.png'],
      ['README.md', 'docs/pictures/console-explain.png'],
    ] as const) {
      assert.match(
        shown(file, `![The "path"](${target})`),
        new RegExp(`<img src="${address}" alt="The &quot;path&quot;"`),
      );
    }
    const served = files.get(address)?.('https://acme.example.com');
    assert.equal(served?.type, 'image/png');
    assert.equal(served?.body.subarray(1, 4).toString(), 'PNG');
    for (const other of ['pictures/gone.png', 'https://example.com/x.png', '../package.json']) {
      assert.doesNotMatch(shown('docs/console.md', `![words](${other})`), /<img/);
    }
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
    return [...section.matchAll(/^\| `([\w ]+)` \|/gm)].map(([, word]) => word ?? '').toSorted();
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

  /** What surfaces answer with failures of every kind, as text. */
  const answersOf = (...tables: readonly { readonly kinds: object; readonly codes: object }[]) =>
    tables.flatMap(({ kinds, codes }) =>
      Object.values({ ...kinds, ...codes }).map((answer) => {
        const { body } = typeof answer === 'function' ? answer(new Failure('internal')) : answer;
        return typeof body === 'string' ? body : JSON.stringify(body);
      }),
    );
  const found = (texts: readonly string[], pattern: RegExp) =>
    [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, word]) => word)))].toSorted();

  test('lists every type and code of the surfaces that have those, and no other', () => {
    const types = found(answersOf(authFailures, apiV3Failures), /"type":"([^"]+)"/g);
    assert.deepEqual(listed('Types of'), types);
    assert.deepEqual(
      listed('Types of'),
      valuesOf('type', ['auth-2', 'api-v3', 'api-1']).filter((one) => one !== 'success'),
    );
    assert.deepEqual(listed('Codes of'), found(answersOf(apiV1Failures, apiV3Failures), /<code>(\w+)<\/code>/g));
  });

  test('lists every outcome of a run of a hook, and no other', () => {
    const schemas = contracts.get('api-2')?.contract.components?.schemas as Record<string, { enum?: string[] }>;
    assert.deepEqual(listed('Outcomes of hook runs'), schemas['HookOutcome']?.enum?.toSorted());
  });

  test('lists every failure code of the log, and no other', () => {
    const source = readFileSync(new URL('../../../src/domain/failure.ts', import.meta.url), 'utf8');
    const kinds = source.slice(source.indexOf('const kinds'), source.indexOf('as const satisfies'));
    const codes = [...kinds.matchAll(/^ {2}(\w+): '/gm)].map(([, code]) => code ?? '').toSorted();
    assert.ok(codes.length > 40, 'the list of codes was not found');
    assert.deepEqual(listed('Failure codes in the log'), codes);
  });
});
