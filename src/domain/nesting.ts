/** The number of levels that a body may be nested, and a parameter in a request object. */
export const mostLevels = 32;
