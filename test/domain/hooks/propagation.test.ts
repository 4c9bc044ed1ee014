/** Two nodes over one PostgreSQL: a change that one takes is in force on the other at its next sign-in (A7). */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createApp } from '../../../src/app.ts';
import { openTestApp, seenFrom, type TestApp } from '../../support/app.ts';
import { type TestServices, testServices } from '../../support/services.ts';
import { openPatientStore } from '../../support/stores.ts';
import { handlerOf, type Stage, stage } from './stage.ts';

/** Rounds of each kind of change; the drill of 100 tries is this test with more of them. */
const rounds = Number(process.env['PROPAGATION_ROUNDS'] ?? 5);

describe('hooks of two nodes over one PostgreSQL', () => {
  let on: Stage;
  let one: TestApp;
  let services: TestServices;
  let there: Stage['status'];

  before(async () => {
    one = await openTestApp('postgres');
    on = await stage(one, { 'limit.hooks': 'off' });
    const { vault, passwords, clock } = one.services;
    services = await testServices(await openPatientStore(one.url), { vault, passwords, clock });
    const other = seenFrom(on.app.account, createApp(services), services, { url: one.url, dispose: async () => {} });
    there = (await on.seenFrom(other)).status;
  });
  after(async () => {
    await services.hooks.close();
    await services.store.close();
    await one.dispose();
  });

  it('changes of function, variable and state apply at once on the other node', async () => {
    const write = (body: string, members: object = {}) => ({
      type: 'pre-authentication',
      function: handlerOf(body),
      ...members,
    });
    const refuse = 'return { success: false };';
    const { id } = await on.api.done(201, 'POST', '/hooks', write('return null;'));
    const variable = await on.api.done(201, 'POST', '/hooks/envs', { name: 'SIGN_IN', value: 'yes' });
    assert.equal(await there(), 0);
    const late: number[] = [];
    const wait = async (wanted: number) => {
      const changed = performance.now();
      assert.equal(await there(), wanted, 'the first sign-in after the answer');
      late.push(performance.now() - changed);
    };
    for (let round = 0; round < rounds; round += 1) {
      await on.api.done(200, 'PUT', `/hooks/${id}`, write(refuse));
      await wait(403);
      await on.api.done(200, 'PUT', `/hooks/${id}`, write(refuse, { disabled: true }));
      await wait(0);
      const reading = 'return { success: process.env.SIGN_IN === "yes" };';
      await on.api.done(200, 'PUT', `/hooks/${id}`, write(reading, { env_vars: ['SIGN_IN'] }));
      await wait(0);
      await on.api.done(200, 'PUT', `/hooks/envs/${variable.id}`, { value: 'no' });
      await wait(403);
      await on.api.done(200, 'PUT', `/hooks/envs/${variable.id}`, { value: 'yes' });
      await wait(0);
    }
    process.stdout.write(
      `# ${late.length} changes, each in force at the next sign-in of the other node, which took at most ${Math.round(
        Math.max(...late),
      )} ms\n`,
    );
  });
});
