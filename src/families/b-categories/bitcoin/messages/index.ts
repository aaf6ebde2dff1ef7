import type { AnyOperation } from '../../../../hooks/operation.ts';
import type { MessageService } from '../../../../services/messages/message-service.ts';
import { signMessage } from './sign-message.ts';
import { signWithWalletMessage } from './sign-with-wallet-message.ts';
import { verifyMessage } from './verify-message.ts';

export const messageOperations = (services: { messages: MessageService }): AnyOperation[] => [
  signMessage(services.messages),
  verifyMessage(services.messages),
  signWithWalletMessage(services.messages),
];
