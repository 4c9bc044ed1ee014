/** Lines of requests beside their floors and peers. They are reported only: the values are what is wanted. */

import { atLeast } from './promises.ts';

const nearFloor = atLeast(0.6);
/** As fast as the peer. */
const asFast = atLeast(1);

export const floorPromises = {
  'refresh-es256/floor': nearFloor,
  'refresh-es256/durable': asFast,
  'refresh-es256/map': asFast,
  'refresh-dpop/floor': nearFloor,
  'refresh-dpop/durable': asFast,
  'refresh-dpop/map': asFast,
  'refresh-jwt/floor': nearFloor,
  'refresh-jwt/durable': asFast,
  'refresh-jwt/map': asFast,
  'registration/floor': nearFloor,
  'registration/map': asFast,
  'client-credentials/floor': nearFloor,
  'client-credentials/map': asFast,
  'client-credentials-jwt/floor': nearFloor,
  'client-credentials-jwt/durable': asFast,
  'client-credentials-jwt/map': asFast,
  'pushed/floor': nearFloor,
  'pushed/durable': asFast,
  'pushed/map': asFast,
  'code/floor': nearFloor,
  'code-exchange/floor': nearFloor,
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
  'user-list/floor': nearFloor,
  'delegated/floor': nearFloor,
  'sign-in/floor': nearFloor,
} as const;
