declare const shims: Readonly<Record<string, () => unknown>>;
export = shims;
