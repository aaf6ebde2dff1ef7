/**
 * Descriptors as people give them to wallets (BIP380 to 387, 389 and 390): checked, split into external and internal branch, written back as
 * they were with checksum. Only public ones; a refusal never repeats what was given beyond names of functions.
 */
import type { DescriptorNode } from '../descriptors/descriptor-node.ts';
import { expandMultipath } from '../descriptors/multipath.ts';
import { heldKeys } from '../descriptors/musig-key.ts';
import { descriptorBody } from '../descriptors/parse-descriptor.ts';
import { keysOf } from '../descriptors/write-descriptor.ts';
import { DomainError } from '../errors.ts';
import type { Network } from '../network.ts';
import { openBranch } from './descriptor-branch.ts';
import { withChecksum } from './descriptor-checksum.ts';

/** Throws `invalid_descriptor`, `wrong_network` or `unsupported`. A missing checksum is accepted. */
export function parseDescriptor(text: string, network: Network) {
  const body = descriptorBody(text);
  if (/\/\*\*/.test(body)) throw new DomainError('invalid_descriptor', 'write /** as /<0;1>/* (BIP389)');
  const [external, internal] = splitMultipath(body);
  const [first] = [external, ...(internal === undefined ? [] : [internal])].map((one) => openChecked(one, network));
  return {
    /** With checksum. */
    external: withChecksum(external),
    /** null where the descriptor has one path only. */
    internal: internal === undefined ? null : withChecksum(internal),
    ranged: first!.ranged,
    /** The one origin fingerprint of all keys, 8 hex digits; null where several or none. */
    fingerprint: commonFingerprint(first!.node),
  };
}

/** BIP389: `/<0;1>/` in every key becomes two descriptors, in lockstep. */
export function splitMultipath(descriptor: string): [string] | [string, string] {
  for (const [, values] of descriptor.matchAll(/\/<([^<>]*)>/g)) {
    const steps = values!.split(';');
    if (steps.length !== 2 || steps[0] === steps[1]) {
      throw new DomainError(
        'invalid_descriptor',
        'a multipath step of a wallet has exactly two different values, receiving and change, as in /<0;1>',
      );
    }
  }
  return expandMultipath(descriptor) as [string] | [string, string];
}

function openChecked(descriptor: string, network: Network) {
  try {
    const branch = openBranch(descriptor, network);
    branch.scriptAt(0);
    return branch;
  } catch (error) {
    // The descriptor is what was given, whatever stands in addr().
    if (error instanceof DomainError && error.code === 'invalid_address')
      throw new DomainError('invalid_descriptor', error.message);
    throw error;
  }
}

/** x-only keys without origin are nobody's, or tell nothing of whose they are. */
function commonFingerprint(node: DescriptorNode): string | null {
  const keys = heldKeys(keysOf(node)).filter(({ text }) => !/^[0-9a-f]{64}$/.test(text));
  const [only, ...more] = new Set(keys.map(({ origin }) => origin?.fingerprint ?? null));
  return more.length === 0 ? (only ?? null) : null;
}
