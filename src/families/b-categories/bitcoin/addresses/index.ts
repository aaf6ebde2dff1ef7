import type { Network } from '../../../../core/network.ts';
import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { AddressLookups } from '../../../../services/addresses/look-up-address.ts';
import type { AddressScans } from '../../../../services/addresses/manage-address-scans.ts';
import { deleteAddressScan } from './delete-address-scan.ts';
import { getAddressOperation } from './get-address.ts';
import { getAddressBalance } from './get-address-balance.ts';
import { getAddressScan } from './get-address-scan.ts';
import { listAddressScan } from './list-address-scan.ts';
import { listAddressTransaction } from './list-address-transaction.ts';
import { listAddressUtxo } from './list-address-utxo.ts';
import { startAddressScan } from './start-address-scan.ts';
import { validateAddressOperation } from './validate-address.ts';

export const addressOperations = (services: {
  network: Network;
  addressLookups: AddressLookups;
  addressScans: AddressScans;
}): AnyOperation[] => [
  validateAddressOperation(services),
  getAddressOperation(services),
  getAddressBalance(services),
  listAddressUtxo(services),
  listAddressTransaction(services),
  startAddressScan(services),
  listAddressScan(services),
  getAddressScan(services),
  deleteAddressScan(services),
];
