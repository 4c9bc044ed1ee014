/** How a careful developer has generated clients compiled. */
export const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: [],
  module: 'nodenext',
  // Those of the compiler itself, which take longer than all that was generated.
  skipDefaultLibCheck: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  outDir: 'built',
};
