/** The official clients, unmodified and without a setting, go the whole way to the example's MCP server. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { type DocumentHost, openDocumentHost } from '../support/document-host.ts';
import { isSampled, sampledDatabases } from '../support/sample.ts';
import { type ExampleSite, openExample } from './example-site.ts';
import { Keeper, type McpClient, mcpClients, type Session } from './mcp-clients.ts';
import { connect } from './walk.ts';

for (const kind of sampledDatabases) {
  describe(`the example's MCP server on ${kind}`, () => {
    let documents: DocumentHost;
    let site: ExampleSite;
    before(async () => {
      documents = await openDocumentHost();
      site = await openExample(kind, documents);
    });
    after(async () => {
      documents.close();
      await site.close();
    });
    for (const [index, client] of mcpClients.entries()) {
      if (isSampled(index, 2))
        it(`${client.title}, which registers`, async () => {
          const keeper = new Keeper();
          await walk(site, client, keeper);
          assert.match(clientIdOf(keeper), /^[\da-f]+$/);
        });
      if (isSampled(index, 2, 1))
        it(`${client.title}, which is known by its metadata document`, async () => {
          const address = documents.addressOf(`client-${index}`);
          const keeper = new Keeper(address);
          await walk(site, client, keeper);
          assert.equal(clientIdOf(keeper), address);
          assert.ok(documents.asked.includes(address));
        });
    }
  });
}

/** As the service was told of it. */
const clientIdOf = ({ sentTo }: Keeper) => sentTo?.searchParams.get('client_id') ?? '';

const scopeOf = ({ kept }: Keeper) => kept.tokens?.scope?.split(' ').toSorted();

/** As if it had expired: the server refuses it. */
function spoil({ kept }: Keeper): void {
  if (kept.tokens) kept.tokens = { ...kept.tokens, access_token: 'expired' };
}

async function walk(site: ExampleSite, client: McpClient, keeper: Keeper): Promise<void> {
  const session = await connect(site, client, keeper);
  assert.equal(keeper.sentTo?.searchParams.get('resource'), site.resource);
  assert.deepEqual(scopeOf(keeper), ['notes:read']);
  assert.deepEqual(decodeJwt(keeper.kept.tokens?.access_token ?? '').aud, site.resource);
  assert.deepEqual(await session.tools(), ['list_notes', 'add_note']);
  const kept = await session.call('list_notes');

  const { refresh_token: former } = keeper.kept.tokens ?? {};
  keeper.sentTo = null;
  spoil(keeper);
  assert.equal(await session.call('list_notes'), kept);
  assert.equal(keeper.sentTo, null, 'a refresh needs no user');
  assert.notEqual(keeper.kept.tokens?.refresh_token, former);

  await stepUp(site, client, keeper, session);
  const changed = await session.call('list_notes');
  assert.deepEqual(JSON.parse(changed), [...JSON.parse(kept), 'by a tool']);

  await revoke(site, keeper);
  spoil(keeper);
  await assert.rejects(session.call('list_notes'), client.isSentAway);
  await session.close();
  const again = await connect(site, client, keeper);
  assert.equal(await again.call('list_notes'), changed);
  await again.close();
}

const addNote = (session: Session) => session.call('add_note', { note: 'by a tool' });

/** A tool needs more than the token has: the client asks its user for that, keeps what it had, and calls again. */
async function stepUp(site: ExampleSite, client: McpClient, keeper: Keeper, session: Session): Promise<void> {
  if (!client.stepsUpWithRefreshToken) {
    // It refreshes instead, which cannot give more, and gives up until another call succeeds.
    await assert.rejects(addNote(session), /403 after trying upscoping/);
    const { refresh_token: _, ...others } = keeper.kept.tokens ?? assert.fail();
    keeper.kept.tokens = others;
    await session.call('list_notes');
  }
  await assert.rejects(addNote(session), client.isSentAway);
  const asked = keeper.sentTo?.searchParams.get('scope')?.split(' ') ?? [];
  for (const scope of ['notes:read', 'notes:write']) assert.ok(asked.includes(scope), scope);
  await session.finish(await site.decide(keeper.sentTo ?? assert.fail()));
  assert.deepEqual(scopeOf(keeper), ['notes:read', 'notes:write']);
  assert.equal(await addNote(session), 'added');
}

/** As the user does on the account page, or the client itself: the grant is gone. */
async function revoke({ wire }: ExampleSite, { kept }: Keeper): Promise<void> {
  const { client_id } = kept.client as { client_id: string };
  const form = { client_id, token: kept.tokens?.refresh_token ?? assert.fail() };
  assert.equal((await wire.send('POST', '/oauth2/revoke', { form })).status, 200);
}
