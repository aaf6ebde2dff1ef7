/** All that a script tells with what is known of it. */
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import { scriptAddress } from '../relay-policy/script-address.ts';
import { type ClassifiedScript, classifyScript } from '../scripts/classify-script.ts';
import { disassembleScript } from '../scripts/disassemble-script.ts';
import { p2sh, p2wsh } from '../scripts/output-scripts.ts';
import { inferDescriptor, type KnownKey } from './infer-descriptor.ts';
import { writeDescriptor } from './write-descriptor.ts';

interface Wrapping {
  readonly script: Buffer;
  readonly address: string;
}

interface InnerScript {
  readonly script: Buffer;
  readonly asm: string;
  readonly classified: ClassifiedScript;
}

export interface ScriptReport extends InnerScript {
  readonly address: string | null;
  readonly descriptor: string;
  readonly solvable: boolean;
  readonly redeemScript: InnerScript | null;
  readonly witnessScript: InnerScript | null;
  readonly wrappings: {
    readonly p2sh: Wrapping | null;
    readonly p2wsh: Wrapping | null;
    readonly p2shP2wsh: Wrapping | null;
  };
}

export interface ScriptKnowledge {
  readonly redeemScript: Buffer | null;
  readonly witnessScript: Buffer | null;
  readonly keys: readonly KnownKey[];
}

const MAX_REDEEM_SCRIPT_SIZE = 520;
const MAX_WITNESS_SCRIPT_SIZE = 10_000;

/** Throws `invalid_script` where a given script is not the one that is hashed, naming its field. */
export function reportScript(script: Buffer, known: ScriptKnowledge, network: Network): ScriptReport {
  checkGiven(script, known);
  const scripts = [known.redeemScript, known.witnessScript].filter((one) => one !== null);
  // P2SH over P2WSH needs the redeem script, which the witness script tells.
  const nested = known.witnessScript === null ? [] : [p2wsh(known.witnessScript)];
  const node = inferDescriptor(script, { scripts: [...scripts, ...nested], keys: known.keys }, network);
  return {
    ...inner(script),
    address: scriptAddress(script, network),
    descriptor: writeDescriptor(node),
    solvable: node.type !== 'addr' && node.type !== 'raw',
    redeemScript: known.redeemScript && inner(known.redeemScript),
    witnessScript: known.witnessScript && inner(known.witnessScript),
    wrappings: wrappingsOf(script, network),
  };
}

const inner = (script: Buffer): InnerScript => ({
  script,
  asm: disassembleScript(script).asm,
  classified: classifyScript(script),
});

function checkGiven(script: Buffer, { redeemScript, witnessScript }: ScriptKnowledge): void {
  if (redeemScript !== null && !p2sh(redeemScript).equals(script)) {
    throw new DomainError('invalid_script', 'the script is not the P2SH output of this redeem script', {
      field: 'redeem_script',
    });
  }
  if (witnessScript === null) return;
  const program = p2wsh(witnessScript);
  const fits =
    redeemScript === null ? script.equals(program) || script.equals(p2sh(program)) : redeemScript.equals(program);
  if (fits) return;
  throw new DomainError(
    'invalid_script',
    `the ${redeemScript === null ? 'script is not the P2WSH output' : 'redeem script is not the P2WSH program'} of this witness script`,
    { field: 'witness_script' },
  );
}

/** As decodescript judges: what could not be spent, or hashes already, is not wrapped. */
function wrappingsOf(script: Buffer, network: Network): ScriptReport['wrappings'] {
  const { type, publicKeys } = classifyScript(script);
  const wrap = (output: Buffer): Wrapping => ({ script: output, address: scriptAddress(output, network) as string });
  const spendable = !['p2sh', 'p2tr', 'p2a', 'witness-unknown', 'null-data'].includes(type) && script[0] !== 0x6a;
  const isWitness = type === 'p2wpkh' || type === 'p2wsh';
  const compressed = publicKeys.every((key) => key.length === 33);
  const inWitness = spendable && !isWitness && compressed && script.length <= MAX_WITNESS_SCRIPT_SIZE;
  const program = p2wsh(script);
  return {
    p2sh: spendable && script.length <= MAX_REDEEM_SCRIPT_SIZE ? wrap(p2sh(script)) : null,
    p2wsh: inWitness ? wrap(program) : null,
    p2shP2wsh: inWitness ? wrap(p2sh(program)) : null,
  };
}
