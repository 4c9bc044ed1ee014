import fc from 'fast-check';
import { type FaultArbitrary, fault } from './fault.ts';

/** Documents that are none, or that two readers could read as two. */
const malformed = [
  ...[
    '<user>',
    '<user></users>',
    '<user/><user/>',
    '<user/>x',
    'x',
    '<user><email>a</user>',
    '<user a/>',
    '<>',
    '\u0000',
  ],
  ...['<user><email>a&b</email></user>', '<user><email>&nbsp;</email></user>', '<user><email>&#0;</email></user>'],
  ...['<!DOCTYPE user><user/>', '<!DOCTYPE u [<!ENTITY a "b">]><user><email>&a;</email></user>', '<?php ?><user/>'],
  ...['<user><email>a@x.com<!-- -->.evil.com</email></user>', '<user><email>a<![CDATA[b]]></email></user>'],
  ...['<x:user xmlns:x="urn:x"/>', '<user xmlns="urn:x"/>', '<?xml version="1.0" encoding="UTF-16"?><user/>'],
];

/** Documents that the contract does not describe. */
const unfit = [
  ...[
    '<users/>',
    '<user>text</user>',
    '<user nil="true"/>',
    '<user><user/></user>',
    '<user id="1"/>',
    '<user nil="x"/>',
  ],
  ...[
    '<user><email><b/></email></user>',
    '<user><email nil="true">x</email></user>',
    '<user><admin>true</admin></user>',
  ],
];

export function xmlFaults(): FaultArbitrary[] {
  return [
    fault('__proto__', { value: fc.constantFrom('', 'text', '<admin/>') }),
    fault('nested too deep', { value: fc.integer({ min: 17, max: 2000 }) }),
    fault('malformed body', { value: fc.constantFrom(...malformed) }),
    fault('unfit body', { value: fc.constantFrom(...unfit) }),
    fault('too many members'),
  ];
}
