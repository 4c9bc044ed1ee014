import { readFileSync } from 'node:fs';
import { Eta } from 'eta';
import { assetUrl } from './assets.ts';
import { icons } from './icons.ts';
import { closedInItself, initial, isolated, tileColour } from './text.ts';

const eta = new Eta({ autoEscape: true });

// Compiled once, when the module loads: a template that does not compile stops the start, not a sign-in.
for (const name of ['layout', 'icon', 'sign-in', 'consent', 'message']) {
  eta.loadTemplate(`@${name}`, readFileSync(new URL(`./views/${name}.eta`, import.meta.url), 'utf8'));
}

/** What every page needs beside its own parts. */
export interface Frame {
  /** First part of the document's title; the account's name follows. May hold names that are isolated already. */
  readonly title: string;
  readonly accountName: string;
  /** A card with room for a list. */
  readonly wide?: boolean;
}

/** Renders one template inside the layout: HTML of a whole document. */
export function page(template: string, frame: Frame, parts: object): string {
  return eta.render(`@${template}`, {
    ...parts,
    title: `${frame.title} – ${isolated(frame.accountName)}`,
    accountName: closedInItself(frame.accountName),
    wide: frame.wide ?? false,
    iconUrl: assetUrl('icon.svg'),
    styleUrl: assetUrl('styles.css'),
    icons,
  });
}

/** The small coloured tile that stands for an application, with the name beside it. */
export function tile(name: string) {
  return { name: closedInItself(name), initial: initial(name), colour: tileColour(name) };
}
