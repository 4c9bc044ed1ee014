/** The process in which the floor's hook runs. */

interface Run {
  readonly id: number;
  readonly context: { readonly user: object };
}

const handler = async ({ user }: Run['context']) => ({ user });

process.on('message', ({ id, context }: Run) => {
  void handler(context).then((value) => process.send?.({ id, value }));
});
process.once('disconnect', () => process.exit());
