/** Programs that replace Node. */

import { chmodSync, copyFileSync, linkSync, writeFileSync } from 'node:fs';

/** The Node of this process under another path: without a copy where the file system allows it. */
export function placeNode(file: string): string {
  try {
    linkSync(process.execPath, file);
  } catch {
    copyFileSync(process.execPath, file);
    chmodSync(file, 0o755);
  }
  return file;
}

/** A shell script that answers as a Node of this version and ABI would, and otherwise does `rest`. */
export function placeScript(file: string, version: string, { abi = '137', told = file, rest = 'exit 1' } = {}): string {
  const answers = [
    `case "$1" in`,
    `  --version) echo asked >> '${file}.asked'; echo v${version}; exit;;`,
    `  -p) echo '${JSON.stringify([version, abi, told])}'; exit;;`,
    'esac',
  ];
  writeFileSync(file, ['#!/bin/sh', ...answers, rest, ''].join('\n'));
  chmodSync(file, 0o755);
  return file;
}
