import { outputExample } from '../outputs/output-answer.ts';

/** The output of the examples, spent by its second leaf, which asks for no signature. */
export const leafExample = outputExample.leaves[1] as (typeof outputExample.leaves)[number];
const INPUTS = '013ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a0000000000fdffffff';
const OUTPUTS = '014871000000000000160014751e76e8199196d454941c45d1b3a323f1433bd6';

export const unsignedExample = `02000000${INPUTS}${OUTPUTS}00000000`;
export const witnessExample = [leafExample.script, leafExample.control_block];
export const signedExample = `020000000001${INPUTS}${OUTPUTS}0208${leafExample.script}41${leafExample.control_block}00000000`;

export const spendExample = {
  transaction: unsignedExample,
  input_index: 0,
  prevouts: [{ amount: '0.00030000', script_pubkey: outputExample.script_pubkey }],
};
