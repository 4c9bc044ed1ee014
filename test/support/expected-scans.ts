/** Statements that may look through more rows than they answer, each with its reason. */

interface ExpectedScan {
  /** The table, or its alias in the statement. */
  readonly of: RegExp;
  readonly where: RegExp;
  readonly because: string;
}

const any = /./;

export const expectedScans: readonly ExpectedScan[] = [
  {
    of: /^(accounts|account_hosts|migrations|migrations_lock|facts|sqlite_\w+|pragma_\w+|pg_\w+)$/,
    where: any,
    because: 'the installation has a few of them; an operator lists them',
  },
  {
    of: /^(signing_keys|policies|custom_attributes|others|api_keys|credentials|authorization_servers|hooks|h|v|hook_versions|hook_variables)$/,
    where: any,
    because: 'an account has tens of them at most, or a documented limit',
  },
  {
    of: /^(event_heads|last_head)$/,
    where: any,
    because: 'one row an account',
  },
];
