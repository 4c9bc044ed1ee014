/** Bodies and queries that every operation of every surface refuses. */

export const jsonType = 'application/json';
const formType = 'application/x-www-form-urlencoded';
const xmlType = 'application/xml';

/**
 * Bodies that no surface reads, by media type: the title, the raw body, and what the answer must name where it says
 * why.
 */
export const unreadable: Readonly<
  Record<string, Readonly<Record<string, readonly [raw: string | Buffer, named: RegExp]>>>
> = {
  [jsonType]: {
    'malformed JSON': ['{"a":', /not valid JSON/],
    'JSON that is not an object': ['"text"', /not a JSON object/],
    'text after the JSON': ['{} {}', /JSON/],
    'a member given twice': ['{"x":1,"x":2}', /x is given twice/],
    'a member given twice, once escaped': ['{"x":1,"\\u0078":2}', /x is given twice/],
    'a control character in a value': ['{"x":"a\\u0000b"}', /x contains/],
    'a control character in a name': ['{"a\\u0007":1}', /contains/],
    'half a surrogate pair': ['{"x":"\\ud800"}', /x contains/],
    'an own __proto__': ['{"__proto__":{"polluted":1}}', /__proto__/],
    'an own __proto__ further down': ['{"x":[{"__proto__":{"polluted":1}}]}', /__proto__/],
    'depth 33': [`${'{"x":'.repeat(33)}1${'}'.repeat(33)}`, /nested deeper than 32/],
    'depth 10,000': [`${'['.repeat(10_000)}${']'.repeat(10_000)}`, /nested deeper than 32/],
    'bytes that are not UTF-8': [Buffer.from([0x7b, 0x22, 0x78, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d]), /UTF-8/],
  },
  [formType]: {
    'a member given twice': ['x=1&x=2', /x is given twice/],
    'a repeated member, once empty': ['x=1&x=', /x is given twice/],
    'a member given twice, once escaped': ['x=1&%78=2', /x is given twice/],
    'a control character in a value': ['x=a%00b', /x contains/],
    'a control character in a name': ['a%07=1', /contains/],
    'more than 50 members': [Array.from({ length: 51 }, (_, index) => `x${index}=1`).join('&'), /more than 50 members/],
    'bytes that are not UTF-8': ['x=%ff%fe', /UTF-8/],
  },
  [xmlType]: {
    'no element': ['', /element/],
    'an element that does not end': ['<user><email>a@example.com</user>', /./],
    'text after the element': ['<user></user><user></user>', /./],
    'a document type': ['<!DOCTYPE user [<!ENTITY x "y">]><user><email>&x;</email></user>', /./],
    'a repeated element': [
      '<user><email>a@example.com</email><email>b@example.com</email></user>',
      /must not be repeated/,
    ],
    'a control character': ['<user><email>a&#0;b</email></user>', /./],
    'depth 1,000': [`<user>${'<x>'.repeat(1000)}${'</x>'.repeat(1000)}</user>`, /./],
    'bytes that are not UTF-8': [Buffer.from('<user><email>\xff\xfe</email></user>', 'latin1'), /UTF-8/],
  },
};

/** Bodies with an odd member that is nothing to any operation: read as if it were not there, or refused. */
export const odd: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [jsonType]: {
    constructor: '{"constructor":{"prototype":{"polluted":1}}}',
    'names of Object.prototype': '{"toString":1,"hasOwnProperty":2,"valueOf":"x"}',
    'depth 32': `${'{"x":'.repeat(31)}{}${'}'.repeat(31)}`,
    'an empty object': '{}',
    'an empty array': '[]',
  },
  [formType]: {
    __proto__: '__proto__=1&__proto__[polluted]=1&constructor[prototype][polluted]=1',
    brackets: 'client_id[]=a&grant_type[]=b&x[a][b]=c&x.y=z',
    'names of Object.prototype': 'toString=1&hasOwnProperty=2&valueOf=x',
    '50 members': Array.from({ length: 50 }, (_, index) => `x${index}=1`).join('&'),
    'stray separators': '&&&=&=x&;&%',
    'a bad escape': 'x=%zz&y=%',
    'nothing but a name': 'grant_type',
  },
  [xmlType]: {
    __proto__: '<user><__proto__><polluted>1</polluted></__proto__></user>',
    constructor: '<user><constructor><prototype><polluted>1</polluted></prototype></constructor></user>',
    'names of Object.prototype': '<user><toString>1</toString><hasOwnProperty>2</hasOwnProperty></user>',
    attributes: '<user __proto__="1" type="array" nil="true" xmlns:x="y"><email type="integer">x</email></user>',
    'an empty element': '<user/>',
    'comments and instructions': '<?x y?><!-- z --><user><!-- z --></user>',
  },
};

/** Queries that no surface reads. */
export const badQueries = ['twice=1&twice=2', 'x=%00', '%07=1', 'x=%1b[2J', 'x=%ff'];
export const oddQueries = [
  '__proto__=1',
  'constructor=1',
  'a[]=1&a[b]=2',
  '%',
  'x=%zz',
  '&&==',
  'toString=1',
  `x=${'y'.repeat(7000)}`,
];
