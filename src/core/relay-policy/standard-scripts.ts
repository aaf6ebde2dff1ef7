/** Output script kinds that Bitcoin Core's Solver knows. */
export type OutputKind =
  | 'p2pk'
  | 'p2pkh'
  | 'p2sh'
  | 'p2wpkh'
  | 'p2wsh'
  | 'p2tr'
  | 'p2a'
  | 'witness-unknown'
  | 'multisig'
  | 'null-data'
  | 'nonstandard';

const OP_RETURN = 0x6a;
const OP_CHECKSIG = 0xac;
const OP_CHECKMULTISIG = 0xae;
const MAX_SCRIPT_SIZE = 10_000;
const MAX_STANDARD_MULTISIG_KEYS = 3;

/** Version and program of a witness output (BIP141), or null. */
export function witnessProgram(script: Uint8Array): { version: number; program: Uint8Array } | null {
  if (script.length < 4 || script.length > 42) return null;
  const opcode = script[0]!;
  if (opcode !== 0 && (opcode < 0x51 || opcode > 0x60)) return null;
  if (script[1]! + 2 !== script.length) return null;
  return { version: opcode === 0 ? 0 : opcode - 0x50, program: script.subarray(2) };
}

export const isWitnessProgram = (script: Uint8Array): boolean => witnessProgram(script) !== null;

/** Nobody can ever spend it: OP_RETURN, or longer than a script may be. */
export const isUnspendable = (script: Uint8Array): boolean =>
  script[0] === OP_RETURN || script.length > MAX_SCRIPT_SIZE;

/** What kind of output a script makes. 'nonstandard' is not relayed. */
export function outputKind(script: Uint8Array): OutputKind {
  const witness = witnessProgram(script);
  if (witness) return witnessKind(witness.version, witness.program);
  if (isP2sh(script)) return 'p2sh';
  if (isP2pkh(script)) return 'p2pkh';
  if (script[0] === OP_RETURN) return isPushOnly(script.subarray(1)) ? 'null-data' : 'nonstandard';
  if (isP2pk(script)) return 'p2pk';
  return isMultisig(script) ? 'multisig' : 'nonstandard';
}

export const isStandardOutput = (script: Uint8Array): boolean => outputKind(script) !== 'nonstandard';

function witnessKind(version: number, program: Uint8Array): OutputKind {
  if (version === 0) {
    if (program.length === 20) return 'p2wpkh';
    return program.length === 32 ? 'p2wsh' : 'nonstandard';
  }
  if (version === 1 && program.length === 32) return 'p2tr';
  if (version === 1 && program.length === 2 && program[0] === 0x4e && program[1] === 0x73) return 'p2a';
  return 'witness-unknown';
}

const isP2sh = (script: Uint8Array): boolean =>
  script.length === 23 && script[0] === 0xa9 && script[1] === 20 && script[22] === 0x87;

const isP2pkh = (script: Uint8Array): boolean =>
  script.length === 25 &&
  script[0] === 0x76 &&
  script[1] === 0xa9 &&
  script[2] === 20 &&
  script[23] === 0x88 &&
  script[24] === OP_CHECKSIG;

const isKeyPush = (script: Uint8Array, at: number): number => {
  const length = script[at];
  const prefix = script[at + 1];
  if (length === 33 && (prefix === 2 || prefix === 3)) return 34;
  // OpenSSL's hybrid form (6, 7) counts as an uncompressed key, although relay refuses every spend by one (STRICTENC).
  return length === 65 && (prefix === 4 || prefix === 6 || prefix === 7) ? 66 : 0;
};

const isP2pk = (script: Uint8Array): boolean => {
  const push = isKeyPush(script, 0);
  return push > 0 && script.length === push + 1 && script[push] === OP_CHECKSIG;
};

/** m of n bare multisig with up to three keys. */
function isMultisig(script: Uint8Array): boolean {
  if (script.length < 3 || script.at(-1) !== OP_CHECKMULTISIG) return false;
  const required = script[0]! - 0x50;
  const total = script.at(-2)! - 0x50;
  if (required < 1 || total < required || total > MAX_STANDARD_MULTISIG_KEYS) return false;
  let at = 1;
  for (let key = 0; key < total; key++) {
    const push = isKeyPush(script, at);
    if (push === 0) return false;
    at += push;
  }
  return at === script.length - 2;
}

function isPushOnly(script: Uint8Array): boolean {
  let at = 0;
  while (at < script.length) {
    const opcode = script[at]!;
    if (opcode > 0x60) return false;
    at += 1 + pushLength(script, at, opcode);
  }
  return at === script.length;
}

/** Bytes after the opcode that a push takes, its length prefix included. */
function pushLength(script: Uint8Array, at: number, opcode: number): number {
  if (opcode <= 0x4b) return opcode;
  if (opcode === 0x4c) return 1 + (script[at + 1] ?? 0);
  if (opcode === 0x4d) return 2 + (script[at + 1] ?? 0) + (script[at + 2] ?? 0) * 0x100;
  if (opcode !== 0x4e) return 0;
  return (
    4 +
    (script[at + 1] ?? 0) +
    (script[at + 2] ?? 0) * 0x100 +
    (script[at + 3] ?? 0) * 0x10000 +
    (script[at + 4] ?? 0) * 0x1000000
  );
}
