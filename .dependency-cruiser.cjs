/**
 * Who may import whom: the rules of the house. `npm run check` applies them.
 * A path that a rule lets pass is a decision; write its reason into the rule's comment.
 */

/** What type-only imports leave behind at run time is nothing. */
const typesOnly = ['type-only'];
const src = '^src/';

/** A package (or several, as a part of a regular expression) that only the given paths may import. */
function only(name, packages, allowed) {
  return {
    name: `${name}-has-its-place`,
    comment: `Only ${allowed.join(' and ')} may import ${packages}.`,
    severity: 'error',
    from: { path: src, pathNot: allowed.map((path) => `^${path}`) },
    to: { path: `^node_modules/(@types/)?(${packages})/` },
  };
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'surface-imports',
      comment:
        'A surface knows its contract, the domain and how an operation is tied to its handler; ' +
        'not another surface, not the store, no package.',
      severity: 'error',
      from: { path: '^src/surfaces/([^/]+)/' },
      to: {
        pathNot: [
          '^src/http/operation\\.ts$',
          '^src/http/event-stream\\.ts$', // an answer that goes on
          '^src/http/text-parts\\.ts$', // a long one
          '^src/http/contract\\.ts$', // the address of an operation, for links
          '^src/http/xml-text\\.ts$', // how text stands in XML
          '^src/http/integer-text\\.ts$', // how an id stands in a text
          '^src/http/peer-address\\.ts$', // how an address stands in a text
          '^src/http/json-errors\\.ts$', // how errors look that two surfaces have in common
          '^src/http/surface\\.ts$', // narrowed below: its `SurfaceDefinition` is what a surface is
          '^src/domain/',
          '^src/services\\.ts$',
          '^src/pages/', // narrowed below
          '^generated/$1\\.(ts|json)$',
          '^src/surfaces/$1/',
        ],
      },
    },
    {
      name: 'surface-is-defined-not-mounted',
      comment: 'A surface says what it is; app.ts mounts it.',
      severity: 'error',
      from: { path: '^src/surfaces/' },
      to: { path: '^src/http/surface\\.ts$', dependencyTypesNot: typesOnly },
    },
    {
      name: 'pages-are-for-browsers',
      comment: 'Only the surfaces that a browser is sent to answer with hosted pages.',
      severity: 'error',
      from: { path: '^src/surfaces/', pathNot: '^src/surfaces/(pages|oauth2)/' },
      to: { path: '^src/pages/' },
    },
    {
      name: 'http-knows-no-identity',
      comment:
        'Of the domain the HTTP layer knows the failure and its words, the form of lists and the turns of long ones, what ' +
        'counts as one network, the two questions that every request begins with, which account and which caller, how to ' +
        'read the certificate that came with it, how to say for whom it is at work, how to answer a repeated request, that ' +
        'a request looks once, and how deep what is sent may be nested; types alone of the rest.',
      severity: 'error',
      from: { path: '^src/http/' },
      to: {
        path: src,
        pathNot: [
          '^src/http/',
          '^src/services\\.ts$',
          '^src/tracing/methods\\.ts$', // which methods have a name in a trace
          '^src/domain/(describe\\.ts$|failure\\.ts$|idempotency\\.ts$|listing\\.ts$|long-lists\\.ts$|nesting\\.ts$|network-source\\.ts$|one-look\\.ts$|secrets\\.ts$|accounts/|callers/|clients/client-certificate\\.ts$|audit/context\\.ts$)',
        ],
        dependencyTypesNot: typesOnly,
      },
    },
    {
      name: 'http-below-surfaces',
      comment: 'The HTTP layer is handed surfaces and services; it names none, not even in types.',
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: '^src/(surfaces|store|adapters|cli|main\\.ts|app\\.ts|config\\.ts)' },
    },
    {
      name: 'domain-imports',
      comment: 'The domain knows identity: no HTTP, no SQL, no framework.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: {
        dependencyTypesNot: ['core'],
        pathNot: [
          '^src/domain/',
          '^src/store/(?!cached)[^/]+\\.ts$', // the nouns, not the cache in front of them
          '^src/services\\.ts$', // narrowed below
          '^node_modules/(@types/)?(jose|semver)/',
        ],
      },
    },
    {
      name: 'domain-asks-for-types',
      comment: 'Services are arguments: the domain imports their types.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { path: '^src/services\\.ts$', dependencyTypesNot: typesOnly },
    },
    {
      name: 'one-way-in',
      comment:
        'What opens a session, a code, a grant or says that somebody signed in is called by the one module that has it ' +
        'from `admit` that they may. Which verbs of the store these files alone may call, scripts/source-rules.ts says.',
      severity: 'error',
      from: { path: src, pathNot: '^src/domain/opening/(open\\.ts|openers/)' },
      to: { path: '^src/domain/opening/openers/', dependencyTypesNot: typesOnly },
    },
    {
      name: 'store-interface-imports',
      comment: 'The store is described in the words of the domain: no Knex types, no driver, no framework.',
      severity: 'error',
      from: { path: '^src/store/[^/]+\\.ts$' },
      to: { pathNot: ['^src/store/[^/]+\\.ts$', '^src/domain/'] },
    },
    {
      name: 'store-imports',
      comment: 'The store keeps records; of the domain it knows the one failure type, and lengths of time.',
      severity: 'error',
      from: { path: '^src/store/knex/' },
      to: { path: src, pathNot: ['^src/store/', '^src/domain/(durations|failure)\\.ts$'] },
    },
    {
      name: 'store-insides',
      comment: 'The store is opened through its index by those who compose the program.',
      severity: 'error',
      from: { path: src, pathNot: '^src/store/knex/' },
      to: { path: '^src/store/knex/', pathNot: '^src/store/knex/index\\.ts$' },
    },
    {
      name: 'store-is-composed',
      comment: 'Everybody else is given the store by its interface.',
      severity: 'error',
      from: { path: src, pathNot: ['^src/store/knex/', '^src/(main|open-store|gatehouse)\\.ts$', '^src/cli/'] },
      to: { path: '^src/store/knex/' },
    },
    {
      name: 'databases-apart',
      comment: 'What belongs to one database does not know the other, whose driver is not loaded.',
      severity: 'error',
      from: { path: '^src/store/knex/(sqlite|postgres)/' },
      to: { path: '^src/store/knex/(sqlite|postgres)/', pathNot: '^src/store/knex/$1/' },
    },
    {
      name: 'migrations-ask-which-database',
      comment: 'They never change. Everybody else asks the dialect for what differs, which has it for both.',
      severity: 'error',
      from: { path: src, pathNot: '^src/store/knex/migrations/' },
      to: { path: '^src/store/knex/migrations/is_postgres\\.ts$' },
    },
    {
      name: 'adapter-imports',
      comment: 'An adapter stands behind an interface of services.ts and knows nobody else.',
      severity: 'error',
      from: { path: '^src/adapters/' },
      to: {
        path: src,
        pathNot: [
          '^src/adapters/',
          '^src/services\\.ts$',
          '^src/domain/durations\\.ts$',
          '^src/domain/egress\\.ts$', // how large what is fetched may be
          '^src/domain/unprintable\\.ts$', // which characters are no text to read
          '^src/domain/(failure|users/imported-passwords)\\.ts$', // what is stored for a password, and its check
          '^src/domain/users/people/person\\.ts$', // which members of a person are secrets, and keep their characters
          '^src/domain/fair-queue/fair-queue\\.ts$', // who is digested next
        ],
        dependencyTypesNot: typesOnly,
      },
    },
    {
      name: 'tracing-imports',
      comment: 'What is traced is wrapped: it knows the ports that it wraps.',
      severity: 'error',
      from: { path: '^src/tracing/' },
      to: {
        path: src,
        pathNot: ['^src/tracing/', '^src/services\\.ts$', '^src/domain/failure\\.ts$'],
        dependencyTypesNot: typesOnly,
      },
    },
    {
      name: 'metrics-imports',
      comment: 'What is measured is told to it: it knows the ports that it wraps and the lists that close its labels.',
      severity: 'error',
      from: { path: '^src/metrics/' },
      to: {
        path: src,
        pathNot: [
          '^src/metrics/',
          '^src/services\\.ts$',
          '^src/store/[^/]+\\.ts$',
          '^src/domain/accounts/(limit|surface)-settings\\.ts$',
          '^src/domain/keys/(rotation-step|signing-keys)\\.ts$',
          '^src/domain/login/methods\\.ts$', // what the values of `amr` mean
          '^src/domain/audit/sign-ins\\.ts$', // what the trail says of sign-ins
        ],
        dependencyTypesNot: typesOnly,
      },
    },
    {
      name: 'hook-runner-imports',
      comment: 'Whoever runs functions knows the port by which it is asked for, and nobody else.',
      severity: 'error',
      from: { path: '^src/hook-runner/' },
      to: {
        path: src,
        pathNot: [
          '^src/hook-runner/',
          '^src/programs/programs\\.ts$',
          '^src/runtime/add-ons\\.ts$', // why one cannot be loaded, in words for operators
          '^src/domain/(durations|egress|hooks/(runner|package-builds))\\.ts$',
        ],
      },
    },
    {
      name: 'hook-process-imports',
      comment: 'The program of a hook process is a world of its own: messages and their bounds are all it shares.',
      severity: 'error',
      from: { path: '^src/hook-runner/child/' },
      to: { path: src, pathNot: ['^src/hook-runner/child/', '^src/hook-runner/(protocol|frames)\\.ts$'] },
    },
    {
      name: 'hook-process-is-started-not-imported',
      comment: 'It is bundled by src/programs/, and started from where that puts it.',
      severity: 'error',
      from: { path: src, pathNot: '^src/hook-runner/child/' },
      to: { path: '^src/hook-runner/child/' },
    },
    {
      name: 'hook-runner-is-composed',
      comment: 'Everybody else is given the runner by the port of the domain.',
      severity: 'error',
      from: {
        path: src,
        pathNot: ['^src/hook-runner/', '^src/hook-packages/', '^src/(main|create-services)\\.ts$', '^src/cli/'],
      },
      to: { path: '^src/hook-runner/' },
    },
    {
      name: 'hook-packages-imports',
      comment:
        'Whoever builds packages knows the port by which it is asked for, what packages are called, and how a process is ' +
        'shut in and spoken to; requests are made by the egress that it is given.',
      severity: 'error',
      from: { path: '^src/hook-packages/' },
      to: {
        path: src,
        pathNot: [
          '^src/hook-packages/',
          '^src/programs/programs\\.ts$',
          '^src/hook-runner/(command|confinement|layers|framed-process|frames)\\.ts$',
          '^src/domain/(durations|egress|unprintable|hooks/(check-packages|package-builds|package-grammar))\\.ts$',
        ],
      },
    },
    {
      name: 'package-process-imports',
      comment: 'The programs of a build are worlds of their own: messages, their bounds and names are all they share.',
      severity: 'error',
      from: { path: '^src/hook-packages/child/' },
      to: {
        path: src,
        pathNot: [
          '^src/hook-packages/(child/|protocol\\.ts$)',
          '^src/hook-runner/frames\\.ts$',
          '^src/domain/hooks/(package-builds|package-grammar)\\.ts$',
        ],
      },
    },
    {
      name: 'package-processes-are-started-not-imported',
      comment: 'They are bundled by src/programs/, and started from where that puts them.',
      severity: 'error',
      from: { path: src, pathNot: '^src/(hook-packages/child|programs)/' },
      to: { path: '^src/hook-packages/child/' },
    },
    {
      name: 'console-imports',
      comment: 'The console is a client like any other: it knows the contract, as types, and nothing of the service.',
      severity: 'error',
      from: { path: '^src/console/' },
      to: { path: '^(src|generated)/', pathNot: ['^src/console/', '^generated/(api-2\\.ts$|console/)'] },
    },
    {
      name: 'console-knows-types-alone',
      comment: 'What is generated for the service is not sent to browsers.',
      severity: 'error',
      from: { path: '^src/console/' },
      to: { path: '^generated/', pathNot: '^generated/console/', dependencyTypesNot: typesOnly },
    },
    {
      name: 'console-is-bundled-not-imported',
      comment: 'It runs in browsers. src/programs/ bundles it, and src/http/console.ts sends what that made.',
      severity: 'error',
      from: { path: src, pathNot: '^src/console/' },
      to: { path: '^src/console/' },
    },
    only('isolated-vm', 'isolated-vm', ['src/hook-runner/child/']),
    only('express', 'express|express-openapi-validator|express-serve-static-core', ['src/http/', 'src/app\\.ts']),
    only('xml', 'xml2js', ['src/http/']),
    only('knex', 'knex', ['src/store/knex/']),
    only('database-driver', 'better-sqlite3|pg|pg-.*', ['src/store/knex/']),
    only('argon2', '@node-rs/argon2.*', ['src/adapters/']),
    only('bcrypt', '@node-rs/bcrypt.*', ['src/adapters/']),
    only('mail', 'nodemailer', ['src/adapters/mail.ts']),
    only('totp', 'otpauth', ['src/adapters/']),
    only('passkeys', '@simplewebauthn/server', ['src/adapters/']),
    only('eta', 'eta', ['src/pages/']),
    only('markdown', 'marked', ['src/pages/docs/']),
    only('qrcode', 'qrcode', ['src/pages/']),
    only('pino', 'pino', ['src/http/', 'src/adapters/']),
    only('opentelemetry', '@opentelemetry/.*', ['src/tracing/opentelemetry\\.ts']),
    only('prom-client', 'prom-client', ['src/metrics/']),
    // The doctor of APIs reads tokens of anybody's authorization server, as a client does.
    only('jose', 'jose', ['src/domain/', 'src/adapters/', 'src/cli/resource-doctor/']),
    only('archives', 'tar', ['src/hook-packages/child/']),
    only('bundler', 'esbuild', ['src/hook-packages/child/', 'src/programs/', 'src/whole-program/']),
    only('addresses', 'ipaddr.js', ['src/adapters/egress/']),
    {
      name: 'decoders-have-their-place',
      comment:
        'Strangers compress what they send: one decoder in the service itself, for gzip alone, the others in processes ' +
        'that hold nothing.',
      severity: 'error',
      from: {
        path: src,
        pathNot: [
          '^src/adapters/egress/coding\\.ts$',
          '^src/hook-(runner|packages)/child/',
          '^src/programs/write-console\\.ts$', // compresses only
        ],
      },
      to: { path: '^(node:)?zlib$' },
    },
    only('preact', 'preact', ['src/console/']),
    only('editor', '@codemirror/.*|@lezer/.*', ['src/console/screens/hooks/editor/']),
    only('location', 'maxmind', ['src/adapters/geoip.ts']),
    only('csv', 'csv-parse|csv-stringify', ['src/adapters/people-files.ts']),
    only('commander', 'commander', ['src/cli', 'src/gatehouse.ts']),
    {
      name: 'no-circular',
      comment: 'Modules that need each other are one module, or want a third. Types may refer to each other.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: typesOnly } },
    },
    {
      name: 'no-orphans',
      comment: 'A module that nothing imports and that imports nothing is dead.',
      severity: 'error',
      from: { orphan: true, path: src, pathNot: ['^src/gatehouse\\.ts$', '\\.d\\.c?ts$', '^src/pages/assets/'] },
      to: {},
    },
    {
      name: 'no-dead-modules',
      comment: 'Whatever the command line cannot reach is dead, even when a test imports it.',
      severity: 'error',
      from: { path: '^src/gatehouse\\.ts$' },
      // Programs of their own: those of hook processes and of builds are reached through their bundles, those of threads
      // by their paths. The scripts of the pages run in browsers.
      to: {
        path: src,
        pathNot: [
          '\\.d\\.c?ts$',
          '^src/hook-(runner|packages)/child/',
          '^src/programs/(bundle|notices|write|write-console)\\.ts$',
          '^src/console/', // runs in browsers
          '^src/whole-program/(bundle|entry|write)\\.ts$', // what makes the one file, and what that begins with
          '^src/runtime/(host-node|told-versions)\\.ts$', // asked by bin/start.js, before anything else is loaded
          '^src/adapters/password-thread\\.js$',
          '^src/hook-runner/syntax-process\\.js$',
          '^src/store/knex/sqlite/reading-thread\\.js$',
          '^src/pages/assets/',
        ],
        reachable: false,
      },
    },
    {
      name: 'no-test-code-in-src',
      comment: 'The program stands without its tests and scripts.',
      severity: 'error',
      from: { path: src },
      to: { path: '^(test|scripts)/' },
    },
    {
      name: 'no-development-dependency',
      comment: 'What src imports is installed where `npm ci --omit=dev` was run. Types vanish.',
      severity: 'error',
      from: { path: src },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: typesOnly,
        // Loaded where an operator installed it; the start says what is missing.
        pathNot: ['^node_modules/@types/', '^node_modules/@opentelemetry/'],
      },
    },
    {
      name: 'no-undeclared-package',
      comment: 'A package that only another package declares can vanish with it.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Files under assets/ are sent to browsers as they are; nothing here imports them.
    // The clients of test/conformance/javascript have packages of their own, which are never installed here.
    exclude: { path: ['^test/conformance/javascript/', '^node_modules/\\.cache/', '^src/pages/(docs/)?assets/'] },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default', 'require'],
      mainFields: ['main', 'types'],
    },
  },
};
