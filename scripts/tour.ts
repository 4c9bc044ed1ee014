/**
 * Walks the main job against a running service as a client would, and prints each request and each answer. Secrets are
 * shortened. Ends with exit 1 at the first answer that is not as it should be.
 *
 *     npm run tour                                 after `npm start`
 *     npm run tour -- --url <base URL> --demo <demo.json>
 */
import { parseArgs } from 'node:util';
import { printableText } from '../src/adapters/printable.ts';
import { createUser, grantAccess, takeAccessAway, tidyUp } from './tour/access.ts';
import { linkToApi, signInForApi, validateToken } from './tour/api.ts';
import { checkToken, endGrant, readUserinfo } from './tour/checks.ts';
import { getCredentialToken } from './tour/credential.ts';
import { delegateSignIn, makeInviteLink, readUserAsXml } from './tour/deprecated.ts';
import { makeHook, readHookLog, signInWithHook } from './tour/hooks.ts';
import { callTool, registerProgram, signInForMcp, startMcpServer } from './tour/mcp.ts';
import { heading, say } from './tour/print.ts';
import { refreshAtDocumentedDoor, refreshAtStandardDoor } from './tour/refresh.ts';
import { registerClient } from './tour/registration.ts';
import { redeemCode, signIn } from './tour/sign-in.ts';
import { Surprise } from './tour/surprise.ts';
import { beginTour, type Step } from './tour/tour.ts';

/** The walk, in order. Each step adds what it learned to the facts that later ones need. */
const steps: readonly Step[] = [
  getCredentialToken,
  registerClient,
  grantAccess,
  createUser,
  signIn,
  redeemCode,
  refreshAtDocumentedDoor,
  refreshAtStandardDoor,
  checkToken,
  readUserinfo,
  endGrant,
  linkToApi,
  signInForApi,
  validateToken,
  startMcpServer,
  registerProgram,
  signInForMcp,
  callTool,
  makeHook,
  signInWithHook,
  readHookLog,
  takeAccessAway,
  delegateSignIn,
  makeInviteLink,
  readUserAsXml,
  tidyUp,
];

const { values: flags } = parseArgs({
  options: { url: { type: 'string' }, demo: { type: 'string', default: 'data/demo.json' } },
});

try {
  const tour = await beginTour(flags);
  for (const [index, step] of steps.entries()) {
    heading(`${index + 1}. ${step.title}`, step.about);
    await step.run(tour);
  }
  say(`\nDone: ${steps.length} steps, every answer as documented. More at ${tour.url}/docs\n`);
  say(`The same in a browser, for administrators: ${tour.url}/console\n`);
} catch (error) {
  if (!(error instanceof Surprise)) throw error;
  process.stderr.write(printableText(`\nThe tour stops here: ${error.message}\n`));
  process.exitCode = 1;
}
