/** What is kept in memory of a kind, the oldest first, within bounds. */

const mostKept = 10_000;
/** Characters, as JSON, of what is weighed. */
const mostCharacters = 16_000_000;
/** Of one account, so that others keep theirs. */
const mostOfAccount = 4_000_000;

export interface Kept<Value> {
  readonly accountId: number;
  readonly generation: number;
  readonly value: Value;
  /** Zero where its kind is not weighed. */
  readonly characters: number;
}

export class Room<Value> {
  readonly #entries = new Map<string, Kept<Value>>();
  /** Characters by account, where there are any. */
  readonly #ofAccounts = new Map<number, number>();
  #characters = 0;

  get(key: string): Kept<Value> | undefined {
    return this.#entries.get(key);
  }

  drop(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#weigh(entry.accountId, -entry.characters);
  }

  /** The oldest of its account make room for it, then the oldest of all. */
  keep(key: string, entry: Kept<Value>): void {
    this.drop(key);
    const { accountId, characters } = entry;
    const isOwnFull = () => (this.#ofAccounts.get(accountId) ?? 0) + characters > mostOfAccount;
    const isFull = () => this.#entries.size >= mostKept || this.#characters + characters > mostCharacters;
    if (isOwnFull()) {
      for (const [oldest, other] of this.#entries) {
        if (other.accountId === accountId) this.drop(oldest);
        if (!isOwnFull()) break;
      }
    }
    for (const oldest of this.#entries.keys()) {
      if (!isFull()) break;
      this.drop(oldest);
    }
    this.#entries.set(key, entry);
    this.#weigh(accountId, characters);
  }

  #weigh(accountId: number, characters: number): void {
    this.#characters += characters;
    const ofAccount = (this.#ofAccounts.get(accountId) ?? 0) + characters;
    if (ofAccount === 0) this.#ofAccounts.delete(accountId);
    else this.#ofAccounts.set(accountId, ofAccount);
  }
}
