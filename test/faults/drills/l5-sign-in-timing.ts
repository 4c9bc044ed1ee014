import { authorizePath, CookieJar, password, readForm, submit, type Walk, walk } from '../../support/sign-in.ts';
import type { DatabaseKind } from '../../support/stores.ts';
import { type Drill, type DrillOptions, type DrillResult, onEachDatabase } from '../drill.ts';
import { type Nodes, openNodes } from '../nodes.ts';
import { duration, judge, measure } from '../timing.ts';

const attemptsBeforePause = 10;
/** Shorter than the pause of a user, and than the life of an authorization request. */
const freshMilliseconds = 5 * 60_000;

/** Headers that differ from answer to answer in any case; every 1,000th closes its connection. */
const ofTheConnection = ['date', 'x-request-id', 'connection', 'keep-alive'];

/** L5: the answer to a wrong sign-in and its time tell neither whether the user exists nor whether it is paused. */
export const drill: Drill = {
  id: 'L5',
  title: 'times and bodies of refused sign-ins: unknown user, wrong password, paused user',
  rounds: 2000,
  quickRounds: null,
  run: (options) => onEachDatabase((database) => runOn(database, options)),
};

async function runOn(database: DatabaseKind, { rounds, log }: DrillOptions): Promise<DrillResult> {
  const nodes = await openNodes(database, ['limit.sign-in=off'], 1);
  try {
    const guesser = createGuesser(nodes);
    const known = await knownUser(nodes, guesser);
    const paused = await pausedUser(nodes, guesser);
    const times = await measure(
      {
        unknown: () => guesser.guess('user0@example.com'),
        wrong: known,
        paused,
      },
      rounds,
    );
    const { figures, holds } = judge(times, [
      ['unknown', 'wrong'],
      ['unknown', 'paused'],
      ['wrong', 'paused'],
    ]);
    if (guesser.answers.size > 1) log(`${database}: ${[...guesser.answers].join('\n---\n')}`);
    return {
      figures: { ...figures, 'different answers': guesser.answers.size },
      holds: holds && guesser.answers.size === 1,
    };
  } finally {
    await nodes.dispose();
  }
}

interface Guesser {
  /** Sends the form of the sign-in page with a wrong password; answers the milliseconds. */
  guess(username: string): Promise<number>;
  /** All there was of answers, without what differs by nature. */
  readonly answers: ReadonlySet<string>;
}

function createGuesser({ account, wires: [wire], client }: Nodes): Guesser {
  const answers = new Set<string>();
  let page: Walk | null = null;
  let openedAt = 0;
  return {
    answers,
    guess: async (username) => {
      if (!page || performance.now() - openedAt > freshMilliseconds) {
        page = await walk(account, new CookieJar(), authorizePath(client));
        openedAt = performance.now();
      }
      const { action, fields } = readForm(page.answer.text);
      const form = { ...fields, username, password: 'a wrong password' };
      const answer = await wire.call('POST', action, { headers: page.jar.header, form });
      if (answer.status !== 401) throw new Error(`a wrong sign-in was answered ${answer.status}`);
      const told = Object.entries(answer.headers).filter(([name]) => !ofTheConnection.includes(name));
      answers.add(`${JSON.stringify(told)}\n${answer.text.replaceAll(username, 'USER')}`);
      return duration(answer);
    },
  };
}

/** Guesses at a user who signs in successfully before every lockout. */
async function knownUser({ account, client }: Nodes, { guess }: Guesser): Promise<() => Promise<number>> {
  const { email } = await account.makeUser(client.app_id);
  let guesses = 0;
  return async () => {
    if (guesses === attemptsBeforePause - 1) {
      guesses = 0;
      const page = await walk(account, new CookieJar(), authorizePath(client));
      const { answer } = await submit(account, page, { username: email, password });
      if (answer.status !== 200 && answer.status !== 303) throw new Error('the right password was refused');
    }
    guesses += 1;
    return guess(email);
  };
}

/** Guesses at a user whose sign-in is closed. */
async function pausedUser({ account, client }: Nodes, { guess }: Guesser): Promise<() => Promise<number>> {
  let email = '';
  let pausedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - pausedAt > freshMilliseconds) {
      ({ email } = await account.makeUser(client.app_id));
      for (let count = 0; count < attemptsBeforePause; count += 1) await guess(email);
      pausedAt = performance.now();
    }
    return guess(email);
  };
}
