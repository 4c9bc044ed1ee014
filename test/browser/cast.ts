/** The users and applications needed to reach the hosted pages. */

import type { UserRecord } from '../../src/store/users.ts';
import { giveDevice, type TestDevice } from '../support/second-factor.ts';
import { makeUser } from '../support/sign-in.ts';
import { setUser } from '../support/users.ts';
import { type Application, expire, invite, registerApplication, type Stage } from './stage.ts';

/** An application, and users in every status. */
export interface Cast {
  readonly stage: Stage;
  /** The application of an account that allows one failed sign-in a minute. */
  readonly limited: Application;
  readonly application: Application;
  readonly user: UserRecord;
  /** A user with an expired password. */
  readonly expired: UserRecord;
  /** A user with a second factor. */
  readonly enrolled: UserRecord;
  readonly device: TestDevice;
  readonly locked: UserRecord;
  readonly suspended: UserRecord;
  readonly outsider: UserRecord;
}

const links = {
  client_uri: 'https://expenses.example.com/',
  policy_uri: 'https://expenses.example.com/privacy',
  tos_uri: 'https://expenses.example.com/terms',
};

export async function gatherCast(stage: Stage): Promise<Cast> {
  const { services, account } = stage.app;
  const application = await registerApplication(stage, { client_name: 'Expense Desk', ...links });
  const app = await stage.app.another({ 'limit.sign-in': '1/min' });
  const inState = async (status: 'locked' | 'suspended') => {
    const user = await invite(stage, application);
    return setUser(services, account, user.id, { status });
  };
  const enrolled = await invite(stage, application);
  return {
    stage,
    application,
    enrolled,
    device: await giveDevice(stage.app, enrolled),
    limited: await registerApplication({ app, site: stage.site }, { client_name: 'Expense Desk' }),
    user: await invite(stage, application),
    expired: await expire(stage, await invite(stage, application)),
    locked: await inState('locked'),
    suspended: await inState('suspended'),
    outsider: await makeUser(stage.app),
  };
}
