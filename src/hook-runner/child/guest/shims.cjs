/** Modules of Node that need no machine, as packages of the registry have them. Each is evaluated when asked for. */
module.exports = {
  __proto__: null,
  assert: () => require('assert/'),
  buffer: () => require('buffer/'),
  events: () => require('events/'),
  path: () => require('path-browserify'),
  querystring: () => require('querystring-es3'),
  url: () => require('url/'),
  util: () => require('util/'),
};
