import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maskingOf } from '../../../src/domain/hooks/log-lines.ts';

describe('masking of what a function wrote', () => {
  const secret = 'long-secret-of-a-variable';
  const masking = maskingOf([secret]);
  const filler = 'x '.repeat(2_000);

  it('a whole secret is masked wherever it is, as text and as JSON has it', () => {
    assert.equal(masking(`a ${secret} b ${secret}`), 'a **** b ****');
    const quoted = 'with "quotes"';
    assert.equal(maskingOf([quoted])(`${JSON.stringify({ quoted })} ${quoted}`), '{"quoted":"****"} ****');
  });

  it('the beginning of a secret is masked where a long text was cut, whatever marks the cut', () => {
    for (const mark of ['', '…', '...', '....…']) {
      assert.equal(masking(`${filler}${secret.slice(0, 12)}${mark}`), `${filler}****`);
    }
    assert.equal(masking(`${filler}${secret.slice(0, 7)}…`), `${filler}${secret.slice(0, 7)}…`);
  });

  it('what only looks like a cut is kept', () => {
    const looks = `${secret.slice(0, 8)}${'.'.repeat(4_080)}x`;
    assert.equal(masking(looks), looks);
    assert.equal(masking(`${secret.slice(0, 12)}…`), `${secret.slice(0, 12)}…`);
  });
});
