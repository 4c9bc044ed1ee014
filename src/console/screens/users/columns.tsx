/** The columns of the list of users: which there are, and which the address bar asks for. */

import { useEffect } from 'preact/hooks';
import type { Schemas } from '../../api/contract.ts';
import { NewButton } from '../../parts/new-button.tsx';
import { stored } from '../../parts/stored.ts';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { setQuery } from '../../routing/address.ts';
import { UserLink } from './user-link.tsx';
import { statusOf } from './words.ts';

type User = Schemas['User'];
type Attribute = Schemas['CustomAttribute'];

interface NamedColumn extends Column<User> {
  /** In the address bar. */
  readonly name: string;
}

type TextMember =
  | 'email'
  | 'username'
  | 'firstname'
  | 'lastname'
  | 'title'
  | 'department'
  | 'company'
  | 'phone'
  | 'external_id'
  | 'preferred_locale_code'
  | 'comment';
type TimeMember = 'last_login' | 'created_at' | 'updated_at' | 'activated_at' | 'password_changed_at' | 'locked_until';

const text = (name: TextMember, title: string): NamedColumn => ({
  name,
  title,
  cell: (user) => <bdi>{user[name] ?? '–'}</bdi>,
});
const time = (name: TimeMember, title: string, none?: string): NamedColumn => ({
  name,
  title,
  cell: (user) => <Time at={user[name]} none={none} />,
});

const first: Column<User> = { title: 'Name', cell: (user) => <UserLink user={user} /> };

const members: readonly NamedColumn[] = [
  text('email', 'E-mail'),
  text('username', 'User name'),
  {
    name: 'status',
    title: 'Status',
    cell: ({ status }) => <span class={`status status-${status}`}>{statusOf(status)}</span>,
  },
  time('last_login', 'Last sign-in', 'Never'),
  text('firstname', 'First name'),
  text('lastname', 'Last name'),
  text('title', 'Title'),
  text('department', 'Department'),
  text('company', 'Company'),
  text('phone', 'Phone'),
  text('external_id', 'External ID'),
  text('preferred_locale_code', 'Language'),
  text('comment', 'Notes'),
  { name: 'email_verified', title: 'E-mail verified', cell: ({ email_verified: is }) => (is ? 'Yes' : 'No') },
  time('created_at', 'Created'),
  time('updated_at', 'Changed'),
  time('activated_at', 'Activated', 'Never'),
  time('password_changed_at', 'Password set', 'No password'),
  time('locked_until', 'Paused until'),
];

const usual = ['email', 'username', 'status', 'last_login'];

function columnsWith(attributes: readonly Attribute[]): readonly NamedColumn[] {
  const own = attributes.map(({ name, shortname }) => ({
    name: `custom_attributes.${shortname}`,
    title: name,
    cell: ({ custom_attributes: values }: User) => <bdi>{values[shortname] ?? '–'}</bdi>,
  }));
  return [...members, ...own];
}

/** What was chosen last: the screen begins with it as long as the page is open. */
const last = stored('');

/** The columns that the address bar asks for; `name` alone asks for no other. */
function namesIn(query: URLSearchParams): readonly string[] {
  return query.get('columns')?.split(',') ?? usual;
}

export function columnsOf(query: URLSearchParams, attributes: readonly Attribute[]): readonly Column<User>[] {
  const names = namesIn(query);
  return [first, ...columnsWith(attributes).filter(({ name }) => names.includes(name))];
}

interface ChooseColumnsProps {
  readonly query: URLSearchParams;
  readonly attributes: readonly Attribute[];
}

export function ChooseColumns({ query, attributes }: ChooseColumnsProps) {
  const known = columnsWith(attributes);
  const asked = query.get('columns');
  const keep = (columns: string, how: 'push' | 'replace') =>
    setQuery({ columns, cursor: query.get('cursor') ?? '' }, how);
  useEffect(() => {
    if (asked === null && last.get() !== '') keep(last.get(), 'replace');
  }, [asked]);
  const choose = async ({ columns }: { readonly columns?: unknown }) => {
    const wanted = columns as readonly string[];
    const names = known.map(({ name }) => name).filter((name) => wanted.includes(name));
    const isUsual = names.length === usual.length && usual.every((name) => names.includes(name));
    last.set(isUsual ? '' : names.join() || 'name');
    keep(last.get(), 'push');
  };
  return (
    <NewButton
      label="Columns"
      isPlain
      fields={[
        {
          name: 'columns',
          label: 'Columns beside the name',
          kind: 'many',
          options: known.map(({ name, title }) => [name, title] as const),
        },
      ]}
      value={{ columns: namesIn(query) }}
      verb="Show"
      done="The list shows these columns."
      create={choose}
    />
  );
}
