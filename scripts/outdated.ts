/**
 * What is behind: the direct dependencies, the Node that runs this, and the advisories of the registry. Run it before each
 * release (SECURITY.md).
 *
 *     npm run outdated                a table
 *     npm run outdated -- --json      one JSON value
 *
 * Exit status: 0 when nothing has to be done; 1 when the running Node is not known to be sound, or when the registry knows
 * of a flaw rated high or critical in what `npm ci --omit=dev` installs; 2 when the registry did not say which versions
 * there are. A newer version, and a registry that keeps no advisories, are told and change nothing: not every newer
 * version has to be taken, and a release needs a look at the advisories elsewhere.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { printableJson, printableValue } from '../src/adapters/printable.ts';
import { judgeNode, majorOf, soundReleases } from '../src/runtime/floor.ts';
import { askAdvisories } from './outdated/advisories.ts';
import { askVersions } from './outdated/versions.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as Record<string, Record<string, string>>;

const versions = await askVersions(root, manifest);
const advisories = await askAdvisories(root);
const node = judgeNode(process.versions.node);
const lowest = soundReleases[majorOf(node.version)]?.version ?? 'none';

const mustAct = node.state !== 'ok' || (advisories.state === 'answered' && advisories.grave > 0);
process.exitCode = versions === null ? 2 : mustAct ? 1 : 0;

if (process.argv.includes('--json')) {
  console.log(printableJson({ node: { ...node, lowest_sound: lowest }, dependencies: versions, advisories }));
} else {
  console.log(
    table(['runtime', 'running', 'lowest sound', ''], [['node', node.version, lowest, node.reason ?? 'sound']]),
  );
  if (versions === null) console.log('The registry did not say which versions there are.\n');
  else if (versions.length === 0) console.log('Every direct dependency is the latest.\n');
  else {
    const rows = versions.map(({ name, kind, current, wanted, latest, note }) => [
      name,
      kind,
      current,
      wanted,
      latest,
      note,
    ]);
    console.log(table(['dependency', 'kind', 'current', 'wanted', 'latest', ''], rows));
  }
  if (advisories.state === 'unanswered')
    console.log(`Advisories: not answered (${printableValue(advisories.reason)}); look them up elsewhere.`);
  else if (advisories.findings.length === 0) console.log('Advisories: none.');
  else {
    const rows = advisories.findings.map(({ name, severity, range, title, isDevelopment }) => [
      name,
      severity,
      range,
      title,
      isDevelopment ? 'development only' : '',
    ]);
    console.log(table(['advisory for', 'severity', 'affected', 'title', ''], rows));
  }
}

/** What npm and the registry say comes from strangers: each value keeps to its line. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map((row) => row.map(printableValue))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
