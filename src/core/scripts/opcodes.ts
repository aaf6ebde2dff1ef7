/** Names of opcodes as Bitcoin Core writes them (script.cpp, GetOpName). */

const FROM_NOP = [
  'OP_NOP OP_VER OP_IF OP_NOTIF OP_VERIF OP_VERNOTIF OP_ELSE OP_ENDIF OP_VERIFY OP_RETURN',
  'OP_TOALTSTACK OP_FROMALTSTACK OP_2DROP OP_2DUP OP_3DUP OP_2OVER OP_2ROT OP_2SWAP OP_IFDUP OP_DEPTH OP_DROP OP_DUP OP_NIP OP_OVER',
  'OP_PICK OP_ROLL OP_ROT OP_SWAP OP_TUCK OP_CAT OP_SUBSTR OP_LEFT OP_RIGHT OP_SIZE OP_INVERT OP_AND OP_OR OP_XOR OP_EQUAL',
  'OP_EQUALVERIFY OP_RESERVED1 OP_RESERVED2 OP_1ADD OP_1SUB OP_2MUL OP_2DIV OP_NEGATE OP_ABS OP_NOT OP_0NOTEQUAL OP_ADD OP_SUB',
  'OP_MUL OP_DIV OP_MOD OP_LSHIFT OP_RSHIFT OP_BOOLAND OP_BOOLOR OP_NUMEQUAL OP_NUMEQUALVERIFY OP_NUMNOTEQUAL OP_LESSTHAN',
  'OP_GREATERTHAN OP_LESSTHANOREQUAL OP_GREATERTHANOREQUAL OP_MIN OP_MAX OP_WITHIN OP_RIPEMD160 OP_SHA1 OP_SHA256 OP_HASH160',
  'OP_HASH256 OP_CODESEPARATOR OP_CHECKSIG OP_CHECKSIGVERIFY OP_CHECKMULTISIG OP_CHECKMULTISIGVERIFY OP_NOP1',
  'OP_CHECKLOCKTIMEVERIFY OP_CHECKSEQUENCEVERIFY OP_NOP4 OP_NOP5 OP_NOP6 OP_NOP7 OP_NOP8 OP_NOP9 OP_NOP10 OP_CHECKSIGADD',
]
  .join(' ')
  .split(' ');

const NAMES: readonly string[] = Array.from({ length: 256 }, (_, opcode) => {
  if (opcode === 0x00) return '0';
  if (opcode < 0x4c) return `OP_PUSHBYTES_${opcode}`;
  if (opcode <= 0x4e) return ['OP_PUSHDATA1', 'OP_PUSHDATA2', 'OP_PUSHDATA4'][opcode - 0x4c]!;
  if (opcode === 0x4f) return '-1';
  if (opcode === 0x50) return 'OP_RESERVED';
  if (opcode <= 0x60) return String(opcode - 0x50);
  return opcode === 0xff ? 'OP_INVALIDOPCODE' : (FROM_NOP[opcode - 0x61] ?? 'OP_UNKNOWN');
});

/** `OP_CHECKSIG`, `0`, `-1`, `16`; pushes of 1 to 75 bytes, which Core does not name, are `OP_PUSHBYTES_n`. */
export const opcodeName = (opcode: number): string => NAMES[opcode] as string;

const OPCODES: ReadonlyMap<string, number> = new Map([
  ...NAMES.flatMap((name, opcode): [string, number][] => (/^OP_(?!PUSH|UNKNOWN)/.test(name) ? [[name, opcode]] : [])),
  ['OP_0', 0x00],
  ['OP_FALSE', 0x00],
  ['OP_1NEGATE', 0x4f],
  ['OP_TRUE', 0x51],
  ['OP_NOP2', 0xb1],
  ['OP_CLTV', 0xb1],
  ['OP_NOP3', 0xb2],
  ['OP_CSV', 0xb2],
  ...Array.from({ length: 16 }, (_, index): [string, number] => [`OP_${index + 1}`, 0x51 + index]),
]);

/** The opcode of a name (`OP_DUP`, `OP_0`, `OP_16`), aliases included; null for what pushes data and for what is no opcode. */
export const opcodeOf = (name: string): number | null => OPCODES.get(name) ?? null;
