/** Functions that mean harm: each is one attack on time, memory or the way out. */

import type { HookEnding } from '../../src/domain/hooks/runner.ts';
import { handler } from './runner.ts';

export interface Guest {
  readonly attack: string;
  readonly source: string;
  /** Every ending that is as promised: which one it is may hang on the machine. */
  readonly endings: readonly HookEnding[];
}

const stopped: readonly HookEnding[] = ['timeout'];
const ended: readonly HookEnding[] = ['timeout', 'out_of_memory', 'crashed'];
const refused: readonly HookEnding[] = ['error'];
const bounded: readonly HookEnding[] = [...ended, 'error'];

const huge = '{ length: 2 ** 53 - 1 }';

function guest(attack: string, endings: readonly HookEnding[], body: string): Guest {
  return { attack, source: handler(body), endings };
}

export const guests: readonly Guest[] = [
  guest('a loop', stopped, 'while (true);'),
  { attack: 'a loop before the handler is there', source: 'while (true);', endings: stopped },
  guest('a loop of caught errors', stopped, 'for (;;) { try { throw 1 } catch {} }'),
  guest('a loop of finally', bounded, 'const f = () => { try { f() } finally { f() } }; f();'),
  guest('a catastrophic pattern', stopped, "return /^(a+)+$/.test('a'.repeat(40) + '!')"),
  guest('a wait for memory nobody else has', refused, 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'),
  guest(
    'microtasks without end',
    stopped,
    'const f = () => void Promise.resolve().then(f); f(); return new Promise(() => {})',
  ),
  // Each waits for the next one: what comes first, the end of the time or of the memory, hangs on the machine.
  guest('promises of promises without end', ended, 'const f = () => Promise.resolve().then(f); return f()'),
  guest('awaits without end', stopped, 'for (;;) await 0'),
  guest('a promise that never settles', stopped, 'return new Promise(() => {})'),
  guest(
    'a loop after an answer of the host',
    stopped,
    'await new Promise((done) => setTimeout(done, 1)); while (true);',
  ),
  guest('a loop in a timer', stopped, 'setTimeout(() => { while (true); }, 1); return new Promise(() => {})'),
  guest('indexOf over an endless length', ended, `return [].indexOf.call(${huge}, 1)`),
  guest('includes over an endless length', ended, `return [].includes.call(${huge}, 1)`),
  guest('lastIndexOf over an endless length', ended, `return [].lastIndexOf.call(${huge}, 1)`),
  guest(
    'a search in a huge text',
    bounded,
    "const a = 'a'.repeat(2 ** 28); return a.lastIndexOf('b' + 'a'.repeat(2 ** 20))",
  ),
  guest('a power of huge numbers', bounded, 'return String((2n ** (2n ** 29n)).toString().length)'),
  guest('squares of squares', bounded, 'let b = 3n; for (;;) b = b * b'),
  guest(
    'an error whose stack loops',
    ended,
    "throw Object.defineProperty(new Error('x'), 'stack', { get() { while (true); } })",
  ),
  guest(
    'an error whose message loops',
    ended,
    "throw Object.defineProperty(new Error('x'), 'message', { get() { while (true); } })",
  ),
  guest('stacks prepared in a loop', ended, 'Error.prepareStackTrace = () => { while (true); }; null.x'),
  guest('sort over an endless length', bounded, `[].sort.call(${huge})`),
  guest('a map that grows', ended, 'const m = new Map(); for (let i = 0; ; i++) m.set(i, i)'),
  guest('objects that grow', ended, 'const a = []; for (;;) a.push({ a: [1, 2, 3] })'),
  guest('a text that grows', bounded, "let a = 'x'; for (;;) { a += a + Math.random(); a.charCodeAt(a.length - 1) }"),
  guest('half a billion characters spread', bounded, "return [...'.'.repeat(5e8)].length"),
  guest('a huge list filled', bounded, 'return new Array(1e8).fill(0).length'),
  guest('a huge text split', bounded, "return 'a,'.repeat(2 ** 26).split(',').length"),
  guest(
    'a resizable buffer of 2 GB',
    bounded,
    'const b = new ArrayBuffer(1, { maxByteLength: 2 ** 31 }); b.resize(2 ** 31); new Uint8Array(b).fill(1)',
  ),
  guest('memory of WebAssembly', refused, 'for (;;) new WebAssembly.Memory({ initial: 1000 }).grow(1000)'),
  guest('an answer 100,000 levels deep', bounded, 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a'),
  guest('an answer that loops when it is written', stopped, 'return { toJSON() { while (true); } }'),
  guest('an answer that is asked whether it is a promise', stopped, 'return { get then() { while (true); } }'),
  guest('a flood of the host', bounded, "for (;;) { try { new URL('https://a.example') } catch {} }"),
  guest(
    'timers without end',
    stopped,
    'const f = () => { try { setTimeout(f, 0) } catch {} }; for (let i = 0; i < 60; i++) f(); return new Promise(() => {})',
  ),
  guest('requests without end', stopped, "for (;;) { fetch('https://a.example').catch(() => {}); await 0 }"),
  guest('output without end', stopped, "for (;;) console.log('x'.repeat(5000))"),
];
