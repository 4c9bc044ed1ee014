/** The middleware for Express in `examples/express`, in a process of its own. */

import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkIntrospectedProofs, checkProofs } from './proof-cases.ts';
import { checkIntrospection, checkJwts, withExample } from './resource-cases.ts';

const cwd = fileURLToPath(new URL('../../examples/express', import.meta.url));
const program = { command: [process.execPath, 'api.js'], cwd };

it('JWTs are checked, challenges say what is needed, and metadata is answered', () =>
  withExample(program, () => ({}), checkJwts));

it('with a client it asks the service about each token', () =>
  withExample(
    program,
    () => ({ GATEHOUSE_CLIENT_ID: 'an id', GATEHOUSE_CLIENT_SECRET: 'a:secret' }),
    async (api, issuer) => {
      await checkIntrospection(api, issuer);
      await checkIntrospectedProofs(api, issuer);
    },
  ));

it('a token that is bound to a key needs a proof for this request (RFC 9449)', () =>
  withExample(program, () => ({}), checkProofs));
