import type { ComponentChildren } from 'preact';
import type { Asked } from '../api/use-answer.ts';
import { ConfirmButton } from './dialog.tsx';
import type { FieldShape } from './field.tsx';
import { NewButton } from './new-button.tsx';
import { say } from './notices.tsx';
import { Section } from './screen.tsx';
import { type Column, List } from './table.tsx';

export interface ThingsProps<Row> {
  readonly title: string;
  readonly asked: Asked<readonly Row[]>;
  readonly keyOf: (row: Row) => string | number;
  readonly nameOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  readonly empty: ComponentChildren;
  readonly canWrite: boolean;
  /** One more: the label of the button, and the members that are asked for. */
  readonly add?: {
    readonly label: string;
    readonly fields: readonly FieldShape[];
    readonly create: (body: Record<string, unknown>) => Promise<unknown>;
  };
  /** Buttons beside that one. */
  readonly actions?: ComponentChildren;
  /** The verb, such as `Delete`, what is lost by it, and how. */
  readonly remove?: {
    readonly verb: string;
    readonly loss: string;
    readonly act: (row: Row) => Promise<unknown>;
  };
}

/** A small list on a screen, whose items are added and removed there. */
export function Things<Row>({
  title,
  asked,
  keyOf,
  nameOf,
  columns,
  empty,
  canWrite,
  add,
  actions,
  remove,
}: ThingsProps<Row>) {
  return (
    <Section
      title={title}
      actions={
        canWrite && (
          <>
            {actions}
            {add && (
              <NewButton
                label={add.label}
                fields={add.fields}
                done="Added."
                create={async (body) => {
                  await add.create(body);
                  await asked.again();
                }}
              />
            )}
          </>
        )
      }
    >
      <List
        caption={title}
        asked={asked}
        keyOf={keyOf}
        columns={[
          ...columns,
          ...(canWrite && remove
            ? [
                {
                  title: 'Actions',
                  cell: (row: Row) => (
                    <ConfirmButton
                      label={remove.verb}
                      of={nameOf(row)}
                      title={`${remove.verb} ${nameOf(row)}?`}
                      words={remove.loss}
                      verb={remove.verb}
                      act={async () => {
                        await remove.act(row);
                        await asked.again();
                        say(`${nameOf(row)}: done.`);
                      }}
                    />
                  ),
                },
              ]
            : []),
        ]}
        empty={empty}
      />
    </Section>
  );
}
