import { useState } from 'preact/hooks';
import { api } from '../../api/api.ts';
import type { Schemas } from '../../api/contract.ts';
import { ConfirmButton } from '../../parts/dialog.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { nameOf } from './words.ts';

interface InviteProps {
  readonly user: Schemas['User'];
  readonly again: () => Promise<void>;
}

/** A button that makes a link by which the user chooses a password. */
export function Invite({ user, again }: InviteProps) {
  const [link, setLink] = useState<string | null>(null);
  const name = nameOf(user);
  return (
    <>
      <ConfirmButton
        label="Invite"
        title={`An invite for ${name}?`}
        words="This makes a link by which the user chooses a password, once within 72 hours. It replaces an earlier one."
        verb="Make a link"
        isLoss={false}
        act={async () => {
          const { data } = await api.post('/api/2/users/{id}/invite', { path: { id: user.id }, body: {} });
          setLink(data.link);
          await again();
        }}
      />
      {link !== null && (
        <ShownOnce
          title={`The invite of ${name}`}
          values={[['Link for the user alone', link]]}
          close={() => setLink(null)}
        />
      )}
    </>
  );
}
