/** Characters that texts may not contain: what the contract says by `pattern`, the service does. */

import { before, it } from 'node:test';
import type { TestApp } from '../../support/app.ts';
import { assertCharacters, patternedTexts } from '../../support/patterned-texts.ts';
import { sampled } from '../../support/sample.ts';
import { prepareStage, requestOf, type Stage, send } from './matrix-requests.ts';

export function characters(app: () => TestApp): void {
  let stage: Stage;

  before(async () => {
    stage = await prepareStage(await app().another({ 'limit.api-2': 'off' }));
  });

  const operations = Map.groupBy(sampled(patternedTexts('api-2'), 4), ({ operation }) => operation);
  for (const [operation, texts] of operations) {
    it(`${operation.operationId}: texts have the characters that their patterns allow`, async () => {
      const request = await requestOf(stage, operation, 'manage_all');
      const token = stage.tokens.get('manage_all') ?? '';
      for (const text of texts) {
        await assertCharacters(text, request.items ?? request.body, (body) =>
          send(stage, request, token, { text: JSON.stringify(body), type: 'application/json' }),
        );
      }
    });
  }
}
