import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainLoading, explainLoadingError } from '../../src/runtime/add-ons.ts';

/** What loaders say where an add-on cannot be loaded, and the part of our line that names the cause. */
const said = [
  [
    "/lib64/libc.so.6: version `GLIBC_2.34' not found (required by /app/node_modules/better-sqlite3/prebuilds/linux-x64.node)",
    /^the native add-on better-sqlite3 cannot be loaded, since this system's C or C\+\+ library has no GLIBC_2\.34; /,
  ],
  [
    "/lib64/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by /app/node_modules/isolated-vm/prebuilds/x.node)",
    /^the native add-on isolated-vm cannot be loaded, since .* has no GLIBCXX_3\.4\.30; /,
  ],
  ['Error loading shared library ld-linux-x86-64.so.2: No such file or directory', /ld-linux-x86-64\.so\.2 is missing/],
  ['libstdc++.so.6: cannot open shared object file: No such file or directory', /libstdc\+\+\.so\.6 is missing/],
  [
    'Error: No native build was found for platform=linux arch=riscv64 runtime=node abi=137 uv=1 libc=glibc node=24.1.0',
    /there is none for linux on riscv64 with Node ABI 137/,
  ],
  ['was compiled against a different Node.js version using\nNODE_MODULE_VERSION 127.', /another Node \(ABI 127\)/],
  ['Cannot find native binding. npm has a bug', /there is none for \w+ on \w+/],
  ['/app/isolated-vm.node: invalid ELF header', /its file is damaged or of another system/],
] as const;

test('each reason why an add-on cannot be loaded becomes one line with what is needed', () => {
  for (const [words, line] of said) {
    const explained = explainLoading(words) ?? '';
    assert.match(explained, line);
    assert.match(explained, /glibc 2\.34 .* x64 or arm64: README\.md, "Platforms"$/);
    assert.ok(!explained.includes('\n'));
  }
});

test('an error is explained by its code and its causes, and any other trouble is left alone', () => {
  const loading = Object.assign(new Error('something new'), { code: 'ERR_DLOPEN_FAILED' });
  assert.match(explainLoadingError(new Error('outer', { cause: loading })) ?? '', /damaged or of another system/);
  assert.equal(explainLoadingError(new Error('disk I/O error')), null);
  assert.equal(explainLoading('TypeError: handler is not a function'), null);
});
