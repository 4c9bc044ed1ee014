/** `reset`: the user asked for the link. `invite`: an administrator did. */
export type InviteKind = 'invite' | 'reset';
