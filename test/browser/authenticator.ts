/**
 * An authenticator that Chromium pretends to have (WebAuthn Level 3 §11), and what a person does with it on the pages.
 */

import type { CDPSession, Page } from 'playwright-core';

/** Belongs to its page, through all navigation. */
export interface Authenticator {
  readonly session: CDPSession;
  readonly id: string;
  /** Whether the user touches it when asked. */
  touch(touched: boolean): Promise<void>;
  /** Whether it knows the person's finger. */
  recognise(recognised: boolean): Promise<void>;
}

/** Adds one to the device; by default it is touched when asked. */
export async function addAuthenticator(page: Page): Promise<Authenticator> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId: id } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const at = { authenticatorId: id };
  return {
    session,
    id,
    touch: async (enabled) => {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { ...at, enabled });
    },
    recognise: async (isUserVerified) => {
      await session.send('WebAuthn.setUserVerified', { ...at, isUserVerified });
    },
  };
}

/** Opens the signed-in user's page and creates a passkey there. */
export async function makePasskey(page: Page, baseUrl: string, name = 'My laptop'): Promise<void> {
  await page.goto(`${baseUrl}/account/passkeys`);
  await page.getByLabel('Name', { exact: true }).last().fill(name);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('listitem').filter({ hasText: name }).waitFor();
}

/** Presses a button that asks for a passkey; answers what the form got. */
export async function pressForPasskey(page: Page, button: string): Promise<{ readonly status: number }> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'POST'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return { status: answer.status() };
}

/** A browser that shows no passkeys among the names: the button is what asks for one. */
export async function offerNoNames(page: Page): Promise<void> {
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
}
