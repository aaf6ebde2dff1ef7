/** Differential: what we say of descriptors and scripts, Bitcoin Core says too. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RpcError } from '../../src/chain/bitcoind/rpc-error.ts';
import { describeDescriptor, openDescriptor } from '../../src/core/descriptors/describe-descriptor.ts';
import { scriptsAt } from '../../src/core/descriptors/descriptor-scripts.ts';
import { inferDescriptor } from '../../src/core/descriptors/infer-descriptor.ts';
import { writeDescriptor } from '../../src/core/descriptors/write-descriptor.ts';
import { scriptAddress } from '../../src/core/relay-policy/script-address.ts';
import type { OutputKind } from '../../src/core/relay-policy/standard-scripts.ts';
import { classifyScript } from '../../src/core/scripts/classify-script.ts';
import { disassembleScript } from '../../src/core/scripts/disassemble-script.ts';
import { startTestNode, type TestNode } from '../builders/regtest-node.ts';
import { arbitraryDescriptor, arbitraryScript } from '../core/descriptors/arbitrary-descriptor.ts';

const CORE_TYPES: Readonly<Record<OutputKind, string>> = {
  p2pk: 'pubkey',
  p2pkh: 'pubkeyhash',
  p2sh: 'scripthash',
  p2wpkh: 'witness_v0_keyhash',
  p2wsh: 'witness_v0_scripthash',
  p2tr: 'witness_v1_taproot',
  p2a: 'anchor',
  'witness-unknown': 'witness_unknown',
  multisig: 'multisig',
  'null-data': 'nulldata',
  nonstandard: 'nonstandard',
};

describe('descriptors and scripts against Bitcoin Core', () => {
  let node: TestNode;
  beforeAll(async () => {
    node = await startTestNode({ wallet: false });
  });
  afterAll(() => node?.stop());

  /** Core's answer, null where it refuses; 'odd' where this node refuses for a rule of its own (some builds carry more than Core's). */
  const asked = <T>(method: string, ...parameters: unknown[]): Promise<T | null | 'odd'> =>
    node.rpc<T>(method, ...parameters).catch((error: Error) => {
      if (!(error instanceof RpcError)) throw error;
      return /reduced-data/.test(error.message) ? 'odd' : null;
    });

  it('reads the same descriptors, with the same text, range and addresses', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryDescriptor, async (text) => {
        const core = await asked<{ descriptor: string; isrange: boolean; issolvable: boolean }>(
          'getdescriptorinfo',
          text,
        );
        if (core === 'odd') return;
        const ours = opened(text);
        expect({ text, taken: ours !== null }).toEqual({ text, taken: core !== null });
        if (core === null || ours === null) return;
        taken += 1;
        expect(ours.description.descriptor).toBe(core.descriptor);
        expect(ours.description.ranged).toBe(core.isrange);
        expect(ours.description.solvable).toBe(core.issolvable);
        const addresses = await asked<string[]>('deriveaddresses', core.descriptor, ...(core.isrange ? [[0, 3]] : []));
        const indexes = core.isrange ? [0, 1, 2, 3] : [0];
        const derived = indexes.flatMap((index) => scriptsAt(ours.node, index).map(({ scriptPubKey }) => scriptPubKey));
        const found = derived.map((script) => scriptAddress(script, 'regtest'));
        if (addresses === null) expect(found).toContain(null);
        else expect(found.filter((address) => address !== null)).toEqual(addresses);
      }),
      { numRuns: 400 },
    );
    expect(taken).toBeGreaterThan(200);
  });

  it('says of scripts what decodescript says', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryScript, async (script) => {
        const core = await node.rpc<{ asm: string; desc: string; type: string; address?: string }>(
          'decodescript',
          script.toString('hex'),
        );
        expect(disassembleScript(script).asm).toBe(core.asm);
        expect(CORE_TYPES[classifyScript(script).type]).toBe(core.type);
        expect(scriptAddress(script, 'regtest')).toBe(core.address ?? null);
        expect(writeDescriptor(inferDescriptor(script, { scripts: [], keys: [] }, 'regtest'))).toBe(core.desc);
      }),
      { numRuns: 400 },
    );
  });

  it('infers what stands in P2WSH as Core does', async () => {
    let told = 0;
    await fc.assert(
      fc.asyncProperty(
        arbitraryDescriptor.filter((text) => text.startsWith('wsh(')),
        async (text) => {
          const ours = opened(text);
          const output = ours && scriptsAt(ours.node, 0)[0];
          if (!output?.witnessScript) return;
          const core = await node.rpc<{ segwit?: { desc: string } }>(
            'decodescript',
            output.witnessScript.toString('hex'),
          );
          const known = { scripts: [output.witnessScript], keys: [] };
          const inferred = writeDescriptor(inferDescriptor(output.scriptPubKey, known, 'regtest'));
          // Of a bare key or key hash decodescript shows P2WPKH instead.
          if (core.segwit === undefined || /^wsh\(pkh?\(/.test(text)) return;
          told += inferred.startsWith('wsh(') ? 1 : 0;
          expect(inferred).toBe(core.segwit.desc);
        },
      ),
      { numRuns: 300 },
    );
    expect(told).toBeGreaterThan(20);
  });

  function opened(text: string) {
    try {
      return { node: openDescriptor(text, 'regtest')[0]!, description: describeDescriptor(text, 'regtest') };
    } catch {
      return null;
    }
  }
});
