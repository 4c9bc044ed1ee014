/** The guides: which pages of the repository the service serves, in which order, and what each is for. */

import { readFileSync } from 'node:fs';

export interface Guide {
  /** The last part of its address, `/docs/<name>`. */
  readonly name: string;
  /** The file, from the root of the installation. */
  readonly file: string;
  /** What it answers, as the index and the search show it. */
  readonly summary: string;
}

interface GuideGroup {
  readonly heading: string;
  readonly guides: readonly Guide[];
}

const root = new URL('../../../', import.meta.url);

/** A page in `docs/`. */
function page(name: string, summary: string): Guide {
  return { name, file: `docs/${name}.md`, summary };
}

/** The first guide, which the index names before everything else. */
const firstGuide = page(
  'start',
  'Install and start the service, and sign in for the first time: a few minutes from a fresh clone.',
);

export const guideGroups: readonly GuideGroup[] = [
  {
    heading: 'Start here',
    guides: [
      firstGuide,
      page(
        'register-a-client',
        'Register an OpenID Connect client: a web application, or a mobile app without a secret.',
      ),
      page('give-access', 'Create users and roles, and let them use an app.'),
      page('refresh-tokens', 'Keep a user signed in: exchange refresh tokens, and what to do if an answer is lost.'),
      page('protect-an-api', 'Issue JWT access tokens with scopes for an API, and check them there.'),
      page('mcp', 'Put a server of the Model Context Protocol behind the service; what its clients need.'),
      page('write-a-hook', 'Run your own JavaScript at sign-in: write a hook, test it, watch it.'),
      page('console', 'See and change users, apps, and settings in a browser.'),
      page('administrators', 'Give users of the account the right to manage it, and take it away.'),
      page('mail-and-passwords', 'Send mail, and let users replace a forgotten password.'),
      page('go-to-production', 'A domain, TLS behind a proxy, a service that starts by itself.'),
      page('backup-and-restore', 'Back up the database and the master key, and restore them.'),
      page('import-people', 'Bring users from another service with their passwords, and export them.'),
      page('move-to-postgresql', 'Copy a SQLite database to PostgreSQL, or back.'),
      page(
        'find-a-refusal',
        'A user cannot sign in, or an error page shows a reference: find the cause, and the remedy.',
      ),
    ],
  },
  {
    heading: 'Quick starts',
    guides: [
      page('quick-start-express', 'Sign users in to an Express application.'),
      page('quick-start-nextjs', 'Sign users in to a Next.js application.'),
      page('quick-start-spa', 'Sign users in to a single page application in the browser.'),
      page('quick-start-fastapi', 'Sign users in to a FastAPI application in Python.'),
      page('quick-start-go', 'Sign users in to a Go program with net/http.'),
      page('quick-start-spring', 'Sign users in to a Spring Boot application in Java.'),
      page('quick-start-others', 'PHP and .NET: the settings of their libraries.'),
    ],
  },
  {
    heading: 'How it works',
    guides: [
      page('two-doors', 'Each difference between the documented and the standard endpoints.'),
      page('users', 'What each user status means, which policy applies, which passwords are refused, what ends what.'),
      page('account-pages', 'What users can do themselves.'),
      page('registration', 'What the service does with each member of a registration.'),
      page('mutual-tls', 'Clients with TLS certificates: what the proxy hands over, and samples for it.'),
      page('hooks', 'What the function of a hook gets, at which doors it runs, and what limits it.'),
      page('hook-templates', 'Ten functions to begin with: countries, networks, risk, office hours, migration.'),
      page('integrations', 'Tested settings for gateways, frameworks, and products.'),
      page('sdks', 'Which generators make a client of the contracts, and which changes break one.'),
      page('deprecated', 'The deprecated surfaces: their switches, who still calls them, what replaces them.'),
      page('document', 'What the service does, as its owner published it.'),
      page('document-gaps', 'What holds where that document is silent.'),
    ],
  },
  {
    heading: 'Operating',
    guides: [
      {
        name: 'readme',
        file: 'README.md',
        summary: 'Every setting of the service with its default, and which Node runs.',
      },
      page('account-settings', 'Every setting of an account: what it means, its default, what is allowed.'),
      page(
        'operations',
        'Databases, keys, limits, the audit trail, what to watch, what happens when something breaks.',
      ),
      page('deploying', 'Compose, Kubernetes, systemd: what `deploy/` has for each, and what of it was run.'),
      page(
        'scale',
        'One machine with many cores, distribution by account, high availability: what each costs, gains, and needs.',
      ),
      page('alerts', 'Alert rules and a dashboard for the metrics; what to do when one fires.'),
      page('upgrading', 'What a release may change, how to upgrade, how to go back.'),
      page('performance', 'The results of one benchmark run, next to other servers.'),
      page('security', 'Each attack that is tested against.'),
      {
        name: 'reporting',
        file: 'SECURITY.md',
        summary: 'How to report a vulnerability; which versions are supported.',
      },
      { name: 'changelog', file: 'CHANGELOG.md', summary: 'What changed, by surface.' },
    ],
  },
  {
    heading: 'Look it up',
    guides: [
      page('errors', 'Every error that the service answers: what causes it, and what to do.'),
      page('glossary', 'What the words mean: account, app, grant, hook, scope, session.'),
      page('comparison', 'Gatehouse next to Keycloak, Ory, Auth0, and Logto.'),
      page('checks', 'What operations check themselves, beyond the contract.'),
      page('conformance', 'Each module of the OpenID certification, and the test that shows the same.'),
      page('certify', 'Run the conformance suite of the OpenID Foundation: the account, the plans, what to click.'),
    ],
  },
];

export const guides: readonly Guide[] = guideGroups.flatMap((group) => group.guides);

/** The Markdown of a guide. */
export function readGuide({ file }: Guide): string {
  return readFileSync(new URL(file, root), 'utf8');
}
