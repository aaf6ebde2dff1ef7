/** What a contract pays and whom it asks, in messages (dlcspecs Messaging.md: contract_info, contract_descriptor, oracle_info). */
import type { ContractCase, ContractDescriptor, ContractInfo, OracleInfo } from '../contract-info.ts';
import type { Dialect } from '../dialect.ts';
import { readAnnouncement, serializeAnnouncement } from './announcement.ts';
import { MessageReader } from './message-reader.ts';
import { MessageWriter } from './message-writer.ts';
import {
  readPayoutFunction,
  readRoundingIntervals,
  writePayoutFunction,
  writeRoundingIntervals,
} from './payout-function.ts';

/** Of any descriptor with its oracle: two types, a count, and an announcement's header, signature and key. */
const MIN_CASE_BYTES = 100;

export function readContractInfo(reader: MessageReader, dialect: Dialect): ContractInfo {
  const start = reader.offset;
  const type = reader.bigSize('type');
  if (type > 1n) throw reader.problem('type', start, `is ${type}, neither single (0) nor disjoint (1)`);
  const totalCollateralSats = reader.u64('total_collateral');
  const disjoint = type === 1n;
  const countAt = reader.offset;
  const count = disjoint ? reader.count(MIN_CASE_BYTES, 'cases') : 1;
  if (count === 0) throw reader.problem('cases', countAt, 'is an empty list');
  return { totalCollateralSats, disjoint, cases: reader.items(count, 'cases', () => readCase(reader, dialect)) };
}

export function writeContractInfo(writer: MessageWriter, info: ContractInfo, dialect: Dialect): void {
  writer.bigSize(info.disjoint ? 1 : 0).u64(info.totalCollateralSats, 'contract_info.total_collateral');
  if (info.disjoint) writer.bigSize(info.cases.length);
  else if (info.cases.length !== 1) throw new TypeError('A contract that is not disjoint has one case');
  for (const { descriptor, oracleInfo } of info.cases) {
    writeDescriptor(writer, descriptor, dialect);
    writeOracleInfo(writer, oracleInfo);
  }
}

/** By themselves, as they stand in an offer. */
export function serializeContractInfo(info: ContractInfo, dialect: Dialect): Uint8Array {
  const writer = new MessageWriter();
  writeContractInfo(writer, info, dialect);
  return writer.done();
}

/** Throws DlcMessageError. */
export function parseContractInfo(bytes: Uint8Array, dialect: Dialect): ContractInfo {
  const reader = new MessageReader(bytes, 'contract_info');
  const info = readContractInfo(reader, dialect);
  reader.done();
  return info;
}

const readCase = (reader: MessageReader, dialect: Dialect): ContractCase => ({
  descriptor: reader.within('descriptor', () => readDescriptor(reader, dialect)),
  oracleInfo: reader.within('oracle_info', () => readOracleInfo(reader)),
});

function readDescriptor(reader: MessageReader, dialect: Dialect): ContractDescriptor {
  const start = reader.offset;
  const type = reader.bigSize('type');
  if (type === 0n)
    return {
      kind: 'enumerated',
      payouts: reader.items(reader.count(9, 'payouts'), 'payouts', () => ({
        outcome: reader.text('outcome'),
        offerPayoutSats: reader.u64('offer_payout'),
      })),
    };
  if (type !== 1n) throw reader.problem('type', start, `is ${type}, neither enumerated (0) nor numeric (1)`);
  return {
    kind: 'numeric',
    digits: reader.u16('num_digits'),
    payoutFunction: reader.within('payout_function', () => readPayoutFunction(reader, dialect)),
    roundingIntervals: readRoundingIntervals(reader),
  };
}

function writeDescriptor(writer: MessageWriter, descriptor: ContractDescriptor, dialect: Dialect): void {
  if (descriptor.kind === 'enumerated') {
    writer
      .bigSize(0)
      .list(descriptor.payouts, ({ outcome, offerPayoutSats }) =>
        writer.text(outcome, 'payouts.outcome').u64(offerPayoutSats, 'payouts.offer_payout'),
      );
    return;
  }
  writer.bigSize(1).u16(descriptor.digits, 'num_digits');
  writePayoutFunction(writer, descriptor.payoutFunction, dialect);
  writeRoundingIntervals(writer, descriptor.roundingIntervals);
}

function readOracleInfo(reader: MessageReader): OracleInfo {
  const start = reader.offset;
  const type = reader.bigSize('type');
  if (type === 0n) return { kind: 'single', announcement: readAnnouncement(reader, 'announcement') };
  if (type !== 1n) throw reader.problem('type', start, `is ${type}, neither single (0) nor multi (1)`);
  return {
    kind: 'multi',
    threshold: reader.u16('threshold'),
    announcements: reader.items(reader.count(MIN_CASE_BYTES, 'announcements'), 'announcements', () =>
      readAnnouncement(reader, ''),
    ),
    params: reader.optional('oracle_params', () => ({
      maxErrorExp: reader.u16('max_error_exp'),
      minFailExp: reader.u16('min_fail_exp'),
      maximizeCoverage: reader.bool('maximize_coverage'),
    })),
  };
}

function writeOracleInfo(writer: MessageWriter, info: OracleInfo): void {
  if (info.kind === 'single') {
    writer.bigSize(0).bytes(serializeAnnouncement(info.announcement));
    return;
  }
  writer.bigSize(1).u16(info.threshold, 'threshold');
  writer.list(info.announcements, (announcement) => writer.bytes(serializeAnnouncement(announcement)));
  writer.bool(info.params !== null);
  if (info.params !== null)
    writer
      .u16(info.params.maxErrorExp, 'oracle_params.max_error_exp')
      .u16(info.params.minFailExp, 'oracle_params.min_fail_exp')
      .bool(info.params.maximizeCoverage);
}
