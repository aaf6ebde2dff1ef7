import { describe, expect, it } from 'vitest';
import { parseAccept, serializeAccept } from '../../../../src/core/dlc/messages/accept.ts';
import { contractIdOf } from '../../../../src/core/dlc/messages/contract-id.ts';
import { parseOffer, serializeOffer } from '../../../../src/core/dlc/messages/offer.ts';
import { parseSign, serializeSign } from '../../../../src/core/dlc/messages/sign.ts';
import { vectorRows } from '../../../vectors/rows.ts';
import { contractVectors } from './contract-vectors.ts';

const DIALECT = 'dlcspecs-vectors';
const fromHex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const contracts = contractVectors();

describe('the messages of dlcspecs’ full contracts', () => {
  it('are four contracts', () => {
    expect(contracts.map(({ name }) => name)).toEqual([
      'enum_3_of_3',
      'enum_single_oracle',
      'single_oracle_numerical',
      'three_of_three_oracle_numerical',
    ]);
  });

  it.each(contracts)('$name: serialize from JSON byte for byte', ({ offer, accept, sign }) => {
    expect(toHex(serializeOffer(offer.message, DIALECT))).toBe(offer.serialized);
    expect(toHex(serializeAccept(accept.message, DIALECT))).toBe(accept.serialized);
    expect(toHex(serializeSign(sign.message, DIALECT))).toBe(sign.serialized);
  });

  it.each(contracts)('$name: parse to what the JSON says', ({ offer, accept, sign }) => {
    expect(parseOffer(fromHex(offer.serialized), DIALECT)).toEqual(offer.message);
    expect(parseAccept(fromHex(accept.serialized), DIALECT)).toEqual(accept.message);
    expect(parseSign(fromHex(sign.serialized), DIALECT)).toEqual(sign.message);
  });

  it.each(contracts)('$name: in the tagged dialect each funding input is a byte longer', ({ offer, accept, sign }) => {
    const inTagged = serializeOffer(offer.message, 'tagged');
    expect(inTagged).toHaveLength(offer.serialized.length / 2 + offer.message.party.fundingInputs.length);
    expect(parseOffer(inTagged, 'tagged')).toEqual(offer.message);
    expect(parseAccept(serializeAccept(accept.message, 'tagged'), 'tagged')).toEqual(accept.message);
    expect(toHex(serializeSign(sign.message, 'tagged'))).toBe(sign.serialized);
  });

  it.each(contracts)('$name: the messages of one dialect are none of the other, and are told so', ({
    offer,
    accept,
  }) => {
    const isOther = (name: string) => new RegExp(`; the ${name} is one of the dialect `);
    expect(() => parseOffer(fromHex(offer.serialized), 'tagged')).toThrow(isOther('offer'));
    expect(() => parseAccept(fromHex(accept.serialized), 'tagged')).toThrow(isOther('accept'));
    expect(() => parseOffer(serializeOffer(offer.message, 'tagged'), DIALECT)).toThrow(isOther('offer'));
    expect(() => parseAccept(serializeAccept(accept.message, 'tagged'), DIALECT)).toThrow(isOther('accept'));
  });
});

describe('contract ids', () => {
  it('are those of dlcspecs, all four', () => {
    const rows = vectorRows('dlc-contract-ids');
    expect(rows).toHaveLength(4);
    for (const [fundingTxid = '', vout, temporaryId = '', contractId] of rows)
      expect(toHex(contractIdOf(fundingTxid, Number(vout), fromHex(temporaryId)))).toBe(contractId);
  });
});
