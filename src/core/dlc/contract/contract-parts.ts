import type { AdaptorCase } from '../adaptor-case.ts';
import type { ContractCase, ContractInfo } from '../contract-info.ts';
import type { Dialect } from '../dialect.ts';
import { adaptorCases, MAX_ADAPTOR_CASES } from '../outcomes/adaptor-cases.ts';
import { encryptionPoints } from './encryption-points.ts';

/** One of the (disjoint) cases of a contract info, with the adaptor signatures that it takes. */
export interface ContractPart {
  readonly contractCase: ContractCase;
  /** Of its first case among all. */
  readonly firstCase: number;
  readonly cases: readonly AdaptorCase[];
  /** Under which a case's signatures are encrypted: uncompressed. */
  readonly encryptionPoint: (attested: AdaptorCase['attested']) => Uint8Array;
}

/** In the order of the contract info, which is a valid one (validateContractInfo). Throws `contract_refused` where there are too many cases. */
export function contractParts(info: ContractInfo, dialect: Dialect): ContractPart[] {
  let firstCase = 0;
  return info.cases.map((contractCase) => {
    // Of all parts together no more than of one.
    const cases = adaptorCases(contractCase, info.totalCollateralSats, dialect, MAX_ADAPTOR_CASES - firstCase);
    const encryptionPoint = encryptionPoints(contractCase.oracleInfo, dialect);
    const part = { contractCase, firstCase, cases, encryptionPoint };
    firstCase += cases.length;
    return part;
  });
}
