/** The rules for generators as a plugin of the linter, which finds the line of each place. */

import type { Rule } from './rule.ts';
import { rules } from './rules.ts';
import type { Node } from './schemas-of.ts';

/** What a visitor of the linter gets. */
interface Context {
  readonly location: { child(steps: readonly string[]): unknown };
  report(problem: { readonly message: string; readonly location: unknown }): void;
}

function visitor(rule: Rule) {
  return () => ({
    Root(contract: Node, { location, report }: Context): void {
      for (const { at, message } of rule(contract)) report({ message, location: location.child(at) });
    },
  });
}

// biome-ignore lint/style/noDefaultExport: the linter loads a plugin by it
export default function plugin() {
  const visitors = Object.entries(rules).map(([name, rule]) => [name, visitor(rule)]);
  return { id: 'generators', rules: { oas3: Object.fromEntries(visitors) } };
}
