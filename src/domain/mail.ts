/** Messages to users: what the domain asks of whoever sends them. */

/** A message to one address. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /** Settles when the mail server, or the folder, has taken the message; rejects when it did not. */
  send(mail: Mail): Promise<void>;
}
