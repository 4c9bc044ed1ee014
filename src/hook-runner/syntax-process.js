// The program of a process of syntax.ts: compiles one source at a time, as its messages ask, and runs none. It ends when
// its channel closes. JavaScript, because stripping the types of the others would take half of the time of its start.
import { compileFunction } from 'node:vm';

/** What every function's source is the body of. */
const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];

/** What the engine says of the syntax that only an ES module has. */
const isModule = /^Unexpected token 'export'$|outside a module$|bodies of modules$/;
const moduleHint = ' (a function is a CommonJS module: use require() and exports.handler)';

/** @param {string} source */
function judge(source) {
  try {
    compileFunction(source, parameters, { filename: 'hook.js' });
    return { says: 'compiles' };
  } catch (error) {
    if (!(error instanceof Error)) return { says: 'error', line: 1, column: 1, message: 'not JavaScript' };
    // `hook.js:<line>`, the line itself, and a row of marks below the place.
    const [place = '', , marks = ''] = (error.stack ?? '').split('\n');
    const line = Number(/^hook\.js:(\d+)$/.exec(place)?.[1] ?? 1);
    const column = marks.includes('^') ? marks.indexOf('^') + 1 : 1;
    const message = `${error.message}${isModule.test(error.message) ? moduleHint : ''}`;
    return { says: 'error', line, column, message };
  }
}

process.on('message', (source) => process.send?.(judge(String(source))));
// A service manager tells all processes of a service to end, which first answers its requests.
process.on('SIGTERM', () => {});
process.send?.({ says: 'ready' });
