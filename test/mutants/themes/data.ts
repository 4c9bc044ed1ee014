/**
 * A copy of a database is whole before anybody uses it, files of people run nothing, and claims tell no more than they
 * should.
 */

import type { Mutant } from '../mutant.ts';

export const data: readonly Mutant[] = [
  {
    id: 'copy-unfinished',
    rule: 'no server starts on a copy that lacks rows',
    file: 'open-store.ts',
    text: '(await store.facts.read(unfinishedCopy)) !== null',
    becomes: 'false',
    killedBy: 'faults/copy.test.ts',
  },
  {
    id: 'copy-compared',
    rule: 'a copy ends only when every row is the same in both databases',
    file: 'domain/database-copy/copy-database.ts',
    text: ' || original.sum !== copy.sum',
    becomes: '',
    killedBy: 'domain/database-copy/copy-database.test.ts',
  },
  {
    id: 'dry-run-names',
    rule: 'a dry run of an import knows every name that an earlier line took',
    file: 'domain/users/people/import.ts',
    text: 'for (const name of names) run.wouldExist.add(name)',
    becomes: 'run.wouldExist.add(names[0])',
    killedBy: 'domain/users/people/import.test.ts',
  },
  {
    id: 'app-token-life',
    rule: 'no app gets tokens that live longer than the contract says, whoever writes it',
    file: 'domain/clients/app-input.ts',
    text: 'minutes <= most',
    becomes: 'minutes <= 99_999_999',
    killedBy: 'cli/nouns.test.ts',
  },
  {
    id: 'told-command',
    rule: 'a command that the service tells quotes the names that others chose',
    file: 'domain/why/named.ts',
    text: '/^[\\w@%+=:,./-]+$/.test(word)',
    becomes: 'true',
    killedBy: 'domain/why/why.test.ts',
  },
  {
    id: 'export-formula',
    rule: 'no cell of an export is a formula',
    file: 'adapters/people-files.ts',
    text: 'text.replace(formula, "\'")',
    becomes: 'text',
    killedBy: 'adapters/people-files.test.ts',
  },
  {
    id: 'claims-by-scope',
    rule: 'a claim is told by its scope, or where it was asked for',
    file: 'domain/tokens/claims.ts',
    text: "told.includes(claimScopes.get(name) ?? '') ||",
    becomes: 'true ||',
    killedBy: 'surfaces/oauth2/standard-claims.ts',
  },
  {
    id: 'claims-mapped-attribute',
    rule: 'a claim is made from no attribute that another scope tells',
    file: 'domain/users/attribute-texts.ts',
    text: 'if (known.has(name)) continue;',
    becomes: 'continue;',
    killedBy: 'domain/accounts/claims-mapping.test.ts',
  },
  {
    id: 'claims-form',
    rule: 'a value that does not fit its claim is not told',
    file: 'domain/tokens/claim-forms.ts',
    text: 'return fits[form](text) ? text : undefined;',
    becomes: 'return text;',
    killedBy: 'domain/tokens/claim-forms.test.ts',
  },
  {
    id: 'user-count-folded',
    rule: 'what is folded into one row is counted once',
    file: 'store/knex/user-counts.ts',
    text: "await own().whereIn('id', ids).delete();",
    becomes: '',
    killedBy: 'store/user-counts.test.ts',
  },
  {
    id: 'user-count-before',
    rule: 'a user whom a process of the release before removed is not counted',
    file: 'store/knex/user-counts.ts',
    text: 'u.id = gone.object_id and u.counted >= 0',
    becomes: 'u.id = gone.object_id and u.counted > 1',
    killedBy: 'store/user-counts.test.ts',
  },
];
