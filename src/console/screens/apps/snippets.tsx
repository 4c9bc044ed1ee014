import { quoted } from '../../api/calls.ts';
import type { Schemas } from '../../api/contract.ts';
import { copy } from '../../parts/notices.tsx';
import { Section } from '../../parts/screen.tsx';

/** The values that every client library asks for, and a first call, filled in for this app. */
export function Snippets({ app }: { readonly app: Schemas['App'] }) {
  const redirect = app.configuration.redirect_uri.split('\n')[0] ?? '';
  const isPublic = app.configuration.token_endpoint_auth_method === 2;
  const issuer = location.origin;
  const environment = [
    `OIDC_ISSUER=${issuer}`,
    `OIDC_CLIENT_ID=${app.client_id}`,
    ...(isPublic ? [] : ['OIDC_CLIENT_SECRET=… # shown once, when the app was created']),
    // Whoever registers an app chooses it.
    `OIDC_REDIRECT_URI=${quoted(redirect)}`,
  ].join('\n');
  const javascript = [
    "import * as client from 'openid-client';",
    `const config = await client.discovery(new URL('${issuer}'), '${app.client_id}'${isPublic ? '' : ', secret'});`,
    `const url = client.buildAuthorizationUrl(config, { redirect_uri: ${JSON.stringify(redirect)}, scope: 'openid email' });`,
  ].join('\n');
  const snippets = [
    ['Environment', environment],
    ['JavaScript (openid-client)', javascript],
    ['Discovery', `curl '${issuer}/.well-known/openid-configuration'`],
  ] as const;
  return (
    <Section title="Connect the app" actions={<a href="/docs">Quick starts</a>}>
      {snippets.map(([title, text]) => (
        <div key={title} class="stack">
          <div class="section-head">
            <h3>{title}</h3>
            <button type="button" class="plain" onClick={() => void copy(text, title)}>
              Copy
            </button>
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls is reached by the keyboard */}
          <pre tabIndex={0}>
            <code>{text}</code>
          </pre>
        </div>
      ))}
    </Section>
  );
}
