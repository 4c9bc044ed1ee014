import type { EgressFailure } from '../../../src/domain/egress.ts';

/** Where no request may arrive, and how it is refused. */
export interface ForbiddenTarget {
  readonly url: string;
  readonly failure: EgressFailure;
  /** What the name in the URL leads to. */
  readonly addresses?: readonly string[];
}

const literals = [
  '127.0.0.1',
  '127.1',
  '127.0.0.1.',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '2130706433',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '127.255.255.254',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.170.2',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:93.184.215.14]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::a9fe:a9fe]',
  '[2002:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[100::1]',
  '[5f00::1]',
].map((host): ForbiddenTarget => ({ url: `https://${host}/`, failure: 'address_forbidden' }));

const leading: readonly (readonly [name: string, ...addresses: string[]])[] = [
  ['loopback.example.com', '127.0.0.1'],
  ['metadata.google.internal', '169.254.169.254'],
  ['intern.example.com', '10.1.2.3', '192.168.0.9'],
  ['six.example.com', '::1', 'fd12::1'],
  ['mapped.example.com', '::ffff:127.0.0.1'],
  ['nat64.example.com', '64:ff9b::a00:1'],
  ['nowhere.example.com'],
];
const names = leading.map(
  ([name, ...addresses]): ForbiddenTarget => ({ url: `https://${name}/`, failure: 'name_unresolved', addresses }),
);

/** `gatehouse.example` is the service's domain in these tests, `login.customer.example` an extra host of an account. */
const others: readonly ForbiddenTarget[] = [
  ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'db', 'kubernetes'].map(
    (host): ForbiddenTarget => ({ url: `https://${host}/`, failure: 'host_forbidden' }),
  ),
  ...['gatehouse.example', 'demo.gatehouse.example', 'demo.gatehouse.example.', 'login.customer.example'].map(
    (host): ForbiddenTarget => ({ url: `https://${host}/`, failure: 'host_forbidden' }),
  ),
  { url: 'http://api.example.com/', failure: 'scheme_forbidden' },
  { url: 'http://169.254.169.254/latest/meta-data/', failure: 'scheme_forbidden' },
  { url: 'unix:/var/run/docker.sock', failure: 'scheme_forbidden' },
  { url: 'http+unix://%2Fvar%2Frun%2Fdocker.sock/info', failure: 'scheme_forbidden' },
  { url: 'http://unix:/var/run/docker.sock:/info', failure: 'scheme_forbidden' },
  { url: 'file:///etc/passwd', failure: 'scheme_forbidden' },
  { url: 'data:text/plain,hello', failure: 'scheme_forbidden' },
  { url: 'ftp://api.example.com/', failure: 'scheme_forbidden' },
  { url: 'gopher://127.0.0.1:6379/_INFO', failure: 'scheme_forbidden' },
  { url: 'https://api.example.com:22/', failure: 'port_forbidden' },
  { url: 'https://api.example.com:6379/', failure: 'port_forbidden' },
  { url: 'https://api.example.com:80/', failure: 'port_forbidden' },
  { url: 'https://api.example.com@127.0.0.1/', failure: 'url_invalid' },
  { url: 'https://user:secret@api.example.com/', failure: 'url_invalid' },
  { url: 'https://[fe80::1%25eth0]/', failure: 'url_invalid' },
  { url: '//127.0.0.1/', failure: 'url_invalid' },
  { url: `https://api.example.com/${'a'.repeat(9_000)}`, failure: 'url_invalid' },
];

export const forbiddenTargets: readonly ForbiddenTarget[] = [...literals, ...names, ...others];
