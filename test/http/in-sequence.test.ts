import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import request from 'supertest';
import { inSequence } from '../../src/http/in-sequence.ts';

const pass: RequestHandler = (_req, res, next) => {
  res.append('x-step', 'passed');
  next();
};
const passLater: RequestHandler = async (req, res, next) => {
  await turn();
  pass(req, res, next);
};
const answer: RequestHandler = (_req, res) => void res.end('answered');
const passedOn: RequestHandler = (_req, res) => void res.status(404).end('passed on');
const toldOf: ErrorRequestHandler = (error: Error, _req, res, _next) => void res.status(400).end(error.message);

/** What a router answers whose only handler is the sequence. */
async function answerOf(...steps: RequestHandler[]): Promise<[number, string, number]> {
  const app = express().use(inSequence(steps), passedOn, toldOf);
  const { status, text, headers } = await request(app).get('/');
  return [
    status,
    text,
    String(headers['x-step'] ?? '')
      .split(', ')
      .filter(Boolean).length,
  ];
}

const fault = new Error('a fault');
const faults: Readonly<Record<string, RequestHandler>> = {
  'passed on': (_req, _res, next) => next(fault),
  thrown: () => {
    throw fault;
  },
  'rejected with': () => Promise.reject(fault),
};

test('a sequence runs its steps in order, and passes the request on after the last one', async () => {
  assert.deepEqual(await answerOf(pass, passLater, pass, answer, pass), [200, 'answered', 3]);
  assert.deepEqual(await answerOf(pass, passLater), [404, 'passed on', 2]);
  assert.deepEqual(await answerOf(), [404, 'passed on', 0]);
});

for (const [how, faulty] of Object.entries(faults)) {
  test(`an error that is ${how} ends the sequence, at once and after an asynchronous step`, async () => {
    assert.deepEqual(await answerOf(pass, faulty, answer), [400, 'a fault', 1]);
    assert.deepEqual(await answerOf(pass, passLater, faulty, answer), [400, 'a fault', 2]);
  });
}
