/** The script types whose spends we size and sign. */
export type ScriptType = 'p2wpkh' | 'p2tr' | 'p2sh-p2wpkh' | 'p2pkh' | 'p2wsh';
