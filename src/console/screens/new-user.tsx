import { api } from '../api/api.ts';
import type { Schemas } from '../api/contract.ts';
import { Dialog } from '../parts/dialog.tsx';
import { EditForm } from '../parts/edit-form.tsx';
import { go, hrefOf } from '../routing/address.ts';
import { may } from '../session/session.ts';
import { nameFields } from './user-fields.ts';

export function NewUser({ close }: { readonly close: () => void }) {
  const fields = may('manage_all')
    ? [
        ...nameFields,
        { name: 'password', label: 'Password', kind: 'secret', help: 'Without one, send an invite link.' } as const,
      ]
    : nameFields;
  return (
    <Dialog title="New user" close={close}>
      <EditForm
        fields={fields}
        value={undefined}
        canWrite
        verb="Create"
        done="The user was created."
        save={async (body) => {
          const confirmed = 'password' in body ? { ...body, password_confirmation: body['password'] } : body;
          const { data } = await api.post('/api/2/users', { body: confirmed as Schemas['UserInput'] });
          close();
          go(hrefOf(`users/${data.id}`));
        }}
      />
    </Dialog>
  );
}
