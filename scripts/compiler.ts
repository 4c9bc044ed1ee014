/**
 * TypeScript's compiler as a program. It is written in Go and takes a fifth of the processor time of the one written in
 * JavaScript, which stays for tools that need its API, and for clients that are published.
 */
import { fileURLToPath } from 'node:url';

export const compiler = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript-native/package.json')));
