import type { Given, PsbtJobName } from './psbt-jobs.ts';

/** Some 45 inputs that pay from P2WPKH, which take some 20 ms to sign: what comes of it crosses between threads in one. */
const LIGHT_TEXT = 8_192;
const LIGHT_MAPS = 50;

/**
 * Whether other requests should not have to wait for it. Told by lengths alone, so that telling costs nothing: of the texts, of what is
 * described, and whether descriptors are to be derived, each of which may cost a millisecond a hundred times.
 */
export function isHeavy<Name extends PsbtJobName>(given: Given<Name>): boolean {
  const { psbt = '', psbts = [], descriptors = [], updates, changes, inputs = [], outputs = [] } = given as Lengths;
  const characters = psbt.length + psbts.reduce((sum, text) => sum + text.length, 0);
  const described = [
    ...[inputs, outputs, updates?.inputs, updates?.outputs],
    ...[changes?.addInputs, changes?.addOutputs, changes?.removeInputs, changes?.removeOutputs],
  ].reduce((sum, list) => sum + (list?.length ?? 0), 0);
  return (
    characters > LIGHT_TEXT || described > LIGHT_MAPS || descriptors.length > 0 || updates?.descriptors !== undefined
  );
}

/** What some job or other is given. */
interface Lengths {
  readonly psbt?: string;
  readonly psbts?: readonly string[];
  readonly descriptors?: readonly string[];
  readonly inputs?: readonly unknown[];
  readonly outputs?: readonly unknown[];
  readonly updates?: Given<'psbt.update'>['updates'];
  readonly changes?: Given<'psbt.construct'>['changes'];
}
