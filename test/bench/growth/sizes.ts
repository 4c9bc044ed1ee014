/** The other objects of an account by its number of users: the proportions are the same at every size. */

export interface Sizes {
  readonly users: number;
  readonly apps: number;
  readonly roles: number;
  /** Of all apps together; `grantsOfLargeApp` of them are for one. */
  readonly grants: number;
  readonly grantsOfLargeApp: number;
  readonly membersOfLargeRole: number;
}

/** With 300,000 users: 20,000 apps, 1,000 roles, 500,000 grants, and a million events that all of it leaves. */
export function sizesOf(users: number): Sizes {
  return {
    users,
    apps: Math.ceil(users / 15),
    roles: Math.ceil(users / 300),
    grants: Math.ceil((users * 5) / 3),
    grantsOfLargeApp: Math.ceil((users * 4) / 3),
    membersOfLargeRole: Math.ceil(users / 3),
  };
}
