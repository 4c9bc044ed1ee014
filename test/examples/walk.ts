import assert from 'node:assert/strict';
import type { ExampleSite } from './example-site.ts';
import type { Keeper, McpClient, Session } from './mcp-clients.ts';

/** Connects; where the client sends its user away, the user signs in and allows. */
export async function connect(
  site: Pick<ExampleSite, 'resource' | 'decide'>,
  client: McpClient,
  keeper: Keeper,
): Promise<Session> {
  for (let tries = 0; tries < 3; tries += 1) {
    const { session, connect } = client.open(site.resource, keeper);
    try {
      await connect();
      return session;
    } catch (error) {
      if (!client.isSentAway(error)) throw error;
      assert.ok(keeper.sentTo);
      await session.finish(await site.decide(keeper.sentTo));
    }
  }
  assert.fail('the client sends its user away again and again');
}
