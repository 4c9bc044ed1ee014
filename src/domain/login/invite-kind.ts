/** `reset`: the user asked for the link; else an administrator did. */
export type InviteKind = 'invite' | 'reset';
