export const pageRequests = {} as never;
