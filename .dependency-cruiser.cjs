/**
 * Which folder may import which (docs/architecture.md): families, hooks -> services -> core; services -> store, chain, events, counters,
 * engines; services, engines, store, chain, events, counters, app -> scheduling -> outages; everything but core -> outages; but core and scheduling -> tracing.
 */
const forbid = (name, from, to, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from },
  to: { path: to },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'A cycle, be it of types alone, means two files are one thing.',
      from: {},
      to: { circular: true },
    },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    forbid('core-imports-only-core', '^src/core/', '^src/(?!core/)', 'The core is pure: nothing of ours outside core.'),
    {
      name: 'core-does-no-io',
      severity: 'error',
      comment: 'No I/O in the core.',
      from: { path: '^src/core/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer)$' },
    },
    forbid(
      'store-chain-events-below-services',
      '^src/(store|chain|events|engines|counters)/',
      '^src/(families|hooks|services|app|main|cli|config)',
      "Adapters know core and each other's interfaces, never what uses them.",
    ),
    forbid('store-is-alone', '^src/store/', '^src/(chain|events|engines)/', 'The store knows no other adapter.'),
    forbid(
      'scheduling-is-alone',
      '^src/scheduling/',
      '^src/(?!scheduling/|outages/)',
      'It does not matter to a worker what it works on.',
    ),
    forbid(
      'scheduling-behind-the-work',
      '^src/(families|hooks|core|outages|tracing|cli|client|config)',
      '^src/scheduling/',
      'Whoever does the work and owns what is shared sees to it: services, adapters, the composition root.',
    ),
    forbid(
      'services-know-no-http',
      '^src/services/',
      '^(src/(families|hooks|app|main)|node_modules/(fastify|@fastify))',
      'HTTP belongs to families and hooks.',
    ),
    forbid('outages-know-only-core', '^src/outages/', '^src/(?!outages|core)', 'Every room tells of its outages.'),
    forbid(
      'opentelemetry-in-one-place',
      '^src/(?!tracing/(opentelemetry|sampler))',
      '^(node_modules/@opentelemetry|src/tracing/sampler)',
      'Where tracing is off, none of it is loaded.',
    ),
    {
      name: 'opentelemetry-loaded-on-demand',
      severity: 'error',
      comment: 'Where tracing is off, none of it is loaded.',
      from: { path: '^src/' },
      to: { path: '^src/tracing/opentelemetry', dependencyTypesNot: ['dynamic-import'] },
    },
    forbid('tracing-knows-only-core', '^src/tracing/', '^src/(?!tracing|core|outages)', 'A seam and its library.'),
    {
      name: 'families-are-plugins',
      severity: 'error',
      comment: 'What two families present alike is beside them: contracts, approvals, chain, users, sockets.',
      from: { path: '^src/families/([^/]+)/' },
      to: { path: '^src/families/[^/]+/', pathNot: '^src/families/($1|contracts|approvals|chain|users|sockets)/' },
    },
    forbid('families-through-services', '^src/families/', '^src/(store|chain|engines)/', 'Families ask services.'),
    forbid(
      'only-app-names-adapters',
      '^src/(services|families|hooks|events)/',
      '^src/(chain/(bitcoind|esplora|simulated)|store/(sqlite|postgres)|counters/(redis|degrading)|engines/(computing/(?!computing[.]ts)|fetching/(?!fetching[.]ts)|inference|probing/(?!probing[.]ts)|sending/(?!sending[.]ts)))',
      'Only the composition root knows an adapter.',
    ),
    forbid(
      'only-config-reads-the-environment',
      '^src/(?!config|app|main|cli|demo)',
      '^src/config',
      'Factories receive what they use.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
