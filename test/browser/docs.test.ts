import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { violationsOf } from '../support/axe.ts';
import { isWhole, sampled } from '../support/sample.ts';
import { openStage, type Stage, visit } from './stage.ts';

describe('the documentation of the running service', () => {
  let stage: Stage;

  before(async () => {
    stage = await openStage();
  });
  after(() => stage.dispose());

  for (const colorScheme of sampled(['light', 'dark'] as const, 2)) {
    it(`the index needs three files from this host, and is drawn (${colorScheme})`, () =>
      visit(stage, { colorScheme }, async (page) => {
        const asked: string[] = [];
        page.on('request', (request) => asked.push(new URL(request.url()).pathname));
        await page.goto(`${stage.app.account.baseUrl}/docs`);
        assert.deepEqual(new Set(asked), new Set(['/docs', '/docs/docs.css', '/docs/icon.svg']));
        // In another scheme and width test/pages/docs looks at the same page.
        if (isWhole) assert.deepEqual(await violationsOf(page), []);
      }));
  }

  it('the page of a contract loads files from this host only', () =>
    visit(stage, {}, async (page) => {
      const asked: URL[] = [];
      page.on('request', (request) => asked.push(new URL(request.url())));
      await page.goto(`${stage.app.account.baseUrl}/docs/oauth2`);
      await page.getByRole('heading', { name: 'Register a client', level: 2 }).first().waitFor();
      const paths = asked.filter(({ protocol }) => protocol === 'http:').map(({ pathname }) => pathname);
      const parts = ['docs.css', 'icon.svg', 'redoc.standalone.js', 'start-redoc.js'].map((name) => `/docs/${name}`);
      assert.deepEqual(new Set(paths), new Set(['/docs/oauth2', ...parts]));
    }));
});
