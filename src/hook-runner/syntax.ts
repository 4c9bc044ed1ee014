import { compileFunction } from 'node:vm';

/** What every function's source is the body of. */
const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];

/** What the engine says of the syntax that only an ES module has. */
const isModule = /^Unexpected token 'export'$|outside a module$|bodies of modules$/;
const moduleHint = ' (a function is a CommonJS module: use require() and exports.handler)';

/** Where and why `source` is no body of a function; null when it is. Compiles, and runs nothing. */
export function findSyntaxError(
  source: string,
): { readonly line: number; readonly column: number; readonly message: string } | null {
  try {
    compileFunction(source, parameters, { filename: 'hook.js' });
    return null;
  } catch (error) {
    if (!(error instanceof Error)) return { line: 1, column: 1, message: 'not JavaScript' };
    // `hook.js:<line>`, the line itself, and a row of marks below the place.
    const [place = '', , marks = ''] = (error.stack ?? '').split('\n');
    const line = Number(/^hook\.js:(\d+)$/.exec(place)?.[1] ?? 1);
    const column = marks.includes('^') ? marks.indexOf('^') + 1 : 1;
    return { line, column, message: `${error.message}${isModule.test(error.message) ? moduleHint : ''}` };
  }
}
