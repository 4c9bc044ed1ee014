#!/usr/bin/env node
// Says so where Node is too old. Every Node that knows modules can read this file: what it runs after that, an old one
// could not even parse.
const oldest = 24;
const { node } = process.versions;

if (Number(node.split('.')[0]) >= oldest) {
  void import('./start.js');
} else {
  process.stderr.write(
    `gatehouse: Node ${node} is too old, it must be ${oldest} or newer: run it as "npx gatehouse", which on Linux uses ` +
      'the Node that "npm ci" installed, or install a newer Node (README.md, "Node")\n',
  );
  process.exitCode = 1;
}
