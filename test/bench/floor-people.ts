/** Users with all that is known of them: what the management API tells, of the floors on both databases. */

import type { Answered } from './floor-parts.ts';

export const pageSize = 50;

/** PostgreSQL's driver has large numbers as text. */
type Large = number | string;

export interface PersonRow {
  readonly id: Large;
  readonly email: string;
  readonly verified_email: string | null;
  readonly username: string | null;
  readonly firstname: string;
  readonly lastname: string;
  readonly title: string | null;
  readonly department: string | null;
  readonly company: string | null;
  readonly phone: string | null;
  readonly comment: string | null;
  readonly external_id: string | null;
  readonly group_id: number | null;
  readonly manager_user_id: number | null;
  readonly preferred_locale_code: string | null;
  readonly policy_id: number | null;
  readonly status: number;
  readonly state: number;
  readonly invalid_login_attempts: number;
  readonly locked_until: Large | null;
  readonly activated_at: Large | null;
  readonly last_login: Large | null;
  readonly invitation_sent_at: Large | null;
  readonly password_changed_at: Large | null;
  readonly created_at: Large;
  readonly updated_at: Large;
  /** A JSON array. */
  readonly role_ids: string;
}

/** The columns of users, but for their key; `time` is the type of those that hold a time. */
export const peopleColumns = (time: 'integer' | 'bigint') => `
  email text unique, verified_email text, username text, firstname text, lastname text, title text, department text,
  company text, phone text, comment text, external_id text, group_id integer, manager_user_id integer,
  preferred_locale_code text, policy_id integer, status integer, state integer, invalid_login_attempts integer,
  locked_until ${time}, activated_at ${time}, last_login ${time}, invitation_sent_at ${time},
  password_changed_at ${time}, created_at ${time}, updated_at ${time}, password_digest text`;

function time(milliseconds: Large | null): string | null {
  return milliseconds === null ? null : new Date(Number(milliseconds)).toISOString();
}

/** All that the management API tells of a user. */
export function represent(person: PersonRow): object {
  return {
    id: Number(person.id),
    email: person.email,
    email_verified: person.email === person.verified_email,
    username: person.username,
    firstname: person.firstname,
    lastname: person.lastname,
    title: person.title,
    department: person.department,
    company: person.company,
    phone: person.phone,
    comment: person.comment,
    external_id: person.external_id,
    group_id: person.group_id,
    role_ids: JSON.parse(person.role_ids),
    manager_user_id: person.manager_user_id,
    preferred_locale_code: person.preferred_locale_code,
    policy_id: person.policy_id,
    custom_attributes: {},
    status: person.status,
    state: person.state,
    invalid_login_attempts: person.invalid_login_attempts,
    locked_until: time(person.locked_until),
    activated_at: time(person.activated_at),
    last_login: time(person.last_login),
    invitation_sent_at: time(person.invitation_sent_at),
    password_changed_at: time(person.password_changed_at),
    created_at: time(person.created_at),
    updated_at: time(person.updated_at),
  };
}

/** A page; one user more than it has tells that another page follows. */
export function pageAnswer(found: readonly PersonRow[]): Answered {
  const page = found.slice(0, pageSize);
  const after = found.length > page.length ? { 'after-cursor': String(page.at(-1)?.id) } : undefined;
  const text = JSON.stringify(page.map(represent));
  return { status: 200, text, headers: { 'page-items': String(page.length), ...after } };
}
