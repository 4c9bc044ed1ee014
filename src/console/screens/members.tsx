import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Asked } from '../api/use-answer.ts';
import { ConfirmButton } from '../parts/dialog.tsx';
import { say } from '../parts/notices.tsx';
import { Section } from '../parts/screen.tsx';
import { List } from '../parts/table.tsx';
import { hrefOf } from '../routing/address.ts';
import { FindUser, type FoundUser } from './users/find-user.tsx';

export interface Member {
  readonly id: number;
  readonly title: string;
  readonly email: string | null;
}

export interface MembersProps {
  readonly title: string;
  readonly asked: Asked<readonly Member[]>;
  readonly canWrite: boolean;
  readonly add: (id: number) => Promise<unknown>;
  readonly remove: (id: number) => Promise<unknown>;
  /** What it means for somebody to be removed. */
  readonly loss: string;
  readonly empty: ComponentChildren;
}

/** People who belong to something, and more of them by name. */
export function Members({ title, asked, canWrite, add, remove, loss, empty }: MembersProps) {
  const [isAdding, setIsAdding] = useState(false);
  const choose = async (user: FoundUser) => {
    await add(user.id);
    await asked.again();
    setIsAdding(false);
    say(`${user.title} was added.`);
  };
  return (
    <Section
      title={title}
      actions={
        canWrite && (
          <button type="button" onClick={() => setIsAdding(true)}>
            Add a user
          </button>
        )
      }
    >
      <List
        caption={title}
        asked={asked}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Name',
            cell: ({ id, title: name }) => (
              <a href={hrefOf(`users/${id}`)}>
                <bdi>{name}</bdi>
              </a>
            ),
          },
          { title: 'E-mail', cell: ({ email }) => <bdi>{email ?? '–'}</bdi> },
          ...(canWrite
            ? [
                {
                  title: 'Actions',
                  cell: ({ id, title: name }: Member) => (
                    <ConfirmButton
                      label="Remove"
                      of={name}
                      title={`Remove ${name}?`}
                      words={loss}
                      verb="Remove"
                      act={async () => {
                        await remove(id);
                        await asked.again();
                        say(`${name} was removed.`);
                      }}
                    />
                  ),
                },
              ]
            : []),
        ]}
        empty={empty}
      />
      {isAdding && <FindUser title={`${title}: add a user`} choose={choose} close={() => setIsAdding(false)} />}
    </Section>
  );
}
