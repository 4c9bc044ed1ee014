import { readFileSync } from 'node:fs';
import { Eta } from 'eta';
import { assetUrl } from './assets.ts';
import { icons } from './icons.ts';
import { standalone } from './standalone.ts';
import { closedInItself, initial, isolated, tileColour, webLink } from './text.ts';

const eta = new Eta({ autoEscape: true });

const templates = [
  ...['layout', 'icon', 'app-tile', 'cancel', 'problem', 'passkey-form', 'sign-in', 'second-factor', 'enrolment'],
  ...['recovery-codes', 'passkeys'],
  ...['new-password', 'scopes', 'consent', 'message', 'signed-in', 'sign-out', 'signed-out', 'back'],
  ...['device', 'device-done'],
  ...[
    'account',
    'account-password',
    'account-factors',
    'account-sessions',
    'account-apps',
    'account-top',
    'person',
    'forgot-password',
  ],
];
// Compiled once, when the module loads: a template that does not compile stops the start, not a sign-in.
for (const name of templates) {
  eta.loadTemplate(`@${name}`, readFileSync(new URL(`./views/${name}.eta`, import.meta.url), 'utf8'));
}

/** What every page needs besides its own parts. */
export interface Frame {
  /** First part of the document's title; the account's name follows. Names in it are already isolated. */
  readonly title: string;
  /** Undefined when no account is on the host: then the page loads nothing. */
  readonly accountName: string | undefined;
  /** A wide card for a list. */
  readonly wide?: boolean;
  /** An optional script; the page's policy has to allow it. */
  readonly script?: 'passkeys.js' | 'send-form.js' | undefined;
}

/** Shown where the host belongs to no account. */
const SERVICE_NAME = 'Gatehouse';

/** Renders one template inside the layout: HTML of a whole document. */
export function page(template: string, frame: Frame, parts: object): string {
  const name = frame.accountName ?? SERVICE_NAME;
  return eta.render(`@${template}`, {
    ...parts,
    title: `${frame.title} – ${isolated(name)}`,
    accountName: closedInItself(name),
    wide: frame.wide ?? false,
    standalone: frame.accountName === undefined ? standalone : undefined,
    iconUrl: assetUrl('icon.svg'),
    styleUrl: assetUrl('styles.css'),
    scriptUrl: frame.script && assetUrl(frame.script),
    icons,
  });
}

/** A user for display: the name, and the address if that is not the name. */
export function person(userName: string, userEmail: string) {
  const name = userName === '' ? userEmail : userName;
  return {
    name: closedInItself(name),
    email: userEmail === name ? '' : closedInItself(userEmail),
    initial: initial(name),
  };
}

/** The tile of an application, with the name beside it: its logo, else its initial on a colour. */
export function tile(name: string, logoUri: string | undefined) {
  const logo = webLink(logoUri)?.href;
  return { name: closedInItself(name), initial: initial(name), colour: tileColour(name), logo };
}
