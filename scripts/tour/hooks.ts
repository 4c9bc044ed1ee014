import { randomName } from './access.ts';
import { expectJson } from './http.ts';
import { indent, say } from './print.ts';
import { signInFor } from './sign-in.ts';
import { expect } from './surprise.ts';
import { bearer, type Step } from './tour.ts';

interface Execution {
  readonly outcome: string;
  readonly events: readonly string[];
}

const word = 'a-word-that-no-log-holds';

/** Changes nothing for anybody, as the hook is the whole account’s. */
function sourceOf(variable: string): string {
  return `exports.handler = async ({ user, app }) => {
  console.log('%s signs in to %s', user.user_identifier, app.name, process.env.${variable});
  return null; // the user's own policy holds
};`;
}

export const makeHook: Step = {
  title: 'A function of our own at every sign-in',
  about:
    'A Smart Hook is JavaScript that the service runs, shut in a process of the account, once a password was right. This ' +
    'one reads a variable, writes to its log and lets the policy of the user hold. It is tried before anybody meets it.',
  run: async ({ send, recall, learn }) => {
    const headers = bearer(recall('credentialToken'));
    const name = `TOUR_${randomName()}`;
    const made = await send('POST', '/api/2/hooks/envs', { headers, json: { name, value: word } });
    const variable = expectJson<{ id: string }>(made, 201);
    const source = sourceOf(name);
    say(`\n  The function, which is sent in base64:\n${indent(source)}\n`);
    const answer = await send('POST', '/api/2/hooks', {
      headers,
      json: { type: 'pre-authentication', function: Buffer.from(source).toString('base64'), env_vars: [name] },
    });
    const { id, status } = expectJson<{ id: string; status: string }>(answer, 201);
    learn('hook', { id, variableId: variable.id });
    expect(status === 'ready', `a hook without packages should be ready at once, and it is ${status}`);
    const user = { user_identifier: 'somebody', policy_id: 1 };
    const context = { user, device: { user_agent: 'a trial', is_mobile: false }, app: { name: 'a trial' } };
    const tried = await send('POST', `/api/2/hooks/${id}/test`, { headers, json: context });
    const { outcome } = expectJson<{ outcome: string }>(tried, 200);
    expect(outcome === 'success', `the trial should have been a success, and it was ${outcome}`);
  },
};

export const signInWithHook: Step = {
  title: 'Sign in: the hook runs',
  about: 'As before; the function runs between the password and the answer to it, in a few milliseconds.',
  run: (tour) => signInFor(tour, { scope: 'openid' }),
};

export const readHookLog: Step = {
  title: 'What the function wrote',
  about: 'Every run has its record, for seven days. The value of the variable is in none of them.',
  run: async ({ send, recall, demo }) => {
    const headers = bearer(recall('credentialToken'));
    const answer = await send('GET', `/api/2/hooks/${recall('hook').id}/logs`, { headers });
    const [run] = expectJson<Execution[]>(answer, 200);
    expect(run?.outcome === 'success', 'the sign-in should have run the hook');
    const [line = ''] = run.events;
    expect(line.includes(`${demo.user.email} signs in to`), 'the log should hold what the function wrote');
    expect(!answer.text.includes(word) && line.endsWith('****'), 'the value of the variable should have been masked');
  },
};
