/** Bitcoin Core's script verification flags by their names (SCRIPT_VERIFY_…). */
export type ScriptFlag =
  | 'P2SH'
  | 'STRICTENC'
  | 'DERSIG'
  | 'LOW_S'
  | 'NULLDUMMY'
  | 'SIGPUSHONLY'
  | 'MINIMALDATA'
  | 'DISCOURAGE_UPGRADABLE_NOPS'
  | 'CLEANSTACK'
  | 'CHECKLOCKTIMEVERIFY'
  | 'CHECKSEQUENCEVERIFY'
  | 'WITNESS'
  | 'DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM'
  | 'MINIMALIF'
  | 'NULLFAIL'
  | 'WITNESS_PUBKEYTYPE'
  | 'CONST_SCRIPTCODE'
  | 'TAPROOT'
  | 'DISCOURAGE_UPGRADABLE_TAPROOT_VERSION'
  | 'DISCOURAGE_OP_SUCCESS'
  | 'DISCOURAGE_UPGRADABLE_PUBKEYTYPE';

export type ScriptFlags = ReadonlySet<ScriptFlag>;

/** What every block must obey: soft forks that are active everywhere. */
export const MANDATORY_FLAGS: ScriptFlags = new Set<ScriptFlag>([
  'P2SH',
  'DERSIG',
  'NULLDUMMY',
  'CHECKLOCKTIMEVERIFY',
  'CHECKSEQUENCEVERIFY',
  'WITNESS',
  'TAPROOT',
]);

/** What nodes ask of transactions that they relay. */
export const STANDARD_FLAGS: ScriptFlags = new Set<ScriptFlag>([
  ...MANDATORY_FLAGS,
  'STRICTENC',
  'MINIMALDATA',
  'DISCOURAGE_UPGRADABLE_NOPS',
  'CLEANSTACK',
  'MINIMALIF',
  'NULLFAIL',
  'LOW_S',
  'DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM',
  'WITNESS_PUBKEYTYPE',
  'CONST_SCRIPTCODE',
  'DISCOURAGE_UPGRADABLE_TAPROOT_VERSION',
  'DISCOURAGE_OP_SUCCESS',
  'DISCOURAGE_UPGRADABLE_PUBKEYTYPE',
]);

/** BIP322's required rules: breaking one makes a signed message invalid. Its rules of hash types and OP_CODESEPARATOR come on top. */
export const BIP322_FLAGS: ScriptFlags = new Set<ScriptFlag>([
  ...MANDATORY_FLAGS,
  'STRICTENC',
  'LOW_S',
  'NULLFAIL',
  'MINIMALDATA',
  'CLEANSTACK',
  'MINIMALIF',
  'CONST_SCRIPTCODE',
]);

/** With BIP322's upgradeable rules: what breaks only these is inconclusive, since a later soft fork may give it a meaning. */
export const BIP322_UPGRADEABLE_FLAGS: ScriptFlags = new Set<ScriptFlag>([
  ...BIP322_FLAGS,
  'DISCOURAGE_UPGRADABLE_NOPS',
  'DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM',
  'DISCOURAGE_UPGRADABLE_TAPROOT_VERSION',
  'DISCOURAGE_OP_SUCCESS',
  'DISCOURAGE_UPGRADABLE_PUBKEYTYPE',
]);
