import { describe, expect, it } from 'vitest';
import type { ContractCheck, ContractCheckName } from '../../../../src/core/dlc/contract/contract-check.ts';
import {
  adaptorSignatureCheck,
  type CheckContext,
  checkAccept,
  checkMessages,
  checkOffer,
  checkSign,
  requireChecks,
} from '../../../../src/core/dlc/contract/contract-checks.ts';
import { contractOf } from '../../../../src/core/dlc/contract/contract-of.ts';
import type {
  AcceptMessage,
  ContractParty,
  FundingInput,
  OfferMessage,
  SignMessage,
} from '../../../../src/core/dlc/dlc-messages.ts';
import { hash160, sha256 } from '../../../../src/core/hashes.ts';
import { p2wsh } from '../../../../src/core/scripts/output-scripts.ts';
import { coinTossInfo, enumeratedInfo, fundingInput, testContract, testParty } from '../../../builders/dlc-messages.ts';
import { enumEvent, testOracle } from '../../../builders/dlc-oracle.ts';

const TOTAL = 1_000_000n;
const info = coinTossInfo(TOTAL);
const { offer, accept, sign, contract, offerer } = testContract({ info });
const context: CheckContext = {
  network: 'regtest',
  dialect: 'tagged',
  feeRateLimits: { leastSatVb: 1n, mostSatVb: 1_000n },
  tip: { height: 800_000, medianTime: 1_750_000_000 },
};

const failed = (checks: readonly ContractCheck[]) =>
  checks
    .filter(({ verdict }) => verdict === 'failed')
    .map(({ check, index }) => (index === null ? check : `${check} ${index}`));
const script = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const flipped = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = bytes.slice();
  copy[at] = copy[at]! ^ 1;
  return copy;
};

const withParty = <M extends { readonly party: ContractParty }>(message: M, changes: Partial<ContractParty>): M => ({
  ...message,
  party: { ...message.party, ...changes },
});
/** The first input changed. */
const withInput = <M extends { readonly party: ContractParty }>(message: M, changes: Partial<FundingInput>): M => {
  const [first, ...rest] = message.party.fundingInputs as [FundingInput, ...FundingInput[]];
  return withParty(message, { fundingInputs: [{ ...first, ...changes }, ...rest] });
};
const spending = (scriptPubKey: string): FundingInput => fundingInput('hostile', script(scriptPubKey), 700_000n);
const announced = info.cases[0]!.oracleInfo as Extract<(typeof info.cases)[0]['oracleInfo'], { kind: 'single' }>;
const { announcement } = announced;
const withInfo = (changes: Partial<OfferMessage['contractInfo']>): OfferMessage => ({
  ...offer,
  contractInfo: { ...info, ...changes },
});
const withAnnouncement = (changes: Partial<typeof announcement>) =>
  withInfo({
    cases: [{ ...info.cases[0]!, oracleInfo: { kind: 'single', announcement: { ...announcement, ...changes } } }],
  });

const NO_KEY = script(`02${'ff'.repeat(32)}`);
const REDEEM = script(`0014${'77'.repeat(20)}`);
const NESTED = `a914${hash160(REDEEM).toString('hex')}87`;

describe('the checks of an offer', () => {
  it('are all passed by a good one, and none is missing', () => {
    const checks = checkOffer(offer, { ...context, announcements: [announcement] });
    expect(checks.map(({ check, verdict }) => `${check} ${verdict}`)).toEqual(
      [
        'protocol_version',
        'chain_hash',
        'contract_info',
        'announcement_repeated',
        'nonce_repeated',
        'announcement_signature',
        'announcement_unchanged',
        'collateral',
        'locktimes',
        'fee_rate',
        'serial_ids',
        'funding_key',
        'payout_script',
        'change_script',
        'previous_transaction',
        'segwit_input',
        'input_sequence',
        'max_witness_length',
        'duplicate_inputs',
        'funding_amount',
      ].map((check) => `${check} passed`),
    );
    expect(checks.every(({ message, reason }) => message === 'offer' && reason === null)).toBe(true);
    expect(() => requireChecks(checks)).not.toThrow();
  });

  const otherEvent = testOracle('toss').announce(enumEvent('heads', 'tails', 'edge'), 'toss', 1_700_000_001);
  const one = offer.party.fundingInputs[0]!;
  const hostile: readonly [string, OfferMessage, readonly string[]][] = [
    ['another protocol', { ...offer, protocolVersion: 2 }, ['protocol_version']],
    ['another chain', { ...offer, chainHash: flipped(offer.chainHash, 3) }, ['chain_hash']],
    [
      'a payout above the collateral',
      {
        ...offer,
        contractInfo: enumeratedInfo(TOTAL, { heads: TOTAL + 1n, tails: 0n, edge: 0n }, announced),
      },
      ['contract_info'],
    ],
    [
      'an outcome that nobody is paid for',
      { ...offer, contractInfo: enumeratedInfo(TOTAL, { heads: TOTAL, tails: 0n }, announced) },
      ['contract_info'],
    ],
    [
      'an announcement with a byte changed',
      withAnnouncement({ event: { ...announcement.event, maturityEpoch: announcement.event.maturityEpoch - 1 } }),
      ['announcement_signature 0', 'announcement_unchanged 0'],
    ],
    ['an announcement that its oracle changed', withAnnouncement(otherEvent), ['announcement_unchanged 0']],
    [
      'an announcement of another oracle',
      withAnnouncement({ publicKey: testOracle('another').publicKey }),
      ['announcement_signature 0'],
    ],
    [
      'more collateral than there is',
      withParty(offer, { collateralSats: TOTAL + 1n }),
      ['collateral', 'funding_amount'],
    ],
    ['collateral of dust', withParty(offer, { collateralSats: 999n }), ['collateral']],
    [
      'dust left for the accepter',
      withParty(offer, { collateralSats: TOTAL - 999n }),
      ['collateral', 'funding_amount'],
    ],
    ['a CET after the refund', { ...offer, cetLocktime: offer.refundLocktime }, ['locktimes']],
    ['a height and a time', { ...offer, cetLocktime: 800_000 }, ['locktimes']],
    ['heights that are past', { ...offer, cetLocktime: 1, refundLocktime: 800_000 }, ['locktimes']],
    ['times that are past', { ...offer, refundLocktime: 1_750_000_000 }, ['locktimes']],
    ['too low a fee rate', { ...offer, feeRateSatVb: 0n }, ['fee_rate']],
    ['too high a fee rate', { ...offer, feeRateSatVb: 1_001n }, ['fee_rate', 'funding_amount']],
    ['a fee rate beyond all', { ...offer, feeRateSatVb: (1n << 64n) - 1n }, ['fee_rate', 'funding_amount']],
    ['one serial id for two outputs', withParty(offer, { changeSerialId: offer.fundOutputSerialId }), ['serial_ids']],
    [
      'one serial id for two inputs',
      withParty(offer, { fundingInputs: [one, { ...fundingInput('second', REDEEM, 2_000n), serialId: one.serialId }] }),
      ['serial_ids'],
    ],
    ['a funding key off the curve', withParty(offer, { fundingPublicKey: NO_KEY }), ['funding_key']],
    ['a payout script that is not standard', withParty(offer, { payoutScript: script('51') }), ['payout_script']],
    ['a payout to data', withParty(offer, { payoutScript: script('6a0101') }), ['payout_script']],
    ['change to a bare key', withParty(offer, { changeScript: script(`21${'02'.repeat(33)}ac`) }), ['change_script']],
    ['change to nothing', withParty(offer, { changeScript: script('') }), ['change_script']],
    [
      'a previous transaction that is none',
      withInput(offer, { previousTransaction: one.previousTransaction.subarray(1) }),
      ['previous_transaction 0'],
    ],
    ['an output that is not there', withInput(offer, { previousVout: 2 }), ['previous_transaction 0']],
    [
      'an input that is not segwit',
      withParty(offer, { fundingInputs: [spending(`76a914${'55'.repeat(20)}88ac`)] }),
      ['segwit_input 0'],
    ],
    [
      'an input that anybody can spend',
      withParty(offer, { fundingInputs: [spending('51024e73')] }),
      ['segwit_input 0'],
    ],
    ['P2SH without its redeem script', withParty(offer, { fundingInputs: [spending(NESTED)] }), ['segwit_input 0']],
    [
      'P2SH with another redeem script',
      withParty(offer, { fundingInputs: [{ ...spending(NESTED), redeemScript: flipped(REDEEM, 10) }] }),
      ['segwit_input 0'],
    ],
    [
      'P2SH of what is no witness program',
      withParty(offer, {
        fundingInputs: [{ ...spending(`a914${hash160(script('51')).toString('hex')}87`), redeemScript: script('51') }],
      }),
      ['segwit_input 0'],
    ],
    ['a redeem script where none belongs', withInput(offer, { redeemScript: REDEEM }), ['segwit_input 0']],
    [
      'a redeem script of megabytes',
      withInput(offer, { redeemScript: new Uint8Array(90_000) }),
      ['previous_transaction 0'],
    ],
    ['an input locked for a block', withInput(offer, { sequence: 1 }), ['input_sequence 0']],
    ['a witness that is too short', withInput(offer, { maxWitnessLength: 106 }), ['max_witness_length 0']],
    [
      'a coin that is spent twice',
      withParty(offer, { fundingInputs: [one, { ...one, serialId: one.serialId + 1n }] }),
      ['duplicate_inputs 1'],
    ],
    [
      'a coin that does not suffice',
      withParty(offer, { fundingInputs: [fundingInput('small', REDEEM, 500_000n)] }),
      ['funding_amount'],
    ],
    ['no coin', withParty(offer, { fundingInputs: [] }), ['funding_amount']],
    [
      'more inputs than are relayed',
      withParty(offer, { fundingInputs: Array.from({ length: 2_000 }, () => one) }),
      ['serial_ids', 'transactions'],
    ],
  ];
  it.each(hostile)('find %s', (_name, message, expected) => {
    const checks = checkOffer(message, { ...context, announcements: [announcement] });
    expect(failed(checks)).toEqual(expected);
    const [first] = checks.filter(({ verdict }) => verdict === 'failed');
    expect(() => requireChecks(checks)).toThrow(
      expect.objectContaining({ code: 'contract_refused', message: expect.stringMatching(`^${first?.check}: `) }),
    );
  });

  it('take P2SH around P2WPKH, P2WSH and taproot, and contracts that one side funds alone', () => {
    const inputs = [
      { ...spending(NESTED), redeemScript: REDEEM },
      { ...fundingInput('script', script(`0020${'88'.repeat(32)}`), 5_000n), maxWitnessLength: 200 },
      { ...fundingInput('taproot', script(`5120${'99'.repeat(32)}`), 5_000n), maxWitnessLength: 66 },
    ];
    expect(failed(checkOffer(withParty(offer, { fundingInputs: inputs }), context))).toEqual([]);
    const alone = testContract({
      info,
      offerer: testParty('alone', TOTAL, [TOTAL + 5_000n]),
      accepter: testParty('idle', 0n, []),
    });
    expect(failed(checkMessages(alone, context))).toEqual([]);
    const vectors = { ...context, dialect: 'dlcspecs-vectors' } as const;
    expect(failed(checkOffer(alone.offer, vectors))).toContain('collateral');
  });

  it('ask that a CET has an output, whatever comes of it', () => {
    const small = (offerSats: bigint) =>
      testContract({
        info: enumeratedInfo(1_500n, { heads: 1_500n, tails: 0n, edge: offerSats }, announced),
        offerer: testParty('small', 1_500n, [9_000n]),
        accepter: testParty('idle', 0n, []),
      });
    expect(failed(checkOffer(small(1_000n).offer, context))).toEqual([]);
    expect(failed(checkOffer(small(750n).offer, context))).toEqual(['collateral']);
  });

  it('do without the tip where the chain is not known', () => {
    expect(failed(checkOffer({ ...offer, cetLocktime: 0, refundLocktime: 1 }, { ...context, tip: null }))).toEqual([]);
  });
});

describe('the checks of an accept message', () => {
  it('are all passed by a good one', () => {
    expect(failed(checkAccept(offer, accept, context))).toEqual([]);
    expect(checkAccept(offer, accept, context).filter(({ verdict }) => verdict === 'skipped')).toEqual([]);
  });

  const offered = offer.party.fundingInputs[0]!;
  const hostile: readonly [string, AcceptMessage, readonly string[]][] = [
    ['another protocol', { ...accept, protocolVersion: 0 }, ['protocol_version']],
    [
      'another offer',
      { ...accept, temporaryContractId: flipped(accept.temporaryContractId, 31) },
      ['temporary_contract_id'],
    ],
    ['less collateral', withParty(accept, { collateralSats: TOTAL / 2n - 1n }), ['collateral']],
    ['more collateral', withParty(accept, { collateralSats: TOTAL / 2n + 1n }), ['collateral']],
    ['the offerer’s key', withParty(accept, { fundingPublicKey: offer.party.fundingPublicKey }), ['other_funding_key']],
    [
      'the offerer’s coin',
      withParty(accept, { fundingInputs: [{ ...offered, serialId: 5n }] }),
      ['duplicate_inputs 0'],
    ],
    ['the offerer’s serial id', withInput(accept, { serialId: offered.serialId }), ['serial_ids']],
    ['the funding output’s serial id', withParty(accept, { changeSerialId: offer.fundOutputSerialId }), ['serial_ids']],
    ['the change’s serial id', withParty(accept, { changeSerialId: offer.party.changeSerialId }), ['serial_ids']],
    ['the payout’s serial id', withParty(accept, { payoutSerialId: offer.party.payoutSerialId }), ['serial_ids']],
    [
      'other roundings',
      { ...accept, negotiationFields: { kind: 'single', roundingIntervals: [] } },
      ['negotiation_fields'],
    ],
    ['too little', withInput(accept, { previousVout: 0 }), ['funding_amount']],
    [
      'change to the funding output’s script',
      withParty(accept, { changeScript: p2wsh(contract.fundingScript) }),
      ['transactions'],
    ],
    [
      'one signature too few',
      { ...accept, cetAdaptorSignatures: accept.cetAdaptorSignatures.subarray(162) },
      ['adaptor_signature_count'],
    ],
    [
      'a signature of the refund that is the offerer’s',
      { ...accept, refundSignature: sign.refundSignature },
      ['refund_signature'],
    ],
    ['no signature of the refund', { ...accept, refundSignature: new Uint8Array(64) }, ['refund_signature']],
    [
      'a payout elsewhere, behind the signatures',
      withParty(accept, { payoutScript: script(`0014${'12'.repeat(20)}`) }),
      ['refund_signature'],
    ],
    ['another maximum, behind the signatures', withInput(accept, { maxWitnessLength: 120 }), ['refund_signature']],
  ];
  it.each(hostile)('find %s', (_name, message, expected) => {
    expect(failed(checkAccept(offer, message, context))).toEqual(expected);
  });
});

describe('the checks of a sign message', () => {
  it('are all passed by a good one', () => {
    expect(failed(checkSign(offer, accept, sign, context))).toEqual([]);
  });

  const [[signature, key] = []] = sign.fundingSignatures;
  const hostile: readonly [string, Partial<SignMessage>, readonly string[]][] = [
    ['another protocol', { protocolVersion: 3 }, ['protocol_version']],
    ['another contract', { contractId: flipped(sign.contractId, 0) }, ['contract_id']],
    ['no adaptor signatures', { cetAdaptorSignatures: new Uint8Array(0) }, ['adaptor_signature_count']],
    ['the accepter’s signature of the refund', { refundSignature: accept.refundSignature }, ['refund_signature']],
    ['no funding signature', { fundingSignatures: [] }, ['funding_signature_count']],
    [
      'two for one input',
      {
        fundingSignatures: [
          [signature!, key!],
          [signature!, key!],
        ],
      },
      ['funding_signature_count'],
    ],
    [
      'a funding signature with a byte changed',
      { fundingSignatures: [[flipped(signature!, 12), key!]] },
      ['funding_signature 0'],
    ],
    ['another key', { fundingSignatures: [[signature!, flipped(key!, 12)]] }, ['funding_signature 0']],
    ['an empty witness', { fundingSignatures: [[]] }, ['funding_signature 0']],
    [
      'a witness that is padded',
      { fundingSignatures: [[signature!, key!, new Uint8Array(70_000)]] },
      ['funding_signature 0'],
    ],
  ];
  it.each(hostile)('find %s', (_name, changes, expected) => {
    expect(failed(checkSign(offer, accept, { ...sign, ...changes }, context))).toEqual(expected);
  });

  it('run no scripts that are made to take long, and no witness that is not relayed', () => {
    const scripted = (script: Uint8Array, ...items: Uint8Array[]) => {
      const program = Buffer.concat([Buffer.of(0x00, 0x20), sha256(script)]);
      const coin = { ...fundingInput('script', program, TOTAL), maxWitnessLength: 60_000 };
      const { party } = testParty('scripted', TOTAL / 2n, []);
      const scriptedOffer = { ...offer, party: { ...party, fundingInputs: [coin] } };
      const { contractId, refundTransaction } = contractOf(scriptedOffer, accept.party, 'tagged');
      expect(refundTransaction.outputs).toHaveLength(2);
      const witness = [...items, script];
      return failed(
        checkSign(scriptedOffer, accept, { ...sign, contractId, fundingSignatures: [witness] }, context),
      ).filter((check) => check.startsWith('funding'));
    };
    // Anybody could spend these; that the interpreter says so is all that is asked of it.
    expect(scripted(script('51'))).toEqual([]);
    expect(scripted(script('52'), new Uint8Array(0))).toEqual(['funding_signature 0']);
    expect(scripted(script('7551'), new Uint8Array(80))).toEqual([]);
    expect(scripted(script('7551'), new Uint8Array(81))).toEqual(['funding_signature 0']);
    const checks = Uint8Array.from([0x51, ...new Uint8Array(102).fill(0xae)]);
    expect(scripted(checks)).toEqual(['funding_signature']);
  });

  it('look at witnesses in the order in which the message lists the inputs', () => {
    const coins = [300_000n, 300_000n, 10_000n];
    const several = testContract({ info, offerer: testParty('several', TOTAL / 2n, coins) });
    expect(failed(checkSign(several.offer, several.accept, several.sign, context))).toEqual([]);
    const [first, second, third] = several.sign.fundingSignatures;
    const swapped = { ...several.sign, fundingSignatures: [second!, first!, third!] };
    expect(failed(checkSign(several.offer, several.accept, swapped, context))).toEqual([
      'funding_signature 0',
      'funding_signature 1',
    ]);
  });
});

describe('checks of all messages', () => {
  const names = (checks: readonly ContractCheck[]): [string | null, ContractCheckName][] =>
    checks.filter(({ verdict }) => verdict !== 'passed').map(({ message, check }) => [message, check]);

  it('skip what builds on a message that failed', () => {
    expect(names(checkMessages({ offer: { ...offer, feeRateSatVb: 0n }, accept, sign }, context))).toEqual([
      ['offer', 'announcement_unchanged'],
      ['offer', 'fee_rate'],
      ['accept', 'transactions'],
      ['sign', 'transactions'],
    ]);
    const bad = { ...accept, refundSignature: new Uint8Array(64) };
    expect(names(checkMessages({ offer, accept: bad, sign }, context)).slice(1)).toEqual([
      ['accept', 'refund_signature'],
      ['sign', 'transactions'],
    ]);
  });

  it('say which adaptor signature is wrong', () => {
    expect(adaptorSignatureCheck('accept', null)).toMatchObject({ verdict: 'passed', index: null });
    expect(() => requireChecks([adaptorSignatureCheck('sign', 7)])).toThrow(/^cet_adaptor_signature: .* 7: /);
    expect(offerer.party).toBe(offer.party);
  });
});
