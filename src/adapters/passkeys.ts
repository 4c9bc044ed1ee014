import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { COSEALG, decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers';
import type { Passkeys, ShownPasskey } from '../domain/passkeys/port.ts';

/** What every authenticator can do one of (WebAuthn Level 3 §5.4). */
const algorithms = [COSEALG.EdDSA, COSEALG.ES256, COSEALG.RS256];
/** How long the browser waits for the person. */
const timeout = 300_000;
/** A credential's id has up to 1,023 bytes (WebAuthn Level 3 §4). */
const longestId = 1364;

/** Passkeys, with the checks of WebAuthn Level 3 §7.1 and §7.2; the person has to be verified by the authenticator, always. */
export function createPasskeys(): Passkeys {
  return {
    creationOptions: async ({ id, name }, { challenge, userHandle, userName, displayName, known }) =>
      JSON.stringify(
        await generateRegistrationOptions({
          rpID: id,
          rpName: name,
          challenge: bytesOf(challenge),
          userID: Uint8Array.from(userHandle),
          userName,
          userDisplayName: displayName,
          timeout,
          attestationType: 'none',
          excludeCredentials: referencesTo(known),
          authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
          supportedAlgorithmIDs: algorithms,
        }),
      ),
    requestOptions: async ({ id }, { challenge, allowed }) =>
      JSON.stringify(
        await generateAuthenticationOptions({
          rpID: id,
          challenge: bytesOf(challenge),
          allowCredentials: referencesTo(allowed),
          timeout,
          userVerification: 'required',
        }),
      ),
    read,
    verifyNew: async ({ id, origin }, challenge, answer) => {
      const response = parse(answer);
      if (!response || !isUnattested(response)) return null;
      const expected = { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: id };
      const checked = await refusing(() =>
        verifyRegistrationResponse({ response, ...expected, supportedAlgorithmIDs: algorithms }),
      );
      if (!checked?.verified) return null;
      const { credential, credentialDeviceType, credentialBackedUp } = checked.registrationInfo;
      return {
        credentialId: credential.id,
        publicKey: Buffer.from(credential.publicKey),
        counter: credential.counter,
        transports: readTransports(response),
        backupEligible: credentialDeviceType === 'multiDevice',
        backedUp: credentialBackedUp,
      };
    },
    verify: async ({ id, origin }, challenge, { credentialId, publicKey, counter }, answer) => {
      const response = parse(answer);
      if (!response) return null;
      const credential = { id: credentialId, publicKey: Uint8Array.from(publicKey), counter };
      const expected = { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: id };
      const checked = await refusing(() =>
        // Of another form than said, and the library says so.
        verifyAuthenticationResponse({ response: response as never, ...expected, credential }),
      );
      if (!checked?.verified) return null;
      const { newCounter, credentialDeviceType, credentialBackedUp } = checked.authenticationInfo;
      return {
        counter: newCounter,
        backupEligible: credentialDeviceType === 'multiDevice',
        backedUp: credentialBackedUp,
      };
    },
  };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text, 'base64url'));
}

function referencesTo(known: readonly { readonly credentialId: string; readonly transports: readonly string[] }[]) {
  return known.map(({ credentialId, transports }) => ({ id: credentialId, transports: [...transports] }));
}

/** The library says no by throwing. */
async function refusing<Checked>(check: () => Promise<Checked>): Promise<Checked | null> {
  try {
    return await check();
  } catch {
    return null;
  }
}

function parse(answer: string): RegistrationResponseJSON | null {
  try {
    const response: RegistrationResponseJSON | null = JSON.parse(answer);
    return typeof response?.id === 'string' && response.id.length <= longestId ? response : null;
  } catch {
    return null;
  }
}

function read(answer: string): ShownPasskey | null {
  const parsed = parse(answer);
  if (!parsed) return null;
  try {
    const { clientDataJSON, userHandle } = parsed.response as { clientDataJSON: string; userHandle?: unknown };
    const { challenge, crossOrigin } = JSON.parse(isoBase64URL.toUTF8String(clientDataJSON));
    // No page of ours stands in another's frame.
    if (typeof challenge !== 'string' || crossOrigin === true) return null;
    return { credentialId: parsed.id, challenge, userHandle: typeof userHandle === 'string' ? userHandle : null };
  } catch {
    return null;
  }
}

/**
 * Whether nobody vouches for the authenticator, as was asked for (WebAuthn Level 3 §5.4.7): no statement, or one by the
 * passkey itself. Certificates name addresses at which they could have been revoked, and the library would ask there.
 */
function isUnattested({ response }: RegistrationResponseJSON): boolean {
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
    const statement = attestation.get('attStmt');
    switch (attestation.get('fmt')) {
      case 'none':
        return true;
      case 'packed':
        return statement.get('x5c') === undefined;
      default:
        return false;
    }
  } catch {
    return false;
  }
}

const transportNames: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/** Those that there are: what a browser says of its own accord is kept for it to be told again. */
function readTransports({ response: { transports } }: RegistrationResponseJSON): readonly string[] {
  return Array.isArray(transports) ? transportNames.filter((name) => transports.some((one) => one === name)) : [];
}
