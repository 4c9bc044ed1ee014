import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../src/adapters/log.ts';
import type { LogLevel } from '../../src/config-values.ts';
import type { LogFields } from '../../src/services.ts';

function collect(level: LogLevel = 'debug') {
  const text: string[] = [];
  const log = createLog({ level, destination: { write: (line) => void text.push(line) } });
  return { log, text, lines: () => text.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

test('times match the clock, also at the start of a second and when it is set back', (t) => {
  const { log, lines } = collect();
  const times = ['2026-11-22T23:59:59.999Z', '2026-11-23T00:00:00.000Z', '2026-11-23T00:00:00.042Z'];
  const given = [...times, '2026-11-22T23:59:59.007Z', '1970-01-01T00:00:00.000Z'];
  t.mock.timers.enable({ apis: ['Date'] });
  for (const time of given) {
    t.mock.timers.setTime(Date.parse(time));
    log.info('request');
  }
  const written = lines().map(({ time }) => time);
  assert.deepEqual(written, given);
});

test('a line has level, time, event and fields', () => {
  const { log, lines } = collect();
  log.info('request', { requestId: 'r', status: 200, milliseconds: 1.5, account: 'demo' });
  const [line] = lines();
  assert.match(String(line?.['time']), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual(
    { ...line, time: '' },
    {
      level: 'info',
      time: '',
      event: 'request',
      requestId: 'r',
      account: 'demo',
      status: 200,
      milliseconds: 1.5,
    },
  );
});

test('unlisted fields and fields of the wrong type are dropped', () => {
  const { log, text, lines } = collect();
  const fields = {
    password: 'hunter2',
    authorization: 'Basic x',
    body: { a: 1 },
    status: '200 hunter2',
    reason: { toJSON: () => 'hunter2' },
    milliseconds: Number.NaN,
    ['__proto__']: { route: 'hunter2' },
    requestId: 'r',
  } as unknown as LogFields;
  log.warn('event', fields);
  assert.ok(!text.join('').includes('hunter2'));
  assert.deepEqual(Object.keys(lines()[0] ?? {}).sort(), ['event', 'level', 'requestId', 'time']);
});

test('no value starts a new line', () => {
  const { log, text } = collect();
  log.error('broken\nevent', { reason: 'a\r\n{"level":"info","event":"forged"}\u2028', stack: 'one\ntwo' });
  assert.equal(text.length, 1);
  assert.equal(text[0]?.trimEnd().split(/\r?\n/).length, 1);
});

test('secrets in an allowed field are redacted', () => {
  const { log, text } = collect();
  const random = 'A'.repeat(43);
  const secrets = [
    `cs_${random}`,
    `ct_1a_${random}`,
    `rt_1.${random}${random}`,
    `ak_${random}`,
    `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.${random}`,
  ];
  for (const secret of secrets) log.error('crash', { stack: `Error: at ${secret} in x`, reason: secret });
  assert.ok(!text.join('').includes(random));
  assert.equal(text.join('').split('[secret]').length - 1, secrets.length * 2);
});

test('lines below the level are omitted, long values are truncated', () => {
  const { log, lines } = collect('warn');
  log.debug('no');
  log.info('no');
  log.warn('yes', { reason: 'x'.repeat(10_000) });
  assert.equal(lines().length, 1);
  assert.equal(String(lines()[0]?.['reason']).length, 513);
});

test('terminal control characters are escaped and read back unchanged', () => {
  const { log, text, lines } = collect();
  const reason = 'a\u001b[2J\u009b31m\u202eb\u2028c\nd\tä';
  log.info('request', { reason });
  assert.doesNotMatch(text.join('').slice(0, -1), /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u);
  assert.equal(lines()[0]?.['reason'], reason);
});
