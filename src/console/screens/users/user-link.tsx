import type { Schemas } from '../../api/contract.ts';
import { hrefOf } from '../../routing/address.ts';
import { nameOf } from './words.ts';

/** The name of a user, which leads to their page. */
export function UserLink({ user }: { readonly user: Schemas['User'] }) {
  return (
    <a href={hrefOf(`users/${user.id}`)}>
      <bdi>{nameOf(user)}</bdi>
    </a>
  );
}
