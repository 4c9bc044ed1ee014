import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Failure } from '../../../src/domain/failure.ts';
import { createRole } from '../../../src/domain/roles/write-role.ts';
import { importText } from '../../../src/domain/users/people/import-text.ts';
import { unique } from '../../store/samples.ts';
import type { TestApp } from '../../support/app.ts';
import { atConsole, makeAdministrator, sendWithProof } from '../../support/console.ts';
import { assertRefused, type Management, managing, newUser } from './managing.ts';

const bcrypt = '$2b$04$abcdefghijklmnopqrstuuDS1IE7ysHTzMrdHBLnZMKLlELxTbUC6';

const address = () => `${unique('filed')}@example.com`;

const csv = (...lines: string[]) => ({ format: 'csv', content: lines.join('\n') });

const byEmail = async (api: Management, email: string) =>
  (await api.done(200, 'GET', `/users?email=${encodeURIComponent(email)}`))[0];

interface Outcome {
  readonly line: number;
  readonly result: string;
  readonly user_id: number | null;
  readonly error: string | null;
  readonly message: string | null;
}

/** Import and export of users, as the commands of the same names do them. */
export function userFiles(app: () => TestApp): void {
  it('imports the lines of a CSV text, and tells of each what became of it', async () => {
    const api = await managing(app());
    const role = await createRole(app().services, app().account, { name: unique('Sta, ff') });
    const taken = await newUser(api, { username: unique('taken') });
    const [ada, bo] = [address(), address()];
    const before = (await api.done(200, 'GET', '/events?action=user.created&limit=1000')).length;
    const result = await api.done(200, 'POST', '/users/import', {
      ...csv(
        'email,username,firstname,roles,password_algorithm,password_hash,status',
        `${ada},,Ada,"""${role.name}""",bcrypt,${bcrypt},`,
        `${bo},,'=Bo,,,,suspended`,
        `${address()},${taken.username},,,,,`,
        `${address()},,,nobody,,,`,
        `${address()},,,,,secret,`,
        `${taken.email},,Other,,,,`,
        'x',
      ),
    });
    const { outcomes, ...counts } = result as { outcomes: Outcome[] };
    assert.deepEqual(counts, { dry_run: false, created: 2, updated: 0, skipped: 1, failed: 4 });
    assert.deepEqual(
      outcomes.map(({ line, result: one, error }) => [line, one, error]),
      [
        [2, 'created', null],
        [3, 'created', null],
        [4, 'failed', 'conflict'],
        [5, 'failed', 'not_found'],
        [6, 'failed', 'value_invalid'],
        [7, 'skipped', null],
        [8, 'failed', 'value_invalid'],
      ],
    );
    assert.deepEqual(
      outcomes.map(({ message }) => message).filter((message) => message !== null),
      [
        'username has already been taken',
        'there is no role nobody',
        'password_hash needs a password_algorithm: passwords are imported as hashes',
        'the line must have 7 cells, as the first line has',
      ],
    );
    const [one, two] = [await byEmail(api, ada), await byEmail(api, bo)];
    assert.deepEqual(
      [one.id, two.id, taken.id],
      [outcomes[0], outcomes[1], outcomes[5]].map((line) => line?.user_id),
    );
    assert.deepEqual([one.role_ids, one.status, two.firstname, two.status], [[role.id], 1, '=Bo', 2]);
    assert.equal((await byEmail(api, taken.email)).firstname, null);
    assert.equal((await api.done(200, 'GET', '/events?action=user.created&limit=1000')).length, before + 2);
  });

  it('imports JSON lines; existing users are skipped, changed, or failures', async () => {
    const api = await managing(app());
    const user = await newUser(api, { firstname: 'Grace', title: 'Dr' });
    const line = JSON.stringify({ email: user.email, firstname: 'Hopper', title: null });
    const imported = async (given: object) =>
      api.done(200, 'POST', '/users/import', { format: 'ndjson', content: `\n${line}\n`, ...given });
    assert.deepEqual((await imported({})).outcomes, [
      { line: 2, result: 'skipped', user_id: user.id, error: null, message: null },
    ]);
    assert.deepEqual((await imported({ existing: 'fail' })).outcomes, [
      { line: 2, result: 'failed', user_id: null, error: 'conflict', message: 'there is a user with this email' },
    ]);
    assert.equal((await imported({ existing: 'update', dry_run: true })).updated, 1);
    assert.equal((await byEmail(api, user.email)).firstname, 'Grace');
    assert.equal((await imported({ existing: 'update' })).updated, 1);
    const { firstname, title } = await byEmail(api, user.email);
    assert.deepEqual([firstname, title], ['Hopper', null]);
  });

  it('a dry run tells what an import would do, and keeps nothing', async () => {
    const api = await managing(app());
    const given = csv('email,roles', `${address()},`, `${address()},nobody`);
    const events = async () => (await api.done(200, 'GET', '/events?action=user.created&limit=1000')).length;
    const before = await events();
    const tried = await api.done(200, 'POST', '/users/import', { ...given, dry_run: true });
    assert.deepEqual([tried.dry_run, tried.created, tried.failed, tried.outcomes[0].user_id], [true, 1, 1, null]);
    assert.equal(await events(), before);
    const done = await api.done(200, 'POST', '/users/import', given);
    assert.deepEqual([done.created, done.failed], [1, 1]);
  });

  it('a refusal of the text names the member that the call has', async () => {
    const { services, account } = app();
    const given = { ...csv('email', address(), '"no end'), existing: 'skip', dryRun: false, authority: 'all' } as const;
    await assert.rejects(importText(services, account, { ...given, format: 'csv' }), (error: Failure) => {
      assert.deepEqual([error.code, error.detail.name], ['value_invalid', 'content']);
      return true;
    });
  });

  it('refuses as a whole what cannot be read whole, and stores nothing of it', async () => {
    const api = await managing(app());
    const email = address();
    const many = Array.from({ length: 501 }, (_, place) => `${place}${email}`);
    for (const [given, message] of [
      [csv('email', email, '"no end'), /^line 3: /],
      [csv('email,email', `${email},${email}`), /^the column email occurs twice/],
      [
        csv('email,frstname', `${email},`),
        /^the first line has columns that are unknown: frstname; columns are email,/,
      ],
      [
        { ...csv('email,custom_attributes.none', `${email},`), dry_run: true },
        /^the first line has columns that are unknown: custom_attributes\.none; .*attribute that the account defines$/,
      ],
      [csv('a,b,c,d,e,f,g', email), /: a, b, c, d, e and 2 more; columns are/],
      [csv('email,firstname,', `${email},,`), /^the first line must name each column; it has no name for column 3$/],
      [csv('email;firstname', `${email};`), /^the first line must have commas between the columns$/],
      [{ format: 'csv', content: `email\r${email}\r` }, /^the first line does not end in a line feed/],
      [csv('email', ...many), /^content has more than 500 users$/],
      [{ format: 'ndjson', content: '{}\n'.repeat(501) }, /^content has more than 500 users$/],
      [{ format: 'xml', content: email }, /^format /],
      [{ format: 'csv' }, /content/],
      [{ format: 'csv', content: '' }, /^content /],
      [{ ...csv('email', email), existing: 'replace' }, /^existing /],
      [{ format: 'csv', content: 'x'.repeat(60_001) }, /^content /],
    ] as const) {
      assertRefused(await api.call('POST', '/users/import', given), 422, message, JSON.stringify(given).slice(0, 80));
    }
    assertRefused(await api.call('POST', '/users/import', csv('x'.repeat(70_000))), 413);
    assert.equal(await byEmail(api, email), undefined);
    assert.equal(await byEmail(api, `0${email}`), undefined);
  });

  it('takes the booleans of spreadsheets', async () => {
    const api = await managing(app());
    const [ada, bo] = [address(), address()];
    await api.done(200, 'POST', '/users/import', csv('email,email_verified', `${ada},TRUE`, `${bo},False`));
    assert.deepEqual(
      [(await byEmail(api, ada)).email_verified, (await byEmail(api, bo)).email_verified],
      [true, false],
    );
    const content = JSON.stringify({ email: address(), email_verified: 'TRUE' });
    const { outcomes } = await api.done(200, 'POST', '/users/import', { format: 'ndjson', content });
    assert.equal(outcomes[0].message, 'email_verified must be true or false');
  });

  it('takes 500 users at a time, or none', async () => {
    const own = await app().another();
    const api = await managing(own);
    const names = Array.from({ length: 500 }, (_, place) => `${place}@example.com`);
    const { created, outcomes } = await api.done(200, 'POST', '/users/import', csv('email', ...names));
    assert.deepEqual([created, outcomes.length, outcomes[499].line], [500, 500, 501]);
    const { headers } = await api.call('GET', '/users?limit=1');
    assert.equal(headers['total-count'], '500');
    assert.deepEqual((await api.done(200, 'POST', '/users/import', csv('email'))).outcomes, []);
  });

  it('exports all users as a file that an import takes, in both formats', async () => {
    const own = await app().another();
    const api = await managing(own);
    const role = await createRole(own.services, own.account, { name: 'north, south' });
    await api.done(201, 'POST', '/users/custom_attributes', { user_field: { name: 'Badge', shortname: 'badge' } });
    const given = { firstname: '=1+1', role_ids: [role.id], custom_attributes: { badge: '7' }, status: 2 };
    const ada = await newUser(api, { ...given, email: 'ada@example.com', username: 'ada', comment: 'a "b", c' });
    const bo = await newUser(api, { email: 'bo@example.com' });
    const texts = 'firstname,lastname,title,department,company,phone,comment,external_id,preferred_locale_code';
    const file = await api.call('GET', '/users/export');
    assert.equal(file.headers['content-type'], 'text/csv; charset=utf-8');
    assert.equal(file.headers['total-count'], '2');
    assert.deepEqual(file.text.split('\n')[0]?.startsWith('email,username,firstname,lastname'), true);
    for (const name of texts.split(',')) assert.match(file.text.split('\n')[0] ?? '', new RegExp(`\\b${name}\\b`));
    assert.match(file.text, /^ada@example\.com,ada,'=1\+1,/m);
    assert.match(file.text, /^bo@example\.com,/m);
    const lines = await api.call('GET', '/users/export?format=ndjson');
    assert.equal(lines.headers['content-type'], 'application/x-ndjson');
    const [first, second] = lines.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      [first.email, first.firstname, first.roles, first.status, first.custom_attributes, second.email],
      ['ada@example.com', '=1+1', ['north, south'], 'suspended', { badge: '7' }, 'bo@example.com'],
    );
    for (const { id } of [ada, bo]) assert.equal((await api.call('DELETE', `/users/${id}`)).status, 204);
    assert.deepEqual(
      (await api.done(200, 'GET', '/events?action=user.listed')).map(({ detail }: { detail: unknown }) => detail),
      [{ count: 2 }, { count: 2 }],
    );
    for (const [format, content] of [
      ['csv', file.text],
      ['ndjson', lines.text],
    ] as const) {
      const back = await api.done(200, 'POST', '/users/import', { format, content });
      assert.deepEqual([back.created, back.failed], [2, 0], JSON.stringify(back));
      const {
        id,
        firstname,
        comment,
        role_ids: roles,
        status,
        custom_attributes: values,
      } = await byEmail(api, 'ada@example.com');
      assert.deepEqual([firstname, comment, roles, status, values], ['=1+1', 'a "b", c', [role.id], 2, { badge: '7' }]);
      await api.call('DELETE', `/users/${id}`);
      await api.call('DELETE', `/users/${(await byEmail(api, 'bo@example.com')).id}`);
    }
  });

  it('exports many users in parts, and an empty account as a heading alone', async () => {
    const own = await app().another();
    const api = await managing(own, 'read_all');
    const empty = await api.call('GET', '/users/export');
    assert.match(empty.text, /^email,username,[^\n]+\n$/);
    assert.equal(empty.headers['total-count'], '0');
    assert.equal((await api.call('GET', '/users/export?format=ndjson')).text, '');
    const made = Array.from({ length: 450 }, (_, place) => `u${place}`);
    await (await managing(own)).done(200, 'POST', '/users/import', csv('username', ...made));
    const { text, headers } = await api.call('GET', '/users/export');
    assert.deepEqual([headers['total-count'], headers['content-length']], ['450', undefined]);
    const names = text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',')[1]);
    assert.deepEqual(names, made);
  });

  it('a line that would lock the last administrator out fails, and the trail names who imported', async () => {
    const own = await app().another();
    const administrator = await makeAdministrator(own);
    const at = await atConsole(own, administrator);
    const json = csv('email,status', `${administrator.email},suspended`, 'ada@example.com,');
    const { status, body } = await sendWithProof(
      own,
      at,
      'POST',
      '/api/2/users/import',
      {},
      {
        json: { ...json, existing: 'update' },
      },
    );
    assert.equal(status, 200);
    assert.deepEqual(
      body.outcomes.map(({ result, error }: Outcome) => [result, error]),
      [
        ['failed', 'last_administrator'],
        ['created', null],
      ],
    );
    const api = await managing(own);
    assert.equal((await byEmail(api, String(administrator.email))).status, 1);
    const [event] = await api.done(200, 'GET', '/events?action=user.created&limit=1');
    assert.deepEqual([event.actor.type, event.actor.id], ['user', administrator.id]);
  });

  it('is for those who may do all, an export also for those who may read all', async () => {
    for (const scope of ['read_users', 'manage_users', 'read_all'] as const) {
      const api = await managing(app(), scope);
      assertRefused(await api.call('POST', '/users/import', csv('email', address())), 403, /manage_all/);
      if (scope !== 'read_all') assertRefused(await api.call('GET', '/users/export'), 403, /read_all/);
    }
    const api = await managing(app(), 'read_all');
    assertRefused(await api.call('GET', '/users/export?format=xml'), 400, /format/);
    // It would read everything and send nothing.
    assertRefused(await api.call('POST', '/users/export'), 405);
    assert.equal((await api.call('HEAD', '/users/export')).status, 405);
  });
}
