/** The floors of documents that no database keeps. */

import contract from '../../generated/oauth2.json' with { type: 'json' };
import { type Floors, jwks } from './floor-parts.ts';

const { responses } = contract.paths['/.well-known/openid-configuration'].get;
const keysText = JSON.stringify(jwks);
const discoveryText = JSON.stringify(responses['200'].content['application/json'].example);

export const documentFloors: Floors = {
  jwks: ({ reply }) => reply({ status: 200, text: keysText }),
  discovery: ({ reply }) => reply({ status: 200, text: discoveryText }),
};
