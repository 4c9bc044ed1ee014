#!/usr/bin/env node
// Goes on in the Node that npm brought along where the running one is too old, and says so where there is none. Every
// Node that knows modules can read this file: what it runs after that, an old one could not even parse.
const oldest = 24;
const { node } = process.versions;

function refuse() {
  process.stderr.write(
    `gatehouse: Node ${node} is too old, it must be ${oldest} or newer, and the Node that npm installs on Linux cannot ` +
      'be run here: install a newer Node (README.md, "Node")\n',
  );
  process.exitCode = 1;
}

if (Number(node.split('.')[0]) >= oldest) {
  void import('./start.js');
} else {
  void import('./brought-node.js').then(({ continueInBroughtNode }) => continueInBroughtNode(refuse));
}
