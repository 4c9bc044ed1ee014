#!/usr/bin/env node
// The command line, with what Node made of the sources kept beside them: whoever may write there may change the sources
// themselves. Where nothing may be written, Node goes on without. This file is JavaScript because what strips the types
// of the others takes 20 MB of memory, and is not loaded when all of them are kept.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../.cache', import.meta.url)));
await import('../src/gatehouse.ts');
// A command has ended by now; a server goes on, and may be killed later.
flushCompileCache();
