import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import type { PasskeyReference, Passkeys, ShownPasskey } from '../domain/passkeys/port.ts';

/**
 * Every authenticator supports one of these (WebAuthn Level 3 §5.4): Ed25519, ES256, RS256, by their COSE numbers (RFC
 * 9053, RFC 8812).
 */
const algorithms = [-8, -7, -257];
/** How long the browser waits for the user; milliseconds. */
const timeout = 300_000;
/** A credential id has up to 1,023 bytes (WebAuthn Level 3 §4). */
const longestId = 1364;

/** Loaded for the first answer: it is as large as everything else that a process loads. */
const library = () => import('@simplewebauthn/server');
const helpers = () => import('@simplewebauthn/server/helpers');

/**
 * Passkeys, with the checks of WebAuthn Level 3 §7.1 and §7.2; user verification by the authenticator is always
 * required.
 */
export function createPasskeys(): Passkeys {
  return {
    creationOptions: ({ id, name }, { challenge, userHandle, userName, displayName, known }) =>
      JSON.stringify({
        challenge,
        rp: { id, name },
        user: { id: userHandle.toString('base64url'), name: userName, displayName },
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        timeout,
        attestation: 'none',
        excludeCredentials: known.map(describe),
        // `requireResidentKey` for browsers of Level 1 (§5.4.4).
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      } satisfies PublicKeyCredentialCreationOptionsJSON),
    requestOptions: ({ id }, { challenge, allowed }) =>
      JSON.stringify({
        challenge,
        rpId: id,
        allowCredentials: allowed.map(describe),
        timeout,
        userVerification: 'required',
      } satisfies PublicKeyCredentialRequestOptionsJSON),
    read,
    verifyNew: async ({ id, origin }, challenge, answer) => {
      const response = parse(answer);
      if (!response || !(await isUnattested(response))) return null;
      const expected = { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: id };
      const { verifyRegistrationResponse } = await library();
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
      const { verifyAuthenticationResponse } = await library();
      const checked = await refusing(() =>
        // Its actual type differs from the declared one; the library reports it.
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

function describe({ credentialId, transports }: PasskeyReference) {
  // Names of `transportNames`, which the type does not know.
  return { type: 'public-key', id: credentialId, transports: [...transports] as never } as const;
}

/** The library refuses by throwing. */
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
    const { challenge, crossOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
    // None of our pages is in another site's frame.
    if (typeof challenge !== 'string' || crossOrigin === true) return null;
    return { credentialId: parsed.id, challenge, userHandle: typeof userHandle === 'string' ? userHandle : null };
  } catch {
    return null;
  }
}

/**
 * Whether the authenticator is not attested, as was requested (WebAuthn Level 3 §5.4.7): no statement, or one by the
 * passkey itself. Certificates name addresses to ask for revocations, and the library would contact them.
 */
async function isUnattested({ response }: RegistrationResponseJSON): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await helpers();
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

/** The known ones among those that the browser reports; they are stored to be sent back to it. */
function readTransports({ response: { transports } }: RegistrationResponseJSON): readonly string[] {
  return Array.isArray(transports) ? transportNames.filter((name) => transports.some((one) => one === name)) : [];
}
