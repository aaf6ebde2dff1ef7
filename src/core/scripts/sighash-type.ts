export const SIGHASH_DEFAULT = 0x00;
export const SIGHASH_ALL = 0x01;
export const SIGHASH_NONE = 0x02;
export const SIGHASH_SINGLE = 0x03;
export const SIGHASH_ANYONECANPAY = 0x80;

/** As Bitcoin Core writes them. */
export type SighashName =
  | 'DEFAULT'
  | 'ALL'
  | 'NONE'
  | 'SINGLE'
  | 'ALL|ANYONECANPAY'
  | 'NONE|ANYONECANPAY'
  | 'SINGLE|ANYONECANPAY';

const NAMES = new Map<number, SighashName>([
  [0x00, 'DEFAULT'],
  [0x01, 'ALL'],
  [0x02, 'NONE'],
  [0x03, 'SINGLE'],
  [0x81, 'ALL|ANYONECANPAY'],
  [0x82, 'NONE|ANYONECANPAY'],
  [0x83, 'SINGLE|ANYONECANPAY'],
]);

export const SIGHASH_NAMES: readonly SighashName[] = [...NAMES.values()];

/** null where no such type is defined. */
export const sighashName = (hashType: number): SighashName | null => NAMES.get(hashType) ?? null;

/** Of ECDSA signatures; BIP341 adds DEFAULT for Schnorr's. */
export const isEcdsaSighash = (hashType: number): boolean => hashType !== SIGHASH_DEFAULT && NAMES.has(hashType);
export const isSchnorrSighash = (hashType: number): boolean => NAMES.has(hashType);

export const signsOneOutput = (hashType: number): boolean => (hashType & 0x1f) === SIGHASH_SINGLE;
export const signsNoOutput = (hashType: number): boolean => (hashType & 0x1f) === SIGHASH_NONE;
export const signsOneInput = (hashType: number): boolean => (hashType & SIGHASH_ANYONECANPAY) !== 0;
