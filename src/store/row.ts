/** What new rows are given, and changes of rows that there are. */

export type New<Row, Given extends keyof Row = never> = Omit<Row, 'id' | Given>;

/** A new row of what may follow a policy: none unless one is named. */
export type Following<Row extends { readonly policyId: number | null }> = Omit<Row, 'policyId'> &
  Partial<Pick<Row, 'policyId'>>;

export type Changes<Row, Named extends keyof Row> = Partial<Pick<Row, Named>>;
