/** The script types whose spends we size. Those of scripts, p2wsh and p2sh, are sized by a weight given with them. */
export type ScriptType = 'p2wpkh' | 'p2tr' | 'p2sh-p2wpkh' | 'p2pkh' | ScriptHashType;
export type ScriptHashType = 'p2wsh' | 'p2sh';

export const isScriptHash = (type: ScriptType): type is ScriptHashType => type === 'p2wsh' || type === 'p2sh';
