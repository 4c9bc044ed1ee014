/** What the registry knows to be flawed of all that is installed. */

import { askNpm } from './npm.ts';

interface Advisory {
  readonly name: string;
  readonly severity: string;
  readonly range: string;
  readonly title: string;
  /** Nothing that a running service loads. */
  readonly isDevelopment: boolean;
}

export type Advisories =
  /** `grave`: rated high or critical, in what a running service loads. */
  | { readonly state: 'answered'; readonly findings: readonly Advisory[]; readonly grave: number }
  | { readonly state: 'unanswered'; readonly reason: string };

interface Audit {
  readonly vulnerabilities?: Readonly<Record<string, Vulnerability>>;
  readonly message?: string;
}

interface Vulnerability {
  readonly severity: string;
  readonly range: string;
  readonly via: readonly (string | { readonly title: string })[];
}

/** A mirror that keeps no advisories answers with an error: that is told, and is no finding. */
export async function askAdvisories(root: string): Promise<Advisories> {
  const all = askNpm(root, ['audit']) as Audit | null;
  const served = askNpm(root, ['audit', '--omit=dev']) as Audit | null;
  if (!all?.vulnerabilities || !served?.vulnerabilities) {
    return { state: 'unanswered', reason: all?.message ?? 'no answer' };
  }
  const loaded = served.vulnerabilities;
  const findings = Object.entries(all.vulnerabilities).map(([name, { severity, range, via }]) => {
    const title = via.map((cause) => (typeof cause === 'string' ? `by ${cause}` : cause.title)).join('; ');
    return { name, severity, range, title, isDevelopment: !(name in loaded) };
  });
  const isGrave = ({ severity, isDevelopment }: Advisory) =>
    !isDevelopment && (severity === 'high' || severity === 'critical');
  return { state: 'answered', findings, grave: findings.filter(isGrave).length };
}
