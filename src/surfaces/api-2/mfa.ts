import type { components, operations } from '../../../generated/api-2.ts';
import { type FactorDevice, listDevices, removeDevice } from '../../domain/second-factor/devices.ts';
import { acceptEnrolment, readEnrolment, startEnrolment } from '../../domain/second-factor/enrolments.ts';
import { kindOf, kinds, registrable } from '../../domain/second-factor/kinds.ts';
import {
  acceptVerification,
  readVerification,
  startVerification,
  type Verification,
} from '../../domain/second-factor/verifications.ts';
import { requireUserId } from '../../domain/users/users.ts';
import type { Handlers } from '../../http/operation.ts';
import type { Services } from '../../services.ts';
import { time } from './represent-user.ts';

type MfaOperations = Pick<
  operations,
  | 'listFactors'
  | 'createFactorRegistration'
  | 'readFactorRegistration'
  | 'acceptFactorRegistration'
  | 'listDevices'
  | 'deleteDevice'
  | 'createFactorVerification'
  | 'readFactorVerification'
  | 'acceptFactorVerification'
>;

type Schemas = components['schemas'];
type Registered = Awaited<ReturnType<typeof readEnrolment>>;

const waitSeconds = 120;

function representRegistration(device: Registered): Schemas['FactorRegistration'] {
  const { authFactorName, typeDisplayName } = kinds[device.kind];
  return {
    id: device.enrolmentId,
    user_id: `${device.userId}`,
    status: device.acceptedAt === null ? 'pending' : 'accepted',
    user_display_name: device.name,
    type_display_name: typeDisplayName,
    auth_factor_name: authFactorName,
    device_id: `${device.id}`,
    expires_at: device.expiresAt === null ? null : time(device.expiresAt),
  };
}

function representDevice(device: FactorDevice): Schemas['Device'] {
  return {
    device_id: `${device.id}`,
    user_display_name: device.name,
    type_display_name: device.typeDisplayName,
    auth_factor_name: device.authFactorName,
    default: device.isDefault,
  };
}

function representVerification({ record, device }: Verification): Schemas['FactorVerification'] {
  return {
    id: record.id,
    user_id: `${record.userId}`,
    status: record.acceptedAt === null ? 'pending' : 'accepted',
    user_display_name: device.name,
    type_display_name: device.typeDisplayName,
    auth_factor_name: device.authFactorName,
    device_id: device.id,
    expires_at: record.acceptedAt === null ? time(record.expiresAt) : null,
  };
}

/** A number has lost its leading zeros. */
function readOtp({ otp }: Schemas['Otp']): string {
  return typeof otp === 'number' ? String(otp).padStart(6, '0') : otp;
}

function deviceHandlers(
  services: Services,
): Handlers<Pick<MfaOperations, 'listFactors' | 'listDevices' | 'deleteDevice'>> {
  const { store } = services;
  return {
    /** GET /api/2/mfa/users/{id}/factors */
    listFactors: async ({ path, origin: { account } }, respond) => {
      await requireUserId(store, account, Number(path.id));
      return respond(
        200,
        registrable.map(({ id, name, authFactorName }) => ({ factor_id: id, name, auth_factor_name: authFactorName })),
      );
    },

    /** GET /api/2/mfa/users/{id}/devices */
    listDevices: async ({ path, origin: { account } }, respond) => {
      const { id } = await requireUserId(store, account, Number(path.id));
      return respond(200, (await listDevices(services, account, id)).map(representDevice));
    },

    /** DELETE /api/2/mfa/users/{id}/devices/{device_id} */
    deleteDevice: async ({ path, origin: { account } }, respond) => {
      await removeDevice(services, account, Number(path.id), Number(path.device_id));
      return respond(204);
    },
  };
}

/** The second factors of users. */
export function mfa(services: Services): Handlers<MfaOperations> {
  return {
    ...deviceHandlers(services),

    /** POST /api/2/mfa/users/{id}/registrations */
    createFactorRegistration: async ({ path, body, origin: { account } }, respond) => {
      const { device, setup } = await startEnrolment(services, account, Number(path.id), {
        kind: kindOf(body.factor_id),
        name: body.display_name,
        expiresInSeconds: Number(body.expires_in ?? waitSeconds),
        verified: body.verified ?? false,
      });
      const factorData = { verification_token: setup.secret, totp_url: setup.url };
      return respond(201, { ...representRegistration(device), factor_data: factorData });
    },

    /** GET /api/2/mfa/users/{id}/registrations/{registration_id} */
    readFactorRegistration: async ({ path, origin: { account } }, respond) =>
      respond(
        200,
        representRegistration(await readEnrolment(services, account, Number(path.id), path.registration_id)),
      ),

    /** PUT /api/2/mfa/users/{id}/registrations/{registration_id} */
    acceptFactorRegistration: async ({ path, body, origin: { account } }, respond) => {
      const userId = Number(path.id);
      const accepted = await acceptEnrolment(services, account, userId, path.registration_id, readOtp(body));
      return respond(200, representRegistration(accepted));
    },

    /** POST /api/2/mfa/users/{id}/verifications */
    createFactorVerification: async ({ path, body, origin: { account } }, respond) => {
      const seconds = Number(body.expires_in ?? waitSeconds);
      const started = await startVerification(services, account, Number(path.id), Number(body.device_id), seconds);
      return respond(201, representVerification(started));
    },

    /** GET /api/2/mfa/users/{id}/verifications/{verification_id} */
    readFactorVerification: async ({ path, origin: { account } }, respond) =>
      respond(
        200,
        representVerification(await readVerification(services, account, Number(path.id), path.verification_id)),
      ),

    /** PUT /api/2/mfa/users/{id}/verifications/{verification_id} */
    acceptFactorVerification: async ({ path, body, origin: { account } }, respond) => {
      const userId = Number(path.id);
      const accepted = await acceptVerification(services, account, userId, path.verification_id, readOtp(body));
      return respond(200, representVerification(accepted));
    },
  };
}
