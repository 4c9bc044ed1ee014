/**
 * Lines of requests beside their floors and peers: `floor` by rate, and by processor time of what neither commits nor
 * signs; `cost` by the processor time of what does. They are reported only: the values are what is wanted.
 */

import { atLeast } from './promises.ts';

const nearFloor = atLeast(0.6);
/** As fast as the peer. */
const asFast = atLeast(1);

export const floorPromises = {
  'refresh-es256/floor': nearFloor,
  'refresh-es256/cost': nearFloor,
  'refresh-es256/durable': asFast,
  'refresh-es256/map': asFast,
  'refresh-dpop/floor': nearFloor,
  'refresh-dpop/cost': nearFloor,
  'refresh-dpop/durable': asFast,
  'refresh-dpop/map': asFast,
  'refresh-jwt/floor': nearFloor,
  'refresh-jwt/cost': nearFloor,
  'refresh-jwt/durable': asFast,
  'refresh-jwt/map': asFast,
  'registration/floor': nearFloor,
  'registration/cost': nearFloor,
  'registration/map': asFast,
  'client-credentials/floor': nearFloor,
  'client-credentials/cost': nearFloor,
  'client-credentials/map': asFast,
  'client-credentials-jwt/floor': nearFloor,
  'client-credentials-jwt/cost': nearFloor,
  'client-credentials-jwt/durable': asFast,
  'client-credentials-jwt/map': asFast,
  'pushed/floor': nearFloor,
  'pushed/cost': nearFloor,
  'pushed/durable': asFast,
  'pushed/map': asFast,
  'code/floor': nearFloor,
  'code/cost': nearFloor,
  'code-exchange/floor': nearFloor,
  'code-exchange/cost': nearFloor,
  'introspection/floor': atLeast(0.75),
  'introspection/durable': atLeast(2),
  'introspection/map': asFast,
  'userinfo/floor': nearFloor,
  'userinfo/durable': asFast,
  'userinfo/map': asFast,
  'jwks/floor': nearFloor,
  'jwks/durable': asFast,
  'jwks/map': asFast,
  'discovery/floor': nearFloor,
  'discovery/durable': asFast,
  'discovery/map': asFast,
  'user/floor': nearFloor,
  'user-change/floor': nearFloor,
  'user-change/cost': nearFloor,
  'user-list/floor': nearFloor,
  'delegated/floor': nearFloor,
  'sign-in/floor': nearFloor,
} as const;

/** The same on PostgreSQL, by processor time, and on a disk that takes 2 ms for a flush, by rate. */
export const elsewherePromises = {
  'postgres-refresh-es256/floor': nearFloor,
  'postgres-refresh-dpop/floor': nearFloor,
  'postgres-refresh-jwt/floor': nearFloor,
  'postgres-registration/floor': nearFloor,
  'postgres-client-credentials/floor': nearFloor,
  'postgres-client-credentials-jwt/floor': nearFloor,
  'postgres-pushed/floor': nearFloor,
  'postgres-code/floor': nearFloor,
  'postgres-code-exchange/floor': nearFloor,
  'postgres-introspection/floor': atLeast(0.75),
  'postgres-userinfo/floor': nearFloor,
  'postgres-jwks/floor': nearFloor,
  'postgres-discovery/floor': nearFloor,
  'postgres-user/floor': nearFloor,
  'postgres-user-change/floor': nearFloor,
  'postgres-user-list/floor': nearFloor,
  'postgres-delegated/floor': nearFloor,
  'postgres-sign-in/floor': nearFloor,
  'slow/refresh-floor': atLeast(0.85),
  'slow/refresh-durable': atLeast(4),
  'slow/registration-durable': atLeast(3),
  'slow/postgres-floor': atLeast(0.8),
} as const;
