/** The floor of delegated authentication, whatever keeps its users. */

import type { Person } from './floor-bodies.ts';
import { type Floor, refused } from './floor-parts.ts';

interface Delegation<Someone extends Person> {
  /** Null when the key or the password is wrong. */
  check(apiKey: string, email: string, password: string, done: (person: Someone | null) => void): void;
  /** Writes that the user signed in. */
  note(person: Someone, done: () => void): void;
}

export function delegatedFloor<Someone extends Person>({ check, note }: Delegation<Someone>): Floor {
  return ({ rest, reply }) => {
    const { api_key = '', email = '', password = '' } = Object.fromEntries(new URLSearchParams(rest));
    check(api_key, email, password, (person) => {
      if (!person) {
        reply(refused('unauthorized'));
        return;
      }
      note(person, () => {
        const names = `<firstname>${person.firstname}</firstname><lastname>${person.lastname}</lastname>`;
        const text = `<response><authenticated>true</authenticated>${names}<message>Success</message></response>`;
        reply({ status: 200, text, headers: { 'content-type': 'application/xml' } });
      });
    });
  };
}
