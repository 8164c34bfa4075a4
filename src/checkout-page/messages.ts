import type { Locale } from '../domain/statuses.ts';

const en = {
  unknownTitle: 'This link is not valid',
  unknownText: 'The link may be incomplete or no longer in use. Go back to the shop to continue.',
  processingTitle: 'Your payment is being processed',
  processingText: 'This page updates by itself. Please do not pay again.',
  unfinishedTitle: 'One step is missing',
  unfinishedText:
    'Your bank has not confirmed the payment yet. Continue to finish it; nothing has been charged.',
  continue: 'Continue',
  declinedTitle: 'The payment did not go through',
  declinedText: 'Nothing has been charged. Go back to the shop to try again.',
  expiredTitle: 'The checkout is closed',
  expiredText: 'The time for this payment is over. Go back to the shop to see your order.',
  backToShop: 'Back to the shop',
};

export type Messages = typeof en;

const es: Messages = {
  unknownTitle: 'Este enlace no es válido',
  unknownText: 'El enlace puede estar incompleto o ya no se usa. Vuelve a la tienda para continuar.',
  processingTitle: 'Tu pago se está procesando',
  processingText: 'Esta página se actualiza sola. No pagues de nuevo.',
  unfinishedTitle: 'Falta un paso',
  unfinishedText: 'Tu banco aún no ha confirmado el pago. Continúa para terminarlo; no se ha cobrado nada.',
  continue: 'Continuar',
  declinedTitle: 'El pago no se realizó',
  declinedText: 'No se ha cobrado nada. Vuelve a la tienda para intentarlo de nuevo.',
  expiredTitle: 'El pago está cerrado',
  expiredText: 'El tiempo para este pago ha terminado. Vuelve a la tienda para ver tu pedido.',
  backToShop: 'Volver a la tienda',
};

const pt: Messages = {
  unknownTitle: 'Este link não é válido',
  unknownText: 'O link pode estar incompleto ou não estar mais em uso. Volte à loja para continuar.',
  processingTitle: 'Seu pagamento está sendo processado',
  processingText: 'Esta página se atualiza sozinha. Não pague novamente.',
  unfinishedTitle: 'Falta um passo',
  unfinishedText: 'Seu banco ainda não confirmou o pagamento. Continue para concluir; nada foi cobrado.',
  continue: 'Continuar',
  declinedTitle: 'O pagamento não foi concluído',
  declinedText: 'Nada foi cobrado. Volte à loja para tentar de novo.',
  expiredTitle: 'O pagamento está encerrado',
  expiredText: 'O tempo para este pagamento acabou. Volte à loja para ver seu pedido.',
  backToShop: 'Voltar à loja',
};

/** Texts of the customer's pages; the type makes every language complete. */
export const messages: Readonly<Record<Locale, Messages>> = { en, es, pt };
